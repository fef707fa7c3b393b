/** Reads the chat format's usage object. Anything that is not a plausible count is treated as not reported. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import { pricedTier, type Usage } from '../../conversation/usage.ts';
import { searchCalls } from '../web-search.ts';

const noDetails: Tree = Object.freeze({});

/** What a reply says beside its usage that decides what it costs. */
interface BesideUsage {
  /** The tier that served it. */
  readonly tier?: unknown;
  /** It cites pages of the web. */
  readonly cites?: boolean;
  /** The model that served it. */
  readonly model?: unknown;
}

const nothingBeside: BesideUsage = {};

/** Does a message, or a piece of one, name pages that a search found? */
export function citesPages({ annotations }: Tree): boolean {
  if (!Array.isArray(annotations) || annotations.length === 0) return false;
  return annotations.some((one) => isObject(one) && one['type'] === 'url_citation');
}

/** The same of a whole reply. */
export function besideUsage(reply: Tree): BesideUsage {
  const { choices } = reply;
  let cites = false;
  if (Array.isArray(choices)) {
    for (const one of choices) cites ||= isObject(one) && isObject(one['message']) && citesPages(one['message']);
  }
  return { tier: reply['service_tier'], cites, model: reply['model'] };
}

export function readUsage(
  value: unknown,
  { tier, cites = false, model }: BesideUsage = nothingBeside,
): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = countOf(value['prompt_tokens']);
  const completion = countOf(value['completion_tokens']);
  if (input === undefined || completion === undefined) return undefined;
  const inputDetails = isObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : noDetails;
  const outputDetails = isObject(value['completion_tokens_details']) ? value['completion_tokens_details'] : noDetails;
  const thinking = countOf(outputDetails['reasoning_tokens']) ?? countOf(value['reasoning_tokens']);
  const output = completion + thinkingBeside(value['total_tokens'], input, completion, thinking);
  const cacheRead =
    countOf(inputDetails['cached_tokens']) ??
    countOf(value['prompt_cache_hit_tokens']) ??
    countOf(value['cached_tokens']);
  const cacheWrite = countOf(inputDetails['cache_write_tokens']) ?? countOf(value['cache_creation_input_tokens']);
  const webSearches = searchesIn(value);
  const serviceTier = pricedTier(tier) ?? pricedTier(value['service_tier']);
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    input: {
      total: input,
      cacheRead: atMost(cacheRead, input),
      cacheWrite: atMost(cacheWrite, input),
      audio: atMost(countOf(inputDetails['audio_tokens']), input),
      image: atMost(countOf(inputDetails['image_tokens']), input),
    },
    output: {
      total: output,
      thinking: atMost(thinking, output),
      text: atMost(countOf(outputDetails['text_tokens']), output),
      audio: atMost(countOf(outputDetails['audio_tokens']), output),
      image: atMost(countOf(outputDetails['image_tokens']), output),
    },
  };
  // Set, not spread: this is on the path of every reply.
  if (typeof model === 'string') usage.model = model;
  const isUsual = webSearches === undefined && !cites && serviceTier === undefined;
  if (isUsual && !hasRarer(value, inputDetails, outputDetails)) return usage;
  const costUsd = costOf(value);
  return {
    ...usage,
    input: { ...usage.input, ...rarerInput(value, inputDetails, input) },
    output: { ...usage.output, ...part('video', outputDetails['video_tokens'], output) },
    ...(costUsd !== undefined && { costUsd }),
    ...(webSearches !== undefined && webSearches > 0 && { webSearches }),
    ...(webSearches === undefined && cites && { citesPages: true }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
}

/** Reads only: on the path of every reply, and nearly none has one of them. */
function hasRarer(value: Tree, inputDetails: Tree, outputDetails: Tree): boolean {
  if (
    value['cache_creation'] !== undefined ||
    value['cost'] !== undefined ||
    outputDetails['video_tokens'] !== undefined
  )
    return true;
  if (inputDetails === noDetails) return false;
  const { video_tokens: video, cache_creation: creation, cached_tokens_details: cached } = inputDetails;
  return video !== undefined || creation !== undefined || cached !== undefined;
}

/**
 * What a router states: its own charge, and beside it what the caller's own key at a provider is charged.
 * https://openrouter.ai/docs/use-cases/usage-accounting (read 2026-11-19)
 */
function costOf({ cost, is_byok: ownKey, cost_details: details }: Tree): number | undefined {
  if (typeof cost !== 'number' || !Number.isFinite(cost) || cost < 0) return undefined;
  const upstream = ownKey === true && isObject(details) ? details['upstream_inference_cost'] : undefined;
  return typeof upstream === 'number' && upstream > 0 && Number.isFinite(upstream) ? cost + upstream : cost;
}

/** Classes that few models have: absent, not undefined, so that the usual usage stays as small as it is. */
function rarerInput(value: Tree, details: Tree, input: number): Usage['input'] {
  const cached = isObject(details['cached_tokens_details']) ? details['cached_tokens_details'] : noDetails;
  const creation = details['cache_creation'] ?? value['cache_creation'];
  const hour = isObject(creation) ? creation['ephemeral_1h_input_tokens'] : undefined;
  return {
    ...part('video', details['video_tokens'], input),
    ...part('cacheWrite1h', hour, input),
    ...part('cachedAudio', cached['audio_tokens'], input),
    ...part('cachedImage', cached['image_tokens'], input),
    ...part('cachedVideo', cached['video_tokens'], input),
  };
}

function part<Name extends string>(name: Name, value: unknown, whole: number): { [Key in Name]?: number } {
  const count = countOf(value);
  return count === undefined || count === 0 ? {} : ({ [name]: Math.min(count, whole) } as { [Key in Name]?: number });
}

/**
 * Searches of the web as hosts of this format count them: Perplexity (`num_search_queries`), OpenRouter (`server_tool_use`), xAI
 * (`server_side_tool_usage_details`), Alibaba (`plugins.search`).
 */
function searchesIn(value: Tree): number | undefined {
  const { num_search_queries: queries, server_tool_use: uses, server_side_tool_usage_details: calls, plugins } = value;
  if (queries === undefined && uses === undefined && calls === undefined && plugins === undefined) return undefined;
  const inside = (holder: unknown, name: string): unknown => (isObject(holder) ? holder[name] : undefined);
  return (
    countOf(queries) ??
    countOf(inside(uses, 'web_search_requests')) ??
    searchCalls(calls) ??
    countOf(inside(inside(plugins, 'search'), 'count'))
  );
}

/** Some services count thinking beside the completion, not in it; their total gives it away. */
function thinkingBeside(total: unknown, input: number, completion: number, thinking: number | undefined): number {
  return thinking !== undefined && total === input + completion + thinking ? thinking : 0;
}

function atMost(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : Math.min(part, whole);
}
