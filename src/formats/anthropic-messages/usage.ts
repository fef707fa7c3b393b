/** The messages format's usage object, whose input count leaves out the cached tokens that the neutral one includes. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import { pricedTier, type Usage } from '../../conversation/usage.ts';
import { hostedToolName } from '../fields/hosted-tools.ts';
import { unknownFields } from './wire.ts';

/**
 * Undefined where neither side is a plausible count. The counts of a compaction are beside those of the reply, and
 * billed like them.
 */
export function readUsage(value: unknown, model?: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const beside = compactionsIn(value.iterations);
  const fresh = sum(countOf(value.input_tokens), beside?.input_tokens);
  const output = sum(countOf(value.output_tokens), beside?.output_tokens);
  if (fresh === undefined && output === undefined) return undefined;
  const cacheRead = sum(countOf(value.cache_read_input_tokens), beside?.cache_read_input_tokens);
  const cacheWrite = sum(countOf(value.cache_creation_input_tokens), beside?.cache_creation_input_tokens);
  const cacheWrite1h = sum(hourWrites(value.cache_creation), beside?.hourWrites);
  const details = value.output_tokens_details;
  const thinking = isObject(details) ? countOf(details.thinking_tokens) : undefined;
  const webSearches = searchesIn(value.server_tool_use);
  const serviceTier = tierOf(value);
  const others = othersIn(value.iterations);
  const toolCalls = toolCallsIn(value.server_tool_use);
  const served = others.served ?? model;
  return {
    input:
      fresh === undefined
        ? {}
        : {
            total: fresh + (cacheRead ?? 0) + (cacheWrite ?? 0),
            fresh,
            ...(cacheRead !== undefined && { cacheRead }),
            ...(cacheWrite !== undefined && { cacheWrite }),
            ...(cacheWrite1h !== undefined && cacheWrite1h > 0 && { cacheWrite1h }),
          },
    output: output === undefined ? {} : { total: output, ...(thinking !== undefined && { thinking }) },
    ...(webSearches !== undefined && webSearches > 0 && { webSearches }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(typeof served === 'string' && { model: served }),
    ...(others.beside.length > 0 && { beside: others.beside }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(value.inference_geo === 'us' && { surchargePercent: regionalPercent }),
  };
}

/** Inference in the United States alone costs a tenth more: https://docs.anthropic.com/en/api/data-residency (read 2026-11-19). */
export const regionalPercent = 10;

interface OtherModels {
  /** The model that wrote the reply where another one refused it. */
  readonly served: string | undefined;
  /** What other models used whose counts those of the reply leave out. */
  readonly beside: readonly Usage[];
}

/** What the counts of the reply hold, or `compactionsIn` adds to them. */
const ownIterations: ReadonlySet<unknown> = new Set(['message', 'compaction']);
const noOthers: OtherModels = { served: undefined, beside: [] };

/**
 * Each iteration names its model. Those of an adviser are billed beside the reply at the adviser's price; the last
 * `fallback_message` is what the reply's counts are of; an attempt before it was billed where it wrote something.
 */
function othersIn(iterations: unknown): OtherModels {
  if (!Array.isArray(iterations)) return noOthers;
  let served: string | undefined;
  const beside: Usage[] = [];
  for (const one of iterations) {
    if (!isObject(one) || typeof one.model !== 'string') continue;
    if (one.type === 'fallback_message') served = one.model;
    else if (!ownIterations.has(one.type)) beside.push(...(iterationUsage(one) ?? []));
  }
  if (served === undefined && beside.length === 0) return noOthers;
  for (const one of served === undefined ? [] : iterations) {
    const isRefused =
      isObject(one) && one.type === 'message' && one.model !== served && (countOf(one.output_tokens) ?? 0) > 0;
    if (isRefused) beside.push(...(iterationUsage(one) ?? []));
  }
  return { served, beside };
}

function iterationUsage(one: Tree): readonly Usage[] | undefined {
  const usage = readUsage({ ...one, iterations: undefined }, one.model);
  return usage === undefined ? undefined : [usage];
}

/** Calls of further tools that the service counts; fetching a page costs its tokens alone, and searches are counted apart. */
function toolCallsIn(uses: unknown): Readonly<Record<string, number>> | undefined {
  if (!isObject(uses)) return undefined;
  const calls = Object.entries(uses).flatMap(([key, value]) => {
    const count = countOf(value) ?? 0;
    const name = hostedToolName(key.replace(/_requests$/, ''));
    return count === 0 || name === 'web_search' || name === 'web_fetch' ? [] : [[name, count] as const];
  });
  return calls.length === 0 ? undefined : Object.fromEntries(calls);
}

function hourWrites(creation: unknown): number | undefined {
  return isObject(creation) ? countOf(creation.ephemeral_1h_input_tokens) : undefined;
}

/** Fetching a page costs its tokens alone. */
function searchesIn(uses: unknown): number | undefined {
  return isObject(uses) ? countOf(uses.web_search_requests) : undefined;
}

/** A faster mode is reported beside the tier, and costs more than any. */
function tierOf({ service_tier: tier, speed }: Tree): Usage['serviceTier'] {
  return pricedTier(speed) ?? pricedTier(tier);
}

interface CompactionCounts {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly hourWrites: number;
}

/**
 * What summaries of a conversation that grew too long used: the only iterations of this model that the counts of the reply leave
 * out. Those of an advising model have another price. https://docs.anthropic.com/en/api/messages (read 2026-11-15)
 */
function compactionsIn(iterations: unknown): CompactionCounts | undefined {
  if (!Array.isArray(iterations)) return undefined;
  const compactions = iterations.filter((one) => isObject(one) && one.type === 'compaction');
  if (compactions.length === 0) return undefined;
  const of = (name: string): number => compactions.reduce((total, one) => total + (countOf(one[name]) ?? 0), 0);
  return {
    input_tokens: of('input_tokens'),
    output_tokens: of('output_tokens'),
    cache_read_input_tokens: of('cache_read_input_tokens'),
    cache_creation_input_tokens: of('cache_creation_input_tokens'),
    hourWrites: compactions.reduce((total, one) => total + (hourWrites(one.cache_creation) ?? 0), 0),
  };
}

function sum(count: number | undefined, beside: number | undefined): number | undefined {
  return beside === undefined || beside === 0 ? count : (count ?? 0) + beside;
}

/** A stream reports twice, the second time without some counts or with placeholders: no count ever shrinks. */
export function largerUsage(before: Usage, later: Usage): Usage {
  const fresh = larger(before.input.fresh, later.input.fresh);
  const cacheRead = larger(before.input.cacheRead, later.input.cacheRead);
  const cacheWrite = larger(before.input.cacheWrite, later.input.cacheWrite);
  const cacheWrite1h = larger(before.input.cacheWrite1h, later.input.cacheWrite1h);
  const output = larger(before.output.total, later.output.total);
  const thinking = larger(before.output.thinking, later.output.thinking);
  const webSearches = larger(before.webSearches, later.webSearches);
  const serviceTier = later.serviceTier ?? before.serviceTier;
  const { model = before.model, beside = before.beside, toolCalls = before.toolCalls } = later;
  const surchargePercent = later.surchargePercent ?? before.surchargePercent;
  return {
    input: {
      ...(fresh !== undefined && { total: fresh + (cacheRead ?? 0) + (cacheWrite ?? 0), fresh }),
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
      ...(cacheWrite1h !== undefined && { cacheWrite1h }),
    },
    output: { ...(output !== undefined && { total: output }), ...(thinking !== undefined && { thinking }) },
    ...(webSearches !== undefined && { webSearches }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(model !== undefined && { model }),
    ...(beside !== undefined && { beside }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(surchargePercent !== undefined && { surchargePercent }),
  };
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : Math.max(one, other);
}

interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly [name: string]: unknown;
}

/**
 * The format demands these counts, so what is unknown becomes zero here and nowhere else. `beside` is what a provider of this
 * format counted beside tokens: where it lists compactions, the counts of the reply leave them out.
 */
export function writeUsage({ input, output, webSearches }: Usage, beside?: unknown): WireUsage {
  const cached = (input.cacheRead ?? 0) + (input.cacheWrite ?? 0);
  const apart = isObject(beside) ? compactionsIn(beside.iterations) : undefined;
  const fresh = input.fresh ?? (input.total ?? 0) - cached;
  return {
    input_tokens: rest(fresh, apart?.input_tokens),
    cache_creation_input_tokens: rest(input.cacheWrite ?? 0, apart?.cache_creation_input_tokens),
    cache_read_input_tokens: rest(input.cacheRead ?? 0, apart?.cache_read_input_tokens),
    output_tokens: rest(output.total ?? 0, apart?.output_tokens),
    ...writeLifetimes(input, apart),
    ...writeSearches(webSearches, beside),
    ...(output.thinking !== undefined && { output_tokens_details: { thinking_tokens: output.thinking } }),
  };
}

/** The lifetime of cached tokens is written if some are kept for longer than usual. */
function writeLifetimes(input: Usage['input'], apart: CompactionCounts | undefined): Tree {
  if (input.cacheWrite1h === undefined) return {};
  const hour = rest(input.cacheWrite1h, apart?.hourWrites);
  const written = rest(input.cacheWrite ?? 0, apart?.cache_creation_input_tokens);
  return { cache_creation: { ephemeral_5m_input_tokens: rest(written, hour), ephemeral_1h_input_tokens: hour } };
}

/** Pages that a provider of this format fetched are reported with the searches. */
function writeSearches(searches: number | undefined, beside: unknown): Tree {
  if (searches === undefined) return {};
  const uses =
    isObject(beside) && isObject(beside.server_tool_use) ? beside.server_tool_use : { web_fetch_requests: 0 };
  return { server_tool_use: { ...uses, web_search_requests: searches } };
}

function rest(count: number, apart = 0): number {
  return Math.max(0, count - apart);
}

/** The region that served the model concerns the operator and is in every reply: not worth a loss. */
const carriedFields: ReadonlySet<string> = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
  'service_tier',
  'inference_geo',
]);

/** What a provider counts beside tokens (searches, iterations, cache lifetimes), without empty values. */
export function usageBeside(value: unknown): Tree | undefined {
  if (!isObject(value)) return undefined;
  const fields = unknownFields(value, carriedFields);
  if (fields === undefined) return undefined;
  for (const name of Object.keys(fields)) if (saysNothing(fields[name])) delete fields[name];
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function saysNothing(value: unknown): boolean {
  if (value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((member) => member === null || saysNothing(member));
}
