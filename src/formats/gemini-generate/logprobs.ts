/** Token logprobs in the content-generation format's spelling. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { TokenLogprob } from '../../conversation/parts.ts';

export function readLogprobs(result: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return undefined;
  const alternatives = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  const tokens: TokenLogprob[] = [];
  for (const [index, chosen] of result.chosenCandidates.entries()) {
    const token = readToken(chosen);
    if (token === undefined) continue;
    const others: unknown = alternatives[index];
    const top = isObject(others) && Array.isArray(others.candidates) ? others.candidates.flatMap(tokensOf) : [];
    tokens.push(top.length === 0 ? token : { ...token, top });
  }
  return tokens.length === 0 ? undefined : tokens;
}

function tokensOf(value: unknown): TokenLogprob[] {
  const token = readToken(value);
  return token === undefined ? [] : [token];
}

function readToken(value: unknown): TokenLogprob | undefined {
  if (!isObject(value) || typeof value.token !== 'string') return undefined;
  // A certain token has the logarithm zero, which this wire leaves out.
  return { token: value.token, logprob: typeof value.logProbability === 'number' ? value.logProbability : 0 };
}

export function writeLogprobs(tokens: readonly TokenLogprob[]): Tree {
  const hasAlternatives = tokens.some(({ top }) => top !== undefined && top.length > 0);
  return {
    ...(hasAlternatives && { topCandidates: tokens.map(({ top = [] }) => ({ candidates: top.map(writeToken) })) }),
    chosenCandidates: tokens.map(writeToken),
  };
}

function writeToken({ token, logprob }: Pick<TokenLogprob, 'token' | 'logprob'>): Tree {
  return { token, logProbability: logprob };
}
