/**
 * Google Gemini embedContent and batchEmbedContents towards clients: one content, or a list of requests.
 * https://ai.google.dev/api/generate-content (read 2026-11-16). Neither has the name of a provider's wire: each entry of
 * the list names the model, so that no body passes untouched under another name.
 */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted } from '../../conversation/parts.ts';
import type { EmbedReply, EmbedRequest } from '../embed.ts';
import { checkedTree, checkedWhole, invalid, isPresent, missing, treeOf } from '../field-checks.ts';
import type { ClientWire, OperationFacts, WireBody, WrittenReply } from '../wire.ts';
import { jsonReply, tokensAtMost } from '../wire-replies.ts';
import { contentFamily, contentPurposes } from './gemini-embed.ts';
import { dimensionsMax } from './openai-embeddings-client.ts';
import { type Purpose, purposes } from './purposes.ts';
import { writeNumbers } from './vectors.ts';

const requestsMax = 2048;

/** `:embedContent`. */
export const geminiEmbedContent: ClientWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: 'gemini-embed-content',
  check: (body, bodyBytes, named) => {
    checkOne(checkedTree(body), '');
    return facts(bodyBytes, named);
  },
  readRequest: (body, named) => readRequests([treeOf(body)], named),
  writeReply: (reply) => {
    const [embedding = { values: [] }] = writtenEmbeddings(reply);
    return written(reply, { embedding });
  },
};

/** `:batchEmbedContents`. */
export const geminiBatchEmbedContents: ClientWire<EmbedRequest, EmbedReply> = {
  operation: 'embed',
  name: 'gemini-batch-embed-contents',
  check: (body, bodyBytes, named) => {
    checkList(checkedTree(body)['requests'] ?? undefined);
    return facts(bodyBytes, named);
  },
  readRequest: (body, named) => readRequests(requestsOf(body), named),
  writeReply: (reply) => written(reply, { embeddings: writtenEmbeddings(reply) }),
};

function facts(bodyBytes: number, named: string | undefined): OperationFacts {
  if (named === undefined || named === '') {
    throw missing('model', 'Name the model in the path: `models/{model}:embedContent`.');
  }
  return { model: named, stream: false, most: tokensAtMost(bodyBytes) };
}

function checkList(requests: unknown): void {
  if (requests === undefined) throw missing('requests', 'Send a list of requests, each with its content.');
  if (!Array.isArray(requests) || requests.length === 0) throw invalid('requests', 'must be a non-empty list');
  if (requests.length > requestsMax) throw invalid('requests', `must hold at most ${requestsMax} requests`);
  requests.forEach((one: unknown, index) => {
    if (!isObject(one)) throw invalid(`requests[${index}]`, 'must be an object');
    checkOne(one, `requests[${index}].`);
    for (const name of ['taskType', 'outputDimensionality'] as const) {
      // One neutral request has one purpose and one length; another vector than the asked one would be worse than none.
      if (optionOf(one, name) !== optionOf(requests[0] as Tree, name)) {
        throw invalid(`requests[${index}].${name}`, 'must be the same in all requests of a batch');
      }
    }
  });
}

function checkOne(tree: Tree, prefix: string): void {
  const content = tree['content'] ?? undefined;
  if (content === undefined) throw missing(`${prefix}content`, 'Send the content to embed, with its parts.');
  if (!isObject(content)) throw invalid(`${prefix}content`, 'must be an object with `parts`');
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) throw invalid(`${prefix}content.parts`, 'must be a non-empty list');
  parts.forEach((part: unknown, index) => {
    if (!isObject(part) || typeof part['text'] !== 'string') {
      throw invalid(`${prefix}content.parts[${index}]`, 'must be a text: only texts can be embedded here');
    }
  });
  if (textOf(tree) === '') throw invalid(`${prefix}content.parts`, 'must hold a text that is not empty');
  for (const name of ['taskType', 'title'] as const) {
    const value = optionOf(tree, name) ?? '';
    if (typeof value !== 'string') throw invalid(prefix + name, 'must be a string');
  }
  const asked = { outputDimensionality: optionOf(tree, 'outputDimensionality') };
  checkedWhole(asked, 'outputDimensionality', dimensionsMax, 1, `${prefix}outputDimensionality`);
}

const otherSpellings = {
  taskType: 'task_type',
  title: 'title',
  outputDimensionality: 'output_dimensionality',
} as const;

/** The family's servers take both spellings, and options beside the content or in one object. */
function optionOf(tree: Tree, name: keyof typeof otherSpellings): unknown {
  const gathered = isObject(tree['embedContentConfig']) ? tree['embedContentConfig'] : {};
  return tree[name] ?? tree[otherSpellings[name]] ?? gathered[name] ?? undefined;
}

function textOf(tree: Tree): string {
  const { parts } = isObject(tree['content']) ? tree['content'] : { parts: [] };
  if (!Array.isArray(parts)) return '';
  return parts
    .flatMap((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

function requestsOf(body: WireBody): Tree[] {
  const { requests } = treeOf(body);
  return Array.isArray(requests) ? requests.filter(isObject) : [];
}

/** Purposes that only this family has, as the nearest that all have; the family's own value is kept for its own providers. */
const nearestPurposes: ReadonlyMap<string, Purpose> = new Map([
  ['QUESTION_ANSWERING', 'search_query'],
  ['FACT_VERIFICATION', 'search_query'],
  ['CODE_RETRIEVAL_QUERY', 'search_query'],
] as const);

function readRequests(requests: readonly Tree[], named: string | undefined): Converted<EmbedRequest> {
  const losses = new LossList();
  const [first = {}] = requests;
  const taskType = optionOf(first, 'taskType');
  const purpose = purposes.find((one) => contentPurposes[one] === taskType);
  const own = purpose === undefined && typeof taskType === 'string' && taskType !== '' ? taskType : undefined;
  const title = optionOf(first, 'title');
  if (requests.some((one) => optionOf(one, 'title') !== title)) {
    losses.add('title', 'differs within the batch and is left out');
  } else if (isPresent(title) && typeof title !== 'string') losses.add('title', 'is not a text');
  const shared = losses.all.length === 0 && typeof title === 'string' ? title : undefined;
  const dimensions = optionOf(first, 'outputDimensionality');
  const value: EmbedRequest = {
    model: named ?? '',
    inputs: requests.map(textOf),
    encoding: 'float',
    ...defined('dimensions', typeof dimensions === 'number' ? dimensions : undefined),
    ...defined('purpose', purpose ?? (own === undefined ? undefined : nearestPurposes.get(own))),
    ...defined('title', shared),
    ...defined('extras', own === undefined ? undefined : { format: contentFamily, fields: { taskType: own } }),
  };
  return { value, losses: losses.all };
}

function writtenEmbeddings(reply: EmbedReply): { values: number[] }[] {
  return reply.vectors.map((vector) => ({ values: writeNumbers(vector) }));
}

function written(reply: EmbedReply, embeddings: Tree): WrittenReply {
  const total = reply.consumption.tokens?.input.total;
  const usage = total === undefined ? undefined : { promptTokenCount: total };
  return jsonReply({ ...embeddings, ...defined('usageMetadata', usage) });
}
