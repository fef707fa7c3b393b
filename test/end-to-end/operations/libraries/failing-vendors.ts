/** Providers that fail in the words of their own vendors, and the error that a caller must get. */

import { providerKey, type Row } from '../../../contract/operations/bench.ts';
import type { Answer } from '../../../contract/operations/scripted.ts';

type Words = (status: number, message: string) => object;

const family: Words = (_, message) => ({ error: { message, type: 'some_error', param: null, code: null } });
const atTheTop: Words = (_, message) => ({ id: 'f-1', message });
const inDetail: Words = (_, message) => ({ detail: message });

/** By the kind of the provider. */
const wordsOf: Readonly<Record<string, Words>> = {
  openai: family,
  'openai-chat': family,
  dashscope: family,
  vllm: (status, message) => ({ object: 'error', message, type: 'SomeError', param: null, code: status }),
  cohere: atTheTop,
  jina: inDetail,
  voyage: inDetail,
  mistral: (status, message) => ({ object: 'error', message, type: 'some_error', param: null, code: `${status}` }),
  gemini: (status, message) => ({ error: { code: status, message, status: 'SOME_STATUS' } }),
};

export interface Reported {
  readonly status: number;
  /** In the message that reaches the caller. */
  readonly words: string;
}

/** The status and the message of the provider, and what the caller gets of both. */
export const failures: readonly (readonly [given: number, message: string, reported: Reported])[] = [
  // The caller's own key is valid: the provider refuses Weir's, which the caller cannot change.
  [401, `no such key: ${providerKey}`, { status: 503, words: 'does not accept' }],
  [404, 'no such model here', { status: 404, words: 'no such model here' }],
  [422, 'the size is wrong', { status: 422, words: 'the size is wrong' }],
  [429, 'too many', { status: 429, words: 'too many' }],
  [500, 'it broke', { status: 502, words: 'it broke' }],
];

export const waitSeconds = 1;

function failing(words: Words, status: number, message: string): Answer {
  const headers = status === 429 ? { 'retry-after': `${waitSeconds}` } : {};
  return () => Response.json(words(status, message), { status, headers });
}

/**
 * Each of these rows again for each failure, as a provider of its own: one that is cooling down must not
 * affect another.
 */
export function failingRows(rows: Readonly<Record<string, Row>>): Record<string, Row> {
  const made = Object.entries(rows).flatMap(([name, row]) => {
    const words = wordsOf[row.kind];
    if (words === undefined) throw new Error(`the words of a failure of ${row.kind} are unknown`);
    return failures.map(([status, message]): [string, Row] => [
      failingName(name, status),
      { ...row, answer: failing(words, status, message) },
    ]);
  });
  return Object.fromEntries(made);
}

export function failingName(name: string, status: number): string {
  return `${name}-${status}`;
}
