/**
 * Google Gemini batchEmbedContents: many contents at once; the path names the model, and so does every entry.
 * https://ai.google.dev/api/generate-content (read 2026-11-16).
 */

import { countOf, defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../wire.ts';
import { entriesOf, inputTokens, replyTree, unknownFields } from '../wire-replies.ts';
import { refuseTokens, reportUnsupportedFields } from './list-wire.ts';
import { type PurposeWords, wordFor } from './purposes.ts';
import { readVector } from './vectors.ts';

/** Fields of callers of this family that the neutral request does not have are kept under this name. */
export const contentFamily = 'gemini-embed';

const inputsMax = 100;

export const contentPurposes: PurposeWords = {
  search_query: 'RETRIEVAL_QUERY',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  similarity: 'SEMANTIC_SIMILARITY',
};

const replyFields = new Set(['embeddings', 'usageMetadata']);

export const geminiEmbed: ProviderWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: contentFamily,
  inputsMax,
  writeRequest,
  readReply,
  measure: (reply) => inputTokens(isObject(reply) ? promptTokens(reply) : undefined),
};

function writeRequest(request: EmbedRequest, model: string): Converted<WrittenRequest> {
  refuseTokens(request);
  const losses = new LossList();
  const own = request.extras?.format === contentFamily ? request.extras.fields : {};
  const purpose = wordFor(contentPurposes, request.purpose);
  if (request.purpose !== undefined && purpose === undefined) {
    losses.add('purpose', `${request.purpose} is not supported by this provider`);
  }
  if (request.user !== undefined) losses.add('user', 'is not supported by this provider');
  reportUnsupportedFields(request, own, losses);
  const named = model.startsWith('models/') ? model : `models/${model}`;
  const options = {
    ...defined('taskType', purpose),
    ...defined('title', request.title),
    ...defined('outputDimensionality', request.dimensions),
    ...own,
  };
  const requests = request.inputs.map((text) => ({ model: named, content: { parts: [{ text }] }, ...options }));
  return { value: { body: { kind: 'json', tree: { requests } } }, losses: losses.all };
}

function readReply(reply: WireReply, request: EmbedRequest): Converted<EmbedReply> {
  const tree = replyTree(reply);
  const entries = entriesOf(tree['embeddings'], request.inputs.length, 'embeddings');
  const value: EmbedReply = {
    model: request.model,
    vectors: entries.map((entry) => readVector(isObject(entry) ? entry['values'] : undefined)),
    consumption: inputTokens(promptTokens(tree)),
  };
  return { value, losses: unknownFields(tree, replyFields) };
}

function promptTokens(tree: Tree): number | undefined {
  const usage = tree['usageMetadata'];
  if (!isObject(usage)) return undefined;
  return countOf(usage['promptTokenCount']) ?? countOf(usage['totalTokenCount']);
}
