/**
 * OpenAI Completions (legacy): its name, its finish reasons and its logprobs.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { TokenLogprob } from '../../conversation/parts.ts';
import type { Finish } from '../../conversation/text-reply.ts';
import { finishWord as chatFinishWord } from '../openai-chat/wire.ts';

export const formatName = 'openai-completions';
export const replyIdPrefix = 'cmpl-';

/** The chat format's words, without calls: this format has none. */
export function finishWord(finish: Finish, losses: LossList): 'stop' | 'length' | 'content_filter' {
  const word = chatFinishWord(finish, false, losses);
  return word === 'length' || word === 'content_filter' ? word : 'stop';
}

/** What the reply's text begins with where the caller asked to have the prompt repeated. */
export function echoedPrompt(request: Tree): string {
  if (request.echo !== true) return '';
  const { prompt } = request;
  const [only] = Array.isArray(prompt) && prompt.length === 1 ? prompt : [prompt];
  return typeof only === 'string' ? only : '';
}

export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(value) || !Array.isArray(value.tokens) || value.tokens.length === 0) return undefined;
  const likelihoods = Array.isArray(value.token_logprobs) ? value.token_logprobs : [];
  const alternatives = Array.isArray(value.top_logprobs) ? value.top_logprobs : [];
  const tokens: TokenLogprob[] = [];
  for (const [index, token] of value.tokens.entries()) {
    const logprob: unknown = likelihoods[index];
    if (typeof token !== 'string' || typeof logprob !== 'number') continue;
    const others: unknown = alternatives[index];
    const top = Object.entries(isObject(others) ? others : {}).flatMap(([other, likelihood]) =>
      typeof likelihood === 'number' ? [{ token: other, logprob: likelihood }] : [],
    );
    tokens.push(top.length === 0 ? { token, logprob } : { token, logprob, top });
  }
  return tokens.length === 0 ? undefined : tokens;
}

/** `offset` is where the first token begins in the reply's text. */
export function writeLogprobs(tokens: readonly TokenLogprob[], offset: number): object {
  const offsets: number[] = [];
  let at = offset;
  for (const { token } of tokens) {
    offsets.push(at);
    at += token.length;
  }
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => Object.fromEntries((top ?? []).map((one) => [one.token, one.logprob]))),
    text_offset: offsets,
  };
}
