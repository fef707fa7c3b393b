/**
 * OpenAI embeddings towards clients, in the dialects of the libraries that call it.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import {
  checkedModel,
  checkedTree,
  checkedWhole,
  checkText,
  invalid,
  missing,
  otherFields,
  treeOf,
} from '../field-checks.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../wire.ts';
import { jsonReply, textOr, tokensAtMost } from '../wire-replies.ts';
import { listFamily } from './list-wire.ts';
import { embeddingInputsMax } from './openai-embeddings.ts';
import { purposeMeant } from './purposes.ts';
import { writeBase64, writeNumbers } from './vectors.ts';

export const dimensionsMax = 65_536;

const neutralFields = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user']);
/** One dialect's name for the encoding, unless it asks there for numbers of another kind. */
const neutralOrEncoding = new Set([...neutralFields, 'embedding_type']);

export const openaiEmbeddingsClient: ClientWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: listFamily,
  check,
  readRequest,
  writeReply,
  suits,
};

function check(body: WireBody, bodyBytes: number): OperationFacts {
  const tree = checkedTree(body);
  const model = checkedModel(tree);
  checkInput(tree['input'] ?? undefined);
  const encoding = tree['encoding_format'] ?? 'float';
  if (!isEncoding(encoding)) throw invalid('encoding_format', 'must be `float` or `base64`');
  checkedWhole(tree, 'dimensions', dimensionsMax);
  checkedWhole(tree, 'output_dimension', dimensionsMax);
  checkText(tree, 'user');
  return { model, stream: false, most: tokensAtMost(bodyBytes) };
}

function checkInput(input: unknown): void {
  if (input === undefined) throw missing('input', 'Send the text to embed, or a list of texts.');
  if (input === '') throw invalid('input', 'must not be empty');
  if (typeof input === 'string') return;
  if (!Array.isArray(input) || input.length === 0) throw invalid('input', 'must be a text or a non-empty list');
  if (typeof input[0] === 'number') {
    checkTokens(input, 'input');
    return;
  }
  if (input.length > embeddingInputsMax) throw invalid('input', `must hold at most ${embeddingInputsMax} inputs`);
  const kind = typeof input[0];
  input.forEach((one: unknown, index) => {
    const name = `input[${index}]`;
    if (typeof one !== kind) throw invalid(name, 'must be of the same kind as the inputs before it');
    if (one === '') throw invalid(name, 'must not be empty');
    if (typeof one === 'string') return;
    if (!Array.isArray(one) || one.length === 0) throw invalid(name, 'must be a text or a non-empty list of tokens');
    checkTokens(one, name);
  });
}

function checkTokens(tokens: readonly unknown[], name: string): void {
  const wrong = tokens.findIndex((token) => typeof token !== 'number' || !Number.isSafeInteger(token) || token < 0);
  if (wrong !== -1) throw invalid(`${name}[${wrong}]`, 'must be a token: a whole number that is not negative');
}

function readRequest(body: WireBody, named?: string): Converted<EmbedRequest> {
  const tree = treeOf(body);
  const fields = otherFields(tree, isEncoding(tree['embedding_type']) ? neutralOrEncoding : neutralFields);
  const dimensions = tree['dimensions'] ?? tree['output_dimension'];
  const value: EmbedRequest = {
    model: textOr(tree['model'], named ?? ''),
    inputs: inputsOf(tree['input']),
    encoding: encodingOf(tree),
    ...defined('dimensions', typeof dimensions === 'number' ? dimensions : undefined),
    ...defined('purpose', purposeMeant(tree['input_type']) ?? purposeMeant(tree['task'])),
    ...defined('user', typeof tree['user'] === 'string' ? tree['user'] : undefined),
    ...defined('extras', fields === undefined ? undefined : { format: listFamily, fields }),
  };
  return { value, losses: [] };
}

function isEncoding(value: unknown): value is EmbedRequest['encoding'] {
  return value === 'float' || value === 'base64';
}

function inputsOf(input: unknown): EmbedRequest['inputs'] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input)) return [];
  return typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
}

function encodingOf(tree: Tree): EmbedRequest['encoding'] {
  return (tree['encoding_format'] ?? tree['embedding_type']) === 'base64' ? 'base64' : 'float';
}

function writeReply(reply: EmbedReply, request: EmbedRequest): WrittenReply {
  const write = request.encoding === 'base64' ? writeBase64 : writeNumbers;
  // The wire has no value for an unknown count.
  const tokens = reply.consumption.tokens?.input.total ?? 0;
  return jsonReply({
    object: 'list',
    data: reply.vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) })),
    model: reply.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** Libraries read vectors by their index and in the encoding they asked for, and fail silently where either is different. */
function suits(reply: unknown, request: EmbedRequest): boolean {
  if (!isObject(reply) || typeof reply['model'] !== 'string' || reply['object'] !== 'list') return false;
  const { data, usage } = reply;
  if (!isObject(usage) || typeof usage['prompt_tokens'] !== 'number' || typeof usage['total_tokens'] !== 'number') {
    return false;
  }
  if (!Array.isArray(data) || data.length !== request.inputs.length) return false;
  return data.every((entry: unknown, place) => {
    if (!isObject(entry) || entry['index'] !== place || entry['object'] !== 'embedding') return false;
    const { embedding } = entry;
    return request.encoding === 'base64' ? typeof embedding === 'string' : Array.isArray(embedding);
  });
}
