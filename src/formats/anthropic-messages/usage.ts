/** The messages format's usage object, whose input count leaves out the cached tokens that the neutral one includes. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Usage } from '../../conversation/usage.ts';
import { unknownFields } from './wire.ts';

/** Undefined where neither side is a plausible count. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const fresh = countOf(value.input_tokens);
  const output = countOf(value.output_tokens);
  if (fresh === undefined && output === undefined) return undefined;
  const cacheRead = countOf(value.cache_read_input_tokens);
  const cacheWrite = countOf(value.cache_creation_input_tokens);
  const details = value.output_tokens_details;
  const thinking = isObject(details) ? countOf(details.thinking_tokens) : undefined;
  return {
    input:
      fresh === undefined
        ? {}
        : {
            total: fresh + (cacheRead ?? 0) + (cacheWrite ?? 0),
            fresh,
            ...(cacheRead !== undefined && { cacheRead }),
            ...(cacheWrite !== undefined && { cacheWrite }),
          },
    output: output === undefined ? {} : { total: output, ...(thinking !== undefined && { thinking }) },
  };
}

/** A stream reports twice, the second time without some counts or with placeholders: no count ever shrinks. */
export function largerUsage(before: Usage, later: Usage): Usage {
  const fresh = larger(before.input.fresh, later.input.fresh);
  const cacheRead = larger(before.input.cacheRead, later.input.cacheRead);
  const cacheWrite = larger(before.input.cacheWrite, later.input.cacheWrite);
  const output = larger(before.output.total, later.output.total);
  const thinking = larger(before.output.thinking, later.output.thinking);
  return {
    input: {
      ...(fresh !== undefined && { total: fresh + (cacheRead ?? 0) + (cacheWrite ?? 0), fresh }),
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
    output: { ...(output !== undefined && { total: output }), ...(thinking !== undefined && { thinking }) },
  };
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : Math.max(one, other);
}

export interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly [name: string]: unknown;
}

/** The format demands both counts, so what is unknown becomes zero here and nowhere else. */
export function writeUsage({ input, output }: Usage): WireUsage {
  const cached = (input.cacheRead ?? 0) + (input.cacheWrite ?? 0);
  return {
    input_tokens: input.fresh ?? Math.max(0, (input.total ?? 0) - cached),
    ...(input.cacheWrite !== undefined && { cache_creation_input_tokens: input.cacheWrite }),
    ...(input.cacheRead !== undefined && { cache_read_input_tokens: input.cacheRead }),
    output_tokens: output.total ?? 0,
    ...(output.thinking !== undefined && { output_tokens_details: { thinking_tokens: output.thinking } }),
  };
}

/** Where the model ran is a matter between the operator and the provider, and stands in every reply: no loss worth a word. */
const carriedFields: ReadonlySet<string> = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
  'service_tier',
  'inference_geo',
]);

/** What a provider counts beside tokens (searches, iterations, cache lifetimes), without what says nothing. */
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
