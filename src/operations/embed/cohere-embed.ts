/**
 * Cohere Embed API v2: requires the purpose of the vectors, and sorts them by the type of their numbers.
 * https://docs.cohere.com/reference/embed (read 2026-11-15).
 */

import { countOf, defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import type { ProviderWire, WireReply, WrittenRequest } from '../wire.ts';
import { entriesOf, inputTokens, replyTree, textOr, unknownFields } from '../wire-replies.ts';
import { listFamily, refuseTokens, reportUnsupportedFields } from './list-wire.ts';
import { type PurposeWords, wordFor } from './purposes.ts';
import { readVector } from './vectors.ts';

const inputsMax = 96;

const words: PurposeWords = {
  search_query: 'search_query',
  search_document: 'search_document',
  classification: 'classification',
  clustering: 'clustering',
};

/** The wire requires a purpose; vectors without a stated purpose are most often stored ones. */
const defaultPurpose = 'search_document';

/** Fields of callers of the same wire that the neutral request does not have are kept under this name. */
export const cohereFamily = 'cohere-embed';

/** Fields of callers that this wire takes under the same name. */
const passes = ['truncate', 'max_tokens', 'priority'];

const replyFields = new Set(['id', 'embeddings', 'texts', 'response_type', 'meta', 'model']);

export const cohereEmbed: ProviderWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: cohereFamily,
  inputsMax,
  writeRequest,
  readReply,
  measure: (reply) => inputTokens(isObject(reply) ? billedTokens(reply) : undefined),
};

function writeRequest(request: EmbedRequest, model: string): Converted<WrittenRequest> {
  refuseTokens(request);
  const losses = new LossList();
  const purpose = wordFor(words, request.purpose);
  if (request.purpose !== undefined && purpose === undefined) {
    losses.add('purpose', `${request.purpose} is not supported by this provider`);
  }
  if (request.title !== undefined) losses.add('title', 'is not supported by this provider');
  if (request.user !== undefined) losses.add('user', 'is not supported by this provider');
  const isKnown = request.extras?.format === listFamily || request.extras?.format === cohereFamily;
  const fields = isKnown ? Object.entries(request.extras?.fields ?? {}) : [];
  const kept = Object.fromEntries(fields.filter(([name]) => passes.includes(name)));
  reportUnsupportedFields(request, kept, losses);
  const tree = {
    ...kept,
    model,
    texts: request.inputs,
    input_type: purpose ?? defaultPurpose,
    embedding_types: ['float'],
    ...defined('output_dimension', request.dimensions),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function readReply(reply: WireReply, request: EmbedRequest): Converted<EmbedReply> {
  const tree = replyTree(reply);
  const embeddings = tree['embeddings'];
  // The version before answers with the bare list.
  const floats = isObject(embeddings) ? embeddings['float'] : embeddings;
  const value: EmbedReply = {
    model: textOr(tree['model'], request.model),
    vectors: entriesOf(floats, request.inputs.length, 'embeddings.float').map(readVector),
    consumption: inputTokens(billedTokens(tree)),
  };
  return { value, losses: [...unknownFields(tree, replyFields), ...warnings(tree)] };
}

function billedTokens(tree: Tree): number | undefined {
  const meta = isObject(tree['meta']) ? tree['meta'] : {};
  const billed = isObject(meta['billed_units']) ? meta['billed_units'] : {};
  const counted = isObject(meta['tokens']) ? meta['tokens'] : {};
  return countOf(billed['input_tokens']) ?? countOf(counted['input_tokens']);
}

function warnings(tree: Tree): EmbedLosses {
  const meta = isObject(tree['meta']) ? tree['meta'] : {};
  return Array.isArray(meta['warnings']) && meta['warnings'].length > 0
    ? [{ what: 'meta.warnings', why: 'cannot be said to this caller' }]
    : [];
}

type EmbedLosses = Converted<EmbedReply>['losses'];
