/** What must hold of a request of Cohere's chat format before anything is spent. */

import { isObject } from '../../conversation/json-tree.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { check as checkChat, invalid } from '../openai-chat/checks.ts';

/** Messages, limits and sampling are where the chat format has them. */
export function check(tree: Tree, bodyBytes: number): RequestFacts {
  const { documents, thinking } = tree;
  if (documents !== undefined && documents !== null && !Array.isArray(documents)) {
    throw invalid('documents', 'must be an array');
  }
  for (const name of ['p', 'k'] as const) {
    const value = tree[name] ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(name, 'must be a number');
  }
  const facts = checkChat(tree, bodyBytes);
  const budget = isObject(thinking) ? thinking['token_budget'] : undefined;
  if (budget === undefined || budget === null) return facts;
  if (typeof budget !== 'number' || !Number.isInteger(budget) || budget < 0) {
    throw invalid('thinking.token_budget', 'must be a whole number');
  }
  return { ...facts, thinkingTokensMax: Math.max(facts.thinkingTokensMax ?? 0, budget) };
}
