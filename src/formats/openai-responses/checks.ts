/** What must hold of a responses request before anything is spent. Unknown fields pass unchecked. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { type AskedBounds, askedBounds, outputFacts } from '../asked-bounds.ts';
import { ImagesIn } from '../fields/images-in.ts';
import { toolTokens } from '../fields/tool-tokens.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { hostedTools, inputFacts, isWebSearch, toolReadsAssumed } from '../unbounded-input.ts';
import { isOwnTool } from './fields.ts';

const outputTokensCeiling = 100_000_000;
const toolCallsCeiling = 1_000_000;
const alternativesMax = 20;

const kinds = {
  boolean: { fields: ['stream', 'parallel_tool_calls', 'store', 'background'], rule: 'must be true or false' },
  string: {
    fields: ['instructions', 'previous_response_id', 'user', 'safety_identifier', 'prompt_cache_key', 'service_tier'],
    rule: 'must be a string',
  },
  number: {
    fields: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
    rule: 'must be a number',
  },
} as const;

export function check(tree: Tree, bodyBytes: number): RequestFacts {
  const { model } = tree;
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must be a non-empty string');
  checkKinds(tree);
  for (const name of ['text', 'reasoning', 'metadata', 'stream_options'] as const) {
    if (given(tree, name) && !isObject(tree[name])) throw invalid(name, 'must be an object');
  }
  for (const name of ['tools', 'include'] as const) {
    if (given(tree, name) && !Array.isArray(tree[name])) throw invalid(name, 'must be an array');
  }
  checkInput(tree);
  const toolCalls = whole(tree, 'max_tool_calls', 1, toolCallsCeiling);
  const asked = askedBounds(tree);
  whole(tree, 'top_logprobs', 0, alternativesMax);
  return {
    model,
    stream: tree['stream'] === true,
    ...outputFacts(asked, {
      outputTokens: whole(tree, 'max_output_tokens', 1, outputTokensCeiling),
      candidates: 1,
    }),
    ...boundInput(tree, bodyBytes, asked, toolCalls),
    ...(tree['background'] === true && { runsOn: true }),
    ...(refusesPriority(tree['service_tier']) && !asked.speeds && { neverPriority: true }),
  };
}

function refusesPriority(tier: unknown): boolean {
  return tier === 'default' || tier === 'flex';
}

function checkKinds(tree: Tree): void {
  for (const [kind, { fields, rule }] of Object.entries(kinds)) {
    for (const name of fields) {
      if (given(tree, name) && typeof tree[name] !== kind) throw invalid(name, rule);
    }
  }
  for (const name of ['temperature', 'top_p'] as const) {
    const value = tree[name];
    if (typeof value === 'number' && value < 0) throw invalid(name, 'must not be negative');
  }
}

/** The input may be omitted if another field says what to answer. */
function checkInput(tree: Tree): void {
  const { input } = tree;
  const otherwise = ['previous_response_id', 'prompt', 'conversation'].some((name) => given(tree, name));
  if (input === undefined || input === null) {
    if (otherwise) return;
    throw missing('input', 'Send a text, or the conversation as an array of items.');
  }
  if (typeof input !== 'string' && !Array.isArray(input))
    throw invalid('input', 'must be a string or an array of items');
  if (input.length === 0 && !otherwise) throw invalid('input', 'must not be empty');
  if (typeof input === 'string') return;
  for (let index = 0; index < input.length; index++) checkItem(input[index], `input[${index}]`);
}

function checkItem(item: unknown, path: string): void {
  if (!isObject(item)) throw invalid(path, 'must be an object');
  const { type, content } = item;
  if (type !== undefined && typeof type !== 'string') throw invalid(`${path}.type`, 'must be a string');
  if (type !== undefined && type !== 'message') return;
  if (item['role'] === undefined) throw missing(`${path}.role`, 'Each message has a role.');
  if (typeof item['role'] !== 'string' || item['role'] === '') {
    throw invalid(`${path}.role`, 'must be a non-empty string');
  }
  if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content)) {
    throw invalid(`${path}.content`, 'must be a string or an array of parts');
  }
}

/** Parts whose tokens their bytes bound, and images, which count by their number. */
const boundedParts: ReadonlySet<unknown> = new Set([
  undefined,
  'input_text',
  'output_text',
  'text',
  'refusal',
  'summary_text',
  'reasoning_text',
  'input_image',
  'computer_screenshot',
]);

type InputFacts = Pick<
  RequestFacts,
  'images' | 'inputTokensMax' | 'inputUnbounded' | 'contextReadsMax' | 'webSearchesMax'
>;

/**
 * A token is at least one byte of the body, so the body's length is a ceiling; inline images count by their number
 * instead.
 */
function boundInput(tree: Tree, bodyBytes: number, asked: AskedBounds, toolCalls: number | undefined): InputFacts {
  const hosted = hostedTools(toolsIn(tree), isOwnTool, isWebSearch);
  const reads = hosted === undefined ? 1 : toolCalls === undefined ? toolReadsAssumed : 1 + toolCalls;
  const brought = asked.reference ?? hosted?.path;
  const searches = hosted?.searchesMax === undefined ? undefined : (toolCalls ?? hosted.searchesMax);
  const { input } = tree;
  const own = bodyBytes + toolTokens(toolsIn(tree));
  if (!Array.isArray(input)) return { inputTokensMax: Math.max(own, 1), ...inputFacts(brought, reads, searches) };
  const images = new ImagesIn();
  let unbounded = brought;
  for (let index = 0; index < input.length; index++) {
    const item = input[index] as Tree;
    if (item['type'] === 'item_reference') unbounded ??= `input[${index}]`;
    for (const field of ['content', 'output'] as const) {
      const given = item[field];
      for (const part of Array.isArray(given) ? given : [given]) {
        if (!isObject(part)) continue;
        if (!boundedParts.has(part['type'])) unbounded ??= `input[${index}].${field}`;
        if (part['type'] !== 'input_image' && part['type'] !== 'computer_screenshot') continue;
        const url = part['image_url'];
        images.addUrl(typeof url === 'string' ? url : undefined, `input[${index}].${field}`);
      }
    }
  }
  return {
    inputTokensMax: Math.max(own + images.surplus, 1),
    ...(images.count > 0 && { images: images.count }),
    ...inputFacts(unbounded, reads, searches),
  };
}

/** Those of the request, and those that its input brings along. */
function toolsIn({ tools, input }: Tree): unknown {
  if (!Array.isArray(input)) return tools;
  let all: unknown[] | undefined;
  for (const item of input) {
    if (!isObject(item) || !Array.isArray(item['tools'])) continue;
    all ??= [];
    all.push(...item['tools']);
  }
  if (all === undefined) return tools;
  return Array.isArray(tools) ? [...tools, ...all] : all;
}

function given(tree: Tree, name: string): boolean {
  return tree[name] !== undefined && tree[name] !== null;
}

function whole(tree: Tree, name: string, least: number, most: number): number | undefined {
  if (!given(tree, name)) return undefined;
  const value = tree[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(name, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
