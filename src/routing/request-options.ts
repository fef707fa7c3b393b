/** What a caller may say about where its request goes, in the words that callers of other routers already know. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { Strategy } from './strategy-names.ts';

export interface RouteWishes {
  /** Providers to be asked first, in this order. */
  readonly order: readonly string[];
  /** No others than these. */
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly sort: Strategy | undefined;
  /** False: the first candidate or an error. */
  readonly allowFallbacks: boolean;
  readonly region: string | undefined;
  /** Models to go on with when none of the model's own targets can answer. */
  readonly models: readonly string[];
}

const namesMax = 32;
const sorts: Readonly<Record<string, Strategy>> = {
  price: 'cheapest',
  latency: 'fastest',
  throughput: 'fastest',
  load: 'least_busy',
  cheapest: 'cheapest',
  fastest: 'fastest',
  least_busy: 'least_busy',
  weighted: 'weighted',
};

/** `header` is the text of `x-weir-route`, `body` the request's own fields; undefined where neither says anything. */
export function readWishes(header: string | null, body: Tree): RouteWishes | undefined {
  const said = header === null ? undefined : treeOf(header);
  const { provider, models } = body;
  const field = isObject(provider) ? provider : undefined;
  if (said === undefined && field === undefined && !Array.isArray(models)) return undefined;
  const source = said === undefined ? 'provider' : 'x-weir-route';
  const wishes = said ?? field ?? {};
  return {
    order: namesIn(wishes['order'], `${source}.order`),
    only: wishes['only'] === undefined ? undefined : namesIn(wishes['only'], `${source}.only`),
    ignore: namesIn(wishes['ignore'], `${source}.ignore`),
    sort: sortIn(wishes['sort'], `${source}.sort`),
    allowFallbacks: wishes['allow_fallbacks'] !== false,
    region: typeof wishes['region'] === 'string' ? wishes['region'] : undefined,
    models: namesIn(said?.['models'] ?? models, said?.['models'] === undefined ? 'models' : `${source}.models`),
  };
}

function treeOf(text: string): Tree {
  try {
    const tree: unknown = JSON.parse(text);
    if (isObject(tree)) return tree;
  } catch {
    // Told below, like anything else that is no object.
  }
  throw new GatewayError('header_invalid', 'The header `x-weir-route` must be a JSON object.', {
    param: 'x-weir-route',
  });
}

function namesIn(value: unknown, param: string): readonly string[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.length <= namesMax && value.every((name) => typeof name === 'string');
  if (isList) return value as readonly string[];
  throw new GatewayError('field_invalid', `\`${param}\` must be a list of at most ${namesMax} names.`, { param });
}

function sortIn(value: unknown, param: string): Strategy | undefined {
  if (value === undefined || value === null) return undefined;
  const name = isObject(value) ? value['by'] : value;
  const strategy = typeof name === 'string' && Object.hasOwn(sorts, name) ? sorts[name] : undefined;
  if (strategy !== undefined) return strategy;
  throw new GatewayError('field_invalid', `\`${param}\` must be one of ${Object.keys(sorts).join(', ')}.`, { param });
}
