/** The same words get the same verdict, with an error's status or inside a 200, in every format; and no wire takes an error for a reply. */

import { describe, expect, test } from 'bun:test';
import { scriptedRoute } from '../../../test/harness/scripted-targets.ts';
import { anthropicMessages } from '../../formats/anthropic-messages/format.ts';
import type { Format } from '../../formats/format.ts';
import { geminiGenerate } from '../../formats/gemini-generate/format.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { openaiCompletions } from '../../formats/openai-completions/format.ts';
import { openaiResponses } from '../../formats/openai-responses/format.ts';
import { speakWires, transcribeWires, translateWires } from '../../operations/audio/provider-wires.ts';
import { embedProviderWires } from '../../operations/embed/provider-wires.ts';
import { editImageWires, makeImageWires } from '../../operations/images/provider-wires.ts';
import { moderateProviderWires } from '../../operations/moderate/provider-wires.ts';
import { rerankProviderWires } from '../../operations/rerank/provider-wires.ts';
import { clientWires } from '../../operations/wires.ts';
import { verdictOfStatus } from '../../upstream/faults/verdict.ts';
import { notAReply } from './unreadable-reply.ts';

const [target] = scriptedRoute([{ name: 'up', keys: ['sk-secret-secret'] }]).targets;
const encoder = new TextEncoder();

function failureOf(format: Pick<Format, 'readFault'>, body: string, headers: Readonly<Record<string, string>> = {}) {
  if (target === undefined) return expect.unreachable();
  const upstream = { header: (name: string) => headers[name] };
  const given = { bytes: encoder.encode(body), cause: new SyntaxError('no reply') };
  return notAReply({ wallMs: () => 0 }, { target, lane: format }, upstream, given).verdict;
}

interface Said {
  readonly status: number;
  readonly openai: object;
  readonly messages: object;
  readonly generate: object;
}

const words: Readonly<Record<string, Said>> = {
  'a spent quota': {
    status: 402,
    openai: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' },
    messages: { type: 'billing_error', message: 'Your credit balance is too low.' },
    generate: { code: 402, message: 'The account has nothing left.', status: 'RESOURCE_EXHAUSTED' },
  },
  'a dead key': {
    status: 401,
    openai: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
    messages: { type: 'authentication_error', message: 'invalid x-api-key' },
    generate: { code: 401, message: 'Request had invalid credentials.', status: 'UNAUTHENTICATED' },
  },
  'a limit of requests': {
    status: 429,
    openai: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
    messages: { type: 'rate_limit_error', message: 'Number of requests has exceeded your rate limit' },
    generate: { code: 429, message: 'Too many requests.', status: 'RESOURCE_EXHAUSTED' },
  },
  'an overloaded model': {
    status: 503,
    openai: { message: 'The engine is currently overloaded', type: 'overloaded_error', code: 'overloaded' },
    messages: { type: 'overloaded_error', message: 'Overloaded' },
    generate: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
  },
  'a verdict on the content': {
    status: 400,
    openai: { message: 'The response was filtered', type: 'invalid_request_error', code: 'content_filter' },
    messages: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
    generate: {
      code: 400,
      message: 'blocked',
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'content_policy_violation' }],
    },
  },
  'a conversation that is too long': {
    status: 400,
    openai: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' },
    messages: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    generate: {
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      status: 'INVALID_ARGUMENT',
    },
  },
};

const formats = [
  [openaiChat, 'openai', ['choices']],
  [openaiCompletions, 'openai', ['choices']],
  [openaiResponses, 'openai', []],
  [anthropicMessages, 'messages', []],
  [geminiGenerate, 'generate', ['candidates']],
] as const satisfies readonly (readonly [Format, keyof Said, readonly string[]])[];

for (const [format, spelling, beside] of formats) {
  describe(format.name, () => {
    for (const [what, said] of Object.entries(words)) {
      test(`${what} is the same inside a 200`, () => {
        const body = JSON.stringify({ error: said[spelling] });
        const given = { status: said.status, fault: format.readFault(body), retryAfter: '7', provider: 'up' };
        const wanted = verdictOfStatus({ ...given, scrub: (text) => text, nowMs: 0 });
        expect(['uncertain', 'limit']).not.toContain(wanted.kind);
        expect(failureOf(format, body, { 'retry-after': '7' })).toEqual(wanted);
      });
    }

    test('an error is no reply, neither alone nor beside what a reply has', () => {
      const error = words['an overloaded model']?.[spelling];
      const context = {
        origin: { format: format.name, provider: 'p', model: 'm' },
        nowMs: 0,
        newId: (prefix: string) => prefix,
      };
      for (const name of [undefined, ...beside]) {
        const tree = { error, ...(name !== undefined && { [name]: [] }) };
        expect(() => format.measureReply(tree)).toThrow(SyntaxError);
        expect(() => format.codec.readReply(tree, context)).toThrow();
      }
    });

    test('what says nothing in particular is no reply, with its words where it has some', () => {
      const plain = failureOf(format, JSON.stringify({ error: { message: 'Sorry about sk-secret-secret.' } }));
      expect([plain.kind, plain.error.code]).toEqual(['uncertain', 'upstream_failed']);
      expect(plain.error.message).toBe('The provider up failed (200): Sorry about [key].');
      for (const body of ['<html>busy</html>', '[]', '"x"', 'x'.repeat(70_000)]) {
        const { kind, error } = failureOf(format, body);
        expect([kind, error.message]).toEqual([
          'uncertain',
          'The provider up answered with something that is not a reply.',
        ]);
      }
    });
  });
}

test('a reply of the responses format that says it has failed is none', () => {
  const error = { code: 'rate_limit_exceeded', message: 'Rate limit reached' };
  const tree = { object: 'response', status: 'failed', output: [], error };
  expect(() => openaiResponses.measureReply(tree)).toThrow(SyntaxError);
  expect(failureOf(openaiResponses, JSON.stringify(tree)).kind).toBe('key-cooling');
  expect(openaiResponses.measureReply({ ...tree, status: 'incomplete', error: null }).usage).toBeDefined();
});

test('an empty error beside a good reply is ignored', () => {
  for (const error of [null, '', {}]) {
    expect(openaiChat.measureReply({ choices: [], error }).usage).toBeDefined();
  }
});

test('no wire of any operation takes an error for a reply', () => {
  const tree = { error: words['a spent quota']?.openai };
  const reply = { contentType: 'application/json', tree, bytes: encoder.encode(JSON.stringify(tree)) };
  const making = { nowMs: 0, newId: (prefix: string) => prefix, keep: () => '' };
  const clients: readonly { readonly name: string; suits?(...given: never[]): boolean }[] = Object.values(clientWires);
  // Nor does it pass where both sides speak one wire.
  for (const { name, suits } of clients) expect([name, suits?.(...([tree, {}] as never[]))]).toEqual([name, false]);
  const wires: readonly { readonly name: string; readReply(...given: never[]): unknown }[] = [
    ...embedProviderWires,
    ...rerankProviderWires,
    ...moderateProviderWires,
    ...makeImageWires,
    ...editImageWires,
    ...speakWires,
    ...transcribeWires,
    ...translateWires,
  ];
  const request = { inputs: ['a'], documents: ['a'], input: ['a'], prompt: 'a', count: 1, text: 'a' };
  for (const wire of wires) {
    const read = () => wire.readReply(...([reply, request, making] as never[]));
    expect(read, wire.name).toThrow();
  }
});
