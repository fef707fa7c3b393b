/** The rerank wires as their vendors document them; a document's score is the number in its text. */

import { providerKey } from './bench.ts';
import { type Answer, bearerIs, demand, jsonOf, listOf, type Tree, textsOf } from './scripted.ts';

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

function rankingOf(texts: readonly string[], limit: unknown): Ranked[] {
  return texts
    .map((text, index) => ({ index, relevance_score: Number(/0\.\d+/.exec(text)?.[0] ?? 0) }))
    .sort((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, typeof limit === 'number' ? limit : texts.length);
}

function question(tree: Tree): string {
  demand(typeof tree['model'] === 'string' && typeof tree['query'] === 'string', 'a model and a query');
  return `${tree['query']}`;
}

/** The plain wire takes objects too, and has no limit: the gateway removes what is too much. */
export const plain: Answer = (seen) => {
  demand(seen.path === '/v1/rerank', 'its path');
  bearerIs(seen, providerKey);
  const tree = jsonOf(seen);
  question(tree);
  const fields = tree['rank_fields'] === undefined ? undefined : textsOf(tree['rank_fields'], 100, 'rank_fields');
  const texts = listOf(tree['documents'], 1_000, 'documents').map((one) =>
    typeof one === 'string' ? one : JSON.stringify(one, fields as string[] | undefined),
  );
  const results = rankingOf(texts, undefined).toReversed();
  return Response.json({ id: 'rank-1', model: tree['model'], results, usage: { total_tokens: 10 * texts.length } });
};

export const cohere: Answer = (seen) => {
  demand(seen.path === '/v2/rerank', 'its path');
  bearerIs(seen, providerKey);
  const tree = jsonOf(seen, ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority']);
  question(tree);
  const results = rankingOf(textsOf(tree['documents'], 1_000, 'documents'), tree['top_n']);
  return Response.json({
    id: 'rank-2',
    results,
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  });
};

export const jina: Answer = (seen) => {
  demand(seen.path === '/v1/rerank', 'its path');
  bearerIs(seen, providerKey);
  const tree = jsonOf(seen, ['model', 'query', 'documents', 'top_n', 'return_documents', 'truncation']);
  question(tree);
  const texts = textsOf(tree['documents'], 2_048, 'documents');
  // It returns them unless the request turns that off.
  demand(tree['return_documents'] === false, 'no documents back');
  const results = rankingOf(texts, tree['top_n']);
  return Response.json({ model: tree['model'], usage: { total_tokens: 10 * texts.length }, results });
};

export const voyage: Answer = (seen) => {
  demand(seen.path === '/v1/rerank', 'its path');
  bearerIs(seen, providerKey);
  const tree = jsonOf(seen, ['model', 'query', 'documents', 'top_k', 'return_documents', 'truncation']);
  question(tree);
  const texts = textsOf(tree['documents'], 1_000, 'documents');
  const data = rankingOf(texts, tree['top_k']);
  return Response.json({ object: 'list', data, model: tree['model'], usage: { total_tokens: 10 * texts.length } });
};
