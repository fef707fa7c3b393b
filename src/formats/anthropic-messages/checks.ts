/** What must hold of a messages request before anything is spent. Unknown fields pass unchecked. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { askedBounds, outputFacts } from '../asked-bounds.ts';
import { ImagesIn } from '../fields/images-in.ts';
import { toolTokens } from '../fields/tool-tokens.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { type HostedTools, hostedTools, inputFacts, isWebSearch } from '../unbounded-input.ts';
import { isOwnTool } from './fields.ts';
import { regionalPercent } from './usage.ts';

const outputTokensCeiling = 100_000_000;
/** A document given by URL or id only: a hundred pages at the usual worst. */
const distantDocumentTokensMax = 200_000;

/** The original service ends a turn after so many rounds of its own tools. */
const iterationsMax = 10;

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

export function check(tree: Tree, bodyBytes: number): RequestFacts {
  const { model, inputTokensMax, inputUnbounded, images } = checkConversation(tree, bodyBytes);
  const stream = tree.stream ?? false;
  if (typeof stream !== 'boolean') throw invalid('stream', 'must be true or false');
  if (tree.max_tokens === undefined) throw missing('max_tokens', 'The format requires a limit for the reply.');
  const limit = tree.max_tokens;
  if (!isWhole(limit, 1, outputTokensCeiling)) {
    throw invalid('max_tokens', `must be a whole number from 1 to ${outputTokensCeiling}`);
  }
  for (const name of ['temperature', 'top_p'] as const) {
    const value = tree[name] ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(name, 'must be a number');
    if (value < 0) throw invalid(name, 'must not be negative');
  }
  if (!isWhole(tree.top_k ?? 0, 0, Number.MAX_SAFE_INTEGER)) throw invalid('top_k', 'must be a whole number');
  const stops = tree.stop_sequences ?? [];
  if (!Array.isArray(stops) || !stops.every((stop) => typeof stop === 'string')) {
    throw invalid('stop_sequences', 'must be an array of strings');
  }
  if (tree.metadata !== undefined && tree.metadata !== null && !isObject(tree.metadata)) {
    throw invalid('metadata', 'must be an object');
  }
  const asked = askedBounds(tree);
  const hosted = hostedTools(tree.tools, isOwnTool, isWebSearch, 'max_uses');
  const brought = asked.reference ?? hosted?.path;
  return {
    model,
    stream,
    ...outputFacts(asked, { outputTokens: limit, candidates: 1 }),
    inputTokensMax,
    images,
    ...inputFacts(
      inputUnbounded ?? brought,
      brought === undefined ? 1 : readsOf(asked.reference, hosted),
      hosted?.searchesMax,
    ),
    ...(tree.service_tier === 'standard_only' && !asked.speeds && { neverPriority: true }),
    ...(tree.inference_geo !== undefined && tree.inference_geo !== null && { surchargePercent: regionalPercent }),
  };
}

/** A reference may be tools without a limit of their own (`mcp_servers`). */
function readsOf(reference: string | undefined, hosted: HostedTools | undefined): number {
  if (reference !== undefined || hosted?.usesMax === undefined) return iterationsMax;
  return Math.min(1 + hosted.usesMax, iterationsMax);
}

/** What a request to count its tokens shares with one to answer it. */
export function checkConversation(
  tree: Tree,
  bodyBytes: number,
): Pick<RequestFacts, 'model' | 'inputTokensMax' | 'images'> & { readonly inputUnbounded: string | undefined } {
  const { model } = tree;
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must be a non-empty string');
  const bound = new InputBound(bodyBytes);
  checkMessages(tree.messages, bound);
  const system = tree.system ?? '';
  if (typeof system !== 'string') checkBlocks(system, 'system', bound);
  if (!Array.isArray(tree.tools ?? [])) throw invalid('tools', 'must be an array');
  for (const [index, tool] of ((tree.tools ?? []) as unknown[]).entries()) {
    if (!isObject(tool)) throw invalid(`tools[${index}]`, 'must be an object');
  }
  for (const name of ['tool_choice', 'thinking', 'output_config'] as const) {
    if (!isObject(tree[name] ?? {})) throw invalid(name, 'must be an object');
  }
  const inputTokensMax = Math.max(bound.tokens + toolTokens(tree.tools), 1);
  return { model, inputTokensMax, images: bound.images.count || undefined, inputUnbounded: bound.unbounded };
}

function checkMessages(messages: unknown, bound: InputBound): void {
  if (messages === undefined) throw missing('messages', 'Send the conversation as an array of messages.');
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages', 'must be a non-empty array');
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (!isObject(message)) throw invalid(`messages[${index}]`, 'must be an object');
    if (message.role === undefined) throw missing(`messages[${index}].role`, 'Each message has a role.');
    if (!roles.has(message.role)) {
      throw invalid(`messages[${index}].role`, 'must be `user`, `assistant` or `system`');
    }
    const content = message.content;
    if (typeof content === 'string') continue;
    if (content === undefined) throw missing(`messages[${index}].content`, 'Each message has content.');
    checkBlocks(content, `messages[${index}].content`, bound);
  }
}

function checkBlocks(blocks: unknown, path: string, bound: InputBound): void {
  if (!Array.isArray(blocks)) throw invalid(path, 'must be a string or an array of blocks');
  for (let index = 0; index < blocks.length; index++) {
    const block: unknown = blocks[index];
    if (!isObject(block)) throw invalid(`${path}[${index}]`, 'must be an object');
    if (typeof block.type !== 'string') throw invalid(`${path}[${index}].type`, 'must be a string');
    bound.see(block, `${path}[${index}]`);
  }
}

/** Blocks that name a file at the provider. */
const storedBlocks: ReadonlySet<unknown> = new Set(['container_upload']);

/** A token is at least one byte of the body, so the body's length is a ceiling; media count by their kind instead. */
class InputBound {
  readonly images = new ImagesIn();
  #tokens: number;
  unbounded: string | undefined;

  constructor(bodyBytes: number) {
    this.#tokens = bodyBytes;
  }

  see(block: Tree, path: string): void {
    const { type } = block;
    if (type === 'tool_result') this.#seeAll(block.content, path);
    if (storedBlocks.has(type)) this.unbounded ??= path;
    if ((type !== 'image' && type !== 'document') || !isObject(block.source)) return;
    const { type: kind, data } = block.source;
    if (kind === 'content') this.#seeAll(block.source.content, path);
    if (type === 'image') {
      const mediaType = block.source.media_type;
      if (kind !== 'base64' || typeof data !== 'string') this.images.addUrl(urlOf(block.source), path);
      else this.images.add(typeof mediaType === 'string' ? mediaType : '', data, `${path}.source`);
    } else if (kind !== 'text' && kind !== 'content') {
      // Pages are compressed, and each is read as an image too: neither bytes nor a URL tell how many tokens they are.
      this.unbounded ??= path;
      if (kind !== 'base64') this.#tokens += distantDocumentTokensMax;
    }
  }

  /** Blocks within a block, whatever holds them. */
  #seeAll(blocks: unknown, path: string): void {
    if (!Array.isArray(blocks)) return;
    for (const inner of blocks) if (isObject(inner)) this.see(inner, path);
  }

  get tokens(): number {
    return this.#tokens + this.images.surplus;
  }
}

function urlOf({ url }: Tree): string | undefined {
  return typeof url === 'string' ? url : undefined;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
