/** What every wire's ranking has in common: results with a place and a score, and usage in searches, tokens or both. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { Consumption } from '../consumption.ts';
import type { RankedResult, RerankReply, RerankRequest } from '../rerank.ts';
import type { ReplyMaking, WireReply } from '../wire.ts';
import { replyTree, textOr, unknownFields, usageTokens } from '../wire-replies.ts';

const replyFields = new Set(['id', 'model', 'object', 'results', 'data', 'meta', 'usage', 'created']);

/** Throws where the reply ranks nothing, ranks a document twice or one that was not sent. */
export function readRanking(reply: WireReply, request: RerankRequest, making: ReplyMaking): Converted<RerankReply> {
  // Some servers answer with nothing but the list.
  const isList = Array.isArray(reply.tree) && reply.tree.length > 0;
  const tree: Tree = isList ? { results: reply.tree } : replyTree(reply);
  const entries = tree['results'] ?? tree['data'];
  if (!Array.isArray(entries)) throw new SyntaxError('the reply has no list `results`');
  const results = entries.map((entry) => readResult(entry, request.documents.length));
  if (new Set(results.map(({ index }) => index)).size !== results.length) {
    throw new SyntaxError('a document is ranked twice');
  }
  // Servers that do not know the limit, or the order, leave both to us.
  results.sort((left, right) => right.score - left.score);
  const value: RerankReply = {
    id: textOr(tree['id'], making.newId('rerank-')),
    model: textOr(tree['model'], request.model),
    results: results.slice(0, request.topN ?? results.length),
    consumption: measureRanking(tree),
  };
  return { value, losses: [...unknownFields(tree, replyFields), ...warnings(tree)] };
}

function readResult(entry: unknown, documents: number): RankedResult {
  if (!isObject(entry)) throw new SyntaxError('`results` holds something that is no result');
  const { index } = entry;
  const score = scoreOf(entry);
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents) {
    throw new SyntaxError('a result has an index that no document has');
  }
  if (score === undefined) throw new SyntaxError('a result has no score');
  return { index, score };
}

export function scoreOf(entry: Tree): number | undefined {
  const score = entry['relevance_score'] ?? entry['score'];
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined;
}

/** Some bill searches, some tokens, and some report both. */
export function measureRanking(reply: unknown): Consumption {
  if (!isObject(reply)) return {};
  const meta = isObject(reply['meta']) ? reply['meta'] : {};
  const billed = isObject(meta['billed_units']) ? meta['billed_units'] : {};
  const counted = isObject(meta['tokens']) ? meta['tokens'] : {};
  const searches = countOf(billed['search_units']);
  const tokens = countOf(billed['input_tokens']) ?? countOf(counted['input_tokens']) ?? usageTokens(reply['usage']);
  return {
    ...(searches === undefined ? {} : { searches }),
    ...(tokens === undefined ? {} : { tokens: { input: { total: tokens }, output: {} } }),
  };
}

function warnings(tree: Tree): Converted<RerankReply>['losses'] {
  const warned = isObject(tree['meta']) ? tree['meta']['warnings'] : undefined;
  return Array.isArray(warned) && warned.length > 0
    ? [{ what: 'meta.warnings', why: 'cannot be said to this caller' }]
    : [];
}
