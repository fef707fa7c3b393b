/** What must hold of a chat request before anything is spent. Unknown fields pass unchecked. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { type AskedBounds, askedBounds, outputFacts } from '../asked-bounds.ts';
import { ImagesIn } from '../fields/images-in.ts';
import { toolTokens } from '../fields/tool-tokens.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { asksForSearch, hostedTools, isWebSearch, searchesAssumed, searchReads } from '../unbounded-input.ts';
import { isOwnTool } from './fields.ts';

const candidatesMax = 128;
const outputTokensCeiling = 100_000_000;

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
  const asked = askedBounds(tree);
  const output = outputFacts(asked, { outputTokens, candidates });
  const input = checkInput(tree, bodyBytes, asked);
  // Field by field: this is the most frequent request, and spreads cost more than the checks above.
  return {
    model,
    stream,
    candidates: output.candidates,
    outputTokensMax: output.outputTokensMax,
    outputTokensOther: output.outputTokensOther,
    thinkingTokensMax: output.thinkingTokensMax,
    limitHomes: output.limitHomes,
    inputTokensMax: Math.max(input.tokens, 1),
    images: input.images,
    inputUnbounded: input.unbounded,
    contextReadsMax: input.reads > 1 ? input.reads : undefined,
    webSearchesMax: input.searches,
    neverPriority: (refusesPriority(tree['service_tier']) && !asked.speeds) || undefined,
  };
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

/** Parts whose tokens their bytes bound, and images, which count by their number. */
const boundedParts: ReadonlySet<unknown> = new Set([
  undefined,
  'text',
  'input_text',
  'output_text',
  'refusal',
  'thinking',
  'image_url',
  'input_image',
  'image',
]);
const imageParts: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image']);

/** What bounds the input, as `inputFacts` is given it elsewhere. */
interface InputChecked {
  readonly tokens: number;
  readonly images: number | undefined;
  readonly unbounded: string | undefined;
  readonly reads: number;
  readonly searches: number | undefined;
}

function checkInput(tree: Tree, bodyBytes: number, { reference }: AskedBounds): InputChecked {
  const bound = new InputBound(bodyBytes);
  const messages = tree['messages'] as readonly Tree[];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (Array.isArray(message['content'])) bound.see(message['content'], `messages[${index}].content`);
    // An audio reply that the provider keeps.
    if (isObject(message['audio'])) bound.unbounded ??= `messages[${index}].audio`;
  }
  const hosted = hostedTools(tree['tools'], isOwnTool, isWebSearch);
  const brought = reference ?? hosted?.path;
  return {
    tokens: bound.tokens + toolTokens(tree['tools']),
    images: bound.images.count || undefined,
    unbounded: bound.unbounded ?? brought,
    reads: brought === undefined ? 1 : searchReads,
    searches: asksForSearch(reference) ? searchesAssumed : (hosted?.searchesMax ?? searchesUnasked(tree['model'])),
  };
}

/** Models named after their search run it once before they answer, whether the request asks for it or not. */
function searchesUnasked(model: unknown): number | undefined {
  return typeof model === 'string' && model.includes('search') ? 1 : undefined;
}

export function refusesPriority(tier: unknown): boolean {
  return tier === 'default' || tier === 'flex';
}

/** A token is at least one byte of the body, so the body's length is a ceiling; inline images count by their number instead. */
class InputBound {
  readonly images = new ImagesIn();
  unbounded: string | undefined;
  readonly #bodyBytes: number;

  constructor(bodyBytes: number) {
    this.#bodyBytes = bodyBytes;
  }

  get tokens(): number {
    return this.#bodyBytes + this.images.surplus;
  }

  see(parts: readonly unknown[], path: string): void {
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (!isObject(part)) continue;
      const { type } = part;
      if (!boundedParts.has(type)) this.unbounded ??= `${path}[${index}]`;
      const image: unknown = part['image_url'];
      const url: unknown = isObject(image) ? image['url'] : image;
      if (typeof url === 'string') this.images.addUrl(url, `${path}[${index}].image_url`);
      else if (imageParts.has(type)) this.images.addUrl(undefined, `${path}[${index}]`);
    }
  }
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
