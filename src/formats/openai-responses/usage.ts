/** Reads and writes the responses format's usage object. Anything that is not a plausible count is treated as not reported. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import { pricedTier, type Usage } from '../../conversation/usage.ts';
import { searchCalls } from '../web-search.ts';
import { list } from './wire.ts';

const noDetails: Tree = Object.freeze({});

/** The usage of a whole response: its usage object and other fields. `seen` are searches that a stream reported. */
export function usageOf(response: Tree, seen = 0): Usage | undefined {
  const usage = readUsage(response['usage']);
  if (usage === undefined) return undefined;
  const webSearches = searchesIn(response, seen);
  const serviceTier = pricedTier(response['service_tier']);
  const { model } = response;
  const toolCalls = toolCallsIn(response);
  return {
    ...usage,
    ...(typeof model === 'string' && { model }),
    ...(webSearches > 0 && { webSearches }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(toolCalls !== undefined && { toolCalls }),
  };
}

/** Items of the output that are calls of the provider's own tools; searches are counted with them elsewhere. */
const billedCalls: Readonly<Record<string, string>> = {
  image_generation_call: 'image_generation',
  code_interpreter_call: 'code_interpreter',
  file_search_call: 'file_search',
  shell_call: 'shell',
};

/** A session of the interpreter is billed once, however often the model returns to it. */
function toolCallsIn(response: Tree): Readonly<Record<string, number>> | undefined {
  let calls: Record<string, number> | undefined;
  const containers = new Set<unknown>();
  for (const item of list(response['output'])) {
    const name = isObject(item) && typeof item['type'] === 'string' ? billedCallName(item['type']) : undefined;
    if (name === undefined || !isObject(item)) continue;
    const container = item['container_id'];
    if (container !== undefined && containers.has(container)) continue;
    containers.add(container ?? item);
    calls ??= {};
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return calls;
}

/** Calls of tools that are not known yet count under their own name. */
function billedCallName(type: string): string | undefined {
  if (!type.endsWith('_call') || callersCalls.has(type)) return undefined;
  return billedCalls[type] ?? type.slice(0, -5);
}

const callersCalls: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'web_search_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_call',
  'tool_search_call',
]);

/** Counted by the provider, or by the calls in the output: only a search costs, opening a page that it found does not. */
function searchesIn(response: Tree, seen: number): number {
  const { usage, tool_usage: tools } = response;
  const byHost = isObject(usage) ? searchCalls(usage['server_side_tool_usage_details']) : undefined;
  const byService =
    isObject(tools) && isObject(tools['web_search']) ? countOf(tools['web_search']['num_requests']) : undefined;
  const counted = byHost ?? byService;
  if (counted !== undefined) return counted;
  let calls = 0;
  for (const item of list(response['output'])) if (isObject(item) && isSearch(item)) calls += 1;
  return Math.max(calls, seen);
}

export function isSearch({ type, action }: Tree): boolean {
  return (
    type === 'web_search_call' && (!isObject(action) || action['type'] === undefined || action['type'] === 'search')
  );
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = countOf(value['input_tokens']);
  const output = countOf(value['output_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const read = isObject(value['input_tokens_details']) ? value['input_tokens_details'] : noDetails;
  const written = isObject(value['output_tokens_details']) ? value['output_tokens_details'] : noDetails;
  return {
    input: {
      total: input,
      ...within('cacheRead', read['cached_tokens'], input),
      ...within('cacheWrite', read['cache_write_tokens'], input),
      ...within('audio', read['audio_tokens'], input),
      ...within('image', read['image_tokens'], input),
      ...within('video', read['video_tokens'], input),
      ...cachedParts(read['cached_tokens_details'], input),
    },
    output: {
      total: output,
      ...within('thinking', written['reasoning_tokens'], output),
      ...within('audio', written['audio_tokens'], output),
      ...within('image', written['image_tokens'], output),
      ...within('video', written['video_tokens'], output),
      ...within('text', written['text_tokens'], output),
    },
  };
}

function cachedParts(details: unknown, input: number): Usage['input'] {
  if (!isObject(details)) return {};
  return {
    ...within('cachedAudio', details['audio_tokens'], input),
    ...within('cachedImage', details['image_tokens'], input),
  };
}

function within<Name extends string>(name: Name, value: unknown, whole: number): { [Key in Name]?: number } {
  const count = countOf(value);
  return count === undefined ? {} : ({ [name]: Math.min(count, whole) } as { [Key in Name]?: number });
}

/** Undefined where nothing is known. The details are required by the format, so an unknown class of a known whole is 0. */
export function writeUsage({ input, output }: Usage): object | undefined {
  if (input.total === undefined && output.total === undefined) return undefined;
  const read = input.total ?? 0;
  const written = output.total ?? 0;
  return {
    input_tokens: read,
    input_tokens_details: {
      cached_tokens: input.cacheRead ?? 0,
      cache_write_tokens: input.cacheWrite ?? 0,
      ...known('audio_tokens', input.audio),
      ...known('image_tokens', input.image),
      ...known('video_tokens', input.video),
    },
    output_tokens: written,
    output_tokens_details: {
      reasoning_tokens: output.thinking ?? 0,
      ...known('audio_tokens', output.audio),
      ...known('image_tokens', output.image),
      ...known('video_tokens', output.video),
      ...known('text_tokens', output.text),
    },
    total_tokens: read + written,
  };
}

function known(name: string, count: number | undefined): Tree {
  return count === undefined ? noDetails : { [name]: count };
}

/** A reply that has only begun: the format's strict readers require the object, and nothing has been counted yet. */
export const usageAtStart = Object.freeze(writeUsage({ input: { total: 0 }, output: { total: 0 } }) ?? {});
