/** What must hold of a chat request before anything is spent. Unknown fields are none of our business: they pass. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { askedBounds, outputFacts } from '../asked-bounds.ts';
import type { RequestFacts, Tree } from '../format.ts';

const candidatesMax = 128;
const outputTokensCeiling = 100_000_000;
/** More than any provider counts for one image; a picture's base64 length says nothing about its tokens. */
const imageTokensMax = 8_192;

export function check(tree: Tree, bodyBytes: number): RequestFacts {
  const model = tree['model'];
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must be a non-empty string');
  checkMessages(tree['messages']);
  const stream = tree['stream'] ?? false;
  if (typeof stream !== 'boolean') throw invalid('stream', 'must be true or false');
  if (tree['stream_options'] !== undefined && tree['stream_options'] !== null && !isObject(tree['stream_options'])) {
    throw invalid('stream_options', 'must be an object');
  }
  for (const name of ['tools', 'functions'] as const) {
    if (tree[name] !== undefined && tree[name] !== null && !Array.isArray(tree[name]))
      throw invalid(name, 'must be an array');
  }
  for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const) {
    const value = tree[name] ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(name, 'must be a number');
  }
  const temperature = tree['temperature'];
  if (typeof temperature === 'number' && temperature < 0) throw invalid('temperature', 'must not be negative');
  const candidates = whole(tree, 'n', candidatesMax) ?? 1;
  const older = whole(tree, 'max_tokens', outputTokensCeiling);
  const outputTokens = whole(tree, 'max_completion_tokens', outputTokensCeiling) ?? older;
  const output = outputFacts(askedBounds(tree), { outputTokens, candidates });
  return { model, stream, ...output, inputTokensMax: inputBound(tree, bodyBytes) };
}

function checkMessages(messages: unknown): void {
  if (messages === undefined) throw missing('messages', 'Send the conversation as an array of messages.');
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages', 'must be a non-empty array');
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message)) throw invalid(`messages[${index}]`, 'must be an object');
    if (message['role'] === undefined) throw missing(`messages[${index}].role`, 'Each message has a role.');
    if (typeof message['role'] !== 'string' || message['role'] === '') {
      throw invalid(`messages[${index}].role`, 'must be a non-empty string');
    }
    const content = message['content'];
    if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content)) {
      throw invalid(`messages[${index}].content`, 'must be a string or an array of parts');
    }
  }
}

/** A token is at least one byte of the body, so the body's length is a ceiling; inline media count by their kind instead. */
function inputBound(tree: Tree, bodyBytes: number): number {
  let bound = bodyBytes;
  for (const message of tree['messages'] as readonly Record<string, unknown>[]) {
    const content = message['content'];
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const image: unknown = isObject(part) ? part['image_url'] : undefined;
      const url: unknown = isObject(image) ? image['url'] : image;
      if (typeof url !== 'string') continue;
      bound += imageTokensMax;
      if (url.startsWith('data:')) bound -= url.length;
    }
  }
  return Math.max(bound, 1);
}

export function whole(tree: Tree, name: string, most: number, least = 1): number | undefined {
  const value = tree[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(name, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

export function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

export function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
