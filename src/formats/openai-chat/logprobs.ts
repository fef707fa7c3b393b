/** Token logprobs in the chat format's spelling. */

import { isObject } from '../../conversation/json-tree.ts';
import type { TokenLogprob } from '../../conversation/parts.ts';

export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const tokens: TokenLogprob[] = [];
  for (const entry of value) {
    const token = readToken(entry);
    if (token === undefined || !isObject(entry)) continue;
    const top = Array.isArray(entry.top_logprobs) ? entry.top_logprobs.flatMap((one) => readToken(one) ?? []) : [];
    tokens.push(top.length === 0 ? token : { ...token, top });
  }
  return tokens.length === 0 ? undefined : tokens;
}

function readToken(entry: unknown): TokenLogprob | undefined {
  if (!isObject(entry) || typeof entry.token !== 'string' || typeof entry.logprob !== 'number') return undefined;
  const token = { token: entry.token, logprob: entry.logprob };
  return Array.isArray(entry.bytes) ? { ...token, bytes: entry.bytes as number[] } : token;
}

export function writeLogprobs(tokens: readonly TokenLogprob[]): object {
  return { content: tokens.map(writeToken), refusal: null };
}

function writeToken({ token, logprob, bytes, top }: TokenLogprob): object {
  const alternatives = (top ?? []).map((one) => ({
    token: one.token,
    logprob: one.logprob,
    bytes: one.bytes ?? null,
  }));
  return { token, logprob, bytes: bytes ?? null, top_logprobs: alternatives };
}
