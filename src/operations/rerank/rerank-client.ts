/**
 * The rerank endpoint's requests and replies. Libraries of three vendors call it, so the request takes the fields of
 * all three and the reply carries the union of what they read.
 */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Converted } from '../../conversation/parts.ts';
import {
  checkedModelIfAny,
  checkedTree,
  checkedWhole,
  checkFlag,
  invalid,
  missing,
  otherFields,
  treeOf,
} from '../field-checks.ts';
import type { RankedDocument, RerankReply, RerankRequest } from '../rerank.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../wire.ts';
import { jsonReply, textOr } from '../wire-replies.ts';
import { documentText } from './document-text.ts';
import { rerankFamily } from './rerank.ts';
import { scoreOf } from './rerank-replies.ts';

const documentsMax = 10_000;
const limitMax = 1_000_000;
const tokensPerDocumentMax = 10_000_000;

/** Providers who bill searches count a hundred pieces of this many tokens, query included, as one. */
const piecesPerSearch = 100;
const pieceTokens = 500;
/** However long the query, a piece holds some of its document. */
const pieceTokensMin = 100;

const neutralFields = new Set([
  'model',
  'query',
  'documents',
  'top_n',
  'top_k',
  'return_documents',
  'rank_fields',
  'max_tokens_per_doc',
]);

export const rerankClient: ClientWire<RerankRequest, RerankReply> = {
  operation: 'rerank',
  name: rerankFamily,
  check,
  readRequest,
  writeReply,
  suits,
};

function check(body: WireBody, bodyBytes: number): OperationFacts {
  const tree = checkedTree(body);
  const model = checkedModelIfAny(tree);
  const query = tree['query'] ?? undefined;
  if (query === undefined) throw missing('query', 'Send the query to rank the documents by.');
  if (typeof query !== 'string' || query === '') throw invalid('query', 'must be a non-empty string');
  const documents = checkDocuments(tree['documents'] ?? undefined);
  checkedWhole(tree, 'top_n', limitMax);
  checkedWhole(tree, 'top_k', limitMax);
  checkFlag(tree, 'return_documents');
  checkRankFields(tree['rank_fields'] ?? undefined);
  checkedWhole(tree, 'max_chunks_per_doc', tokensPerDocumentMax);
  checkedWhole(tree, 'max_tokens_per_doc', tokensPerDocumentMax);
  return { model, stream: false, most: mostUsed(Buffer.byteLength(query), documents, bodyBytes) };
}

function checkDocuments(documents: unknown): number {
  if (documents === undefined) throw missing('documents', 'Send the documents to rank, as a list.');
  if (!Array.isArray(documents) || documents.length === 0) throw invalid('documents', 'must be a non-empty list');
  if (documents.length > documentsMax) throw invalid('documents', `must hold at most ${documentsMax} documents`);
  const wrong = documents.findIndex((one: unknown) => typeof one !== 'string' && !isObject(one));
  if (wrong !== -1) throw invalid(`documents[${wrong}]`, 'must be a text or an object');
  return documents.length;
}

function checkRankFields(fields: unknown): void {
  if (fields === undefined) return;
  if (!Array.isArray(fields) || fields.length === 0) throw invalid('rank_fields', 'must be a non-empty list of names');
  const wrong = fields.findIndex((name: unknown) => typeof name !== 'string');
  if (wrong !== -1) throw invalid(`rank_fields[${wrong}]`, 'must be a string');
}

/** The query is read again with each document, and every byte may be a token. */
function mostUsed(queryBytes: number, documents: number, bodyBytes: number): OperationFacts['most'] {
  const pieceRoom = Math.max(pieceTokensMin, pieceTokens - queryBytes);
  const pieces = documents + Math.ceil(bodyBytes / pieceRoom);
  return {
    searches: Math.ceil(pieces / piecesPerSearch),
    tokens: { input: { total: queryBytes * documents + bodyBytes }, output: { total: 0 } },
  };
}

function readRequest(body: WireBody, named?: string): Converted<RerankRequest> {
  const tree = treeOf(body);
  const fields = otherFields(tree, neutralFields);
  const rankFields = tree['rank_fields'];
  const value: RerankRequest = {
    model: textOr(tree['model'], named ?? ''),
    query: typeof tree['query'] === 'string' ? tree['query'] : '',
    documents: Array.isArray(tree['documents']) ? (tree['documents'] as RankedDocument[]) : [],
    returnDocuments: tree['return_documents'] === true,
    ...defined('topN', wholeOf(tree['top_n'] ?? tree['top_k'])),
    ...defined('tokensPerDocumentMax', wholeOf(tree['max_tokens_per_doc'])),
    ...defined('rankFields', Array.isArray(rankFields) ? (rankFields as string[]) : undefined),
    ...defined('extras', fields === undefined ? undefined : { format: rerankFamily, fields }),
  };
  return { value, losses: [] };
}

function wholeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function writeReply(reply: RerankReply, request: RerankRequest): WrittenReply {
  const results = reply.results.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...documentOf(request, index),
  }));
  const { tokens, searches } = reply.consumption;
  const total = tokens?.input.total;
  return jsonReply({
    id: reply.id,
    object: 'list',
    model: reply.model,
    results,
    // One vendor's library reads the same results under this name, and documents there as bare texts.
    data: results.map((result) => ({ ...result, ...('document' in result ? { document: result.document.text } : {}) })),
    meta: {
      api_version: { version: '2' },
      billed_units: { ...defined('search_units', searches), ...defined('input_tokens', total) },
      ...(total === undefined ? {} : { tokens: { input_tokens: total, output_tokens: 0 } }),
    },
    // Two libraries cannot do without the count, even where it is not known.
    usage: { prompt_tokens: total ?? 0, total_tokens: total ?? 0 },
  });
}

/** An object is returned as it was sent, with the text that libraries require. */
function documentOf(request: RerankRequest, index: number): { document?: Tree & { text: string } } {
  const document = request.documents[index];
  if (!request.returnDocuments || document === undefined) return {};
  const text = documentText(document, typeof document === 'string' ? {} : request);
  if (typeof document === 'string') return { document: { text } };
  const own = document['text'];
  return { document: { ...document, text: typeof own === 'string' ? own : text } };
}

/** Every library finds its results, the documents it asked for and no more of them than it asked for. */
function suits(reply: unknown, request: RerankRequest): boolean {
  if (!isObject(reply) || typeof reply['model'] !== 'string' || typeof reply['id'] !== 'string') return false;
  const most = Math.min(request.topN ?? limitMax, request.documents.length);
  return [reply['results'], reply['data']].every(
    (entries) =>
      Array.isArray(entries) &&
      entries.length <= most &&
      entries.every((entry: unknown) => {
        if (!isObject(entry) || typeof entry['index'] !== 'number' || entry['score'] !== undefined) return false;
        return scoreOf(entry) !== undefined && (!request.returnDocuments || entry['document'] !== undefined);
      }),
  );
}
