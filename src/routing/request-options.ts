/** Routing options of a request (`x-weir-route`, `provider`, `models`), with the field names of other routers. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { Strategy } from './strategy-names.ts';

export interface RoutingOptions {
  /** Providers to try first, in this order. */
  readonly order: readonly string[];
  /** Only these providers. */
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly sort: Strategy | undefined;
  /** False: the first candidate or an error. */
  readonly allowFallbacks: boolean;
  readonly region: string | undefined;
  /** Models to fall back to when none of the model's own targets can answer. */
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
export function readRoutingOptions(header: string | null, body: Tree): RoutingOptions | undefined {
  const said = header === null ? undefined : treeOf(header);
  const { provider, models } = body;
  const field = isObject(provider) ? provider : undefined;
  if (said === undefined && field === undefined && !Array.isArray(models)) return undefined;
  const source = said === undefined ? 'provider' : 'x-weir-route';
  const options = said ?? field ?? {};
  return {
    order: namesIn(options['order'], `${source}.order`),
    only: options['only'] === undefined ? undefined : namesIn(options['only'], `${source}.only`),
    ignore: namesIn(options['ignore'], `${source}.ignore`),
    sort: sortIn(options['sort'], `${source}.sort`),
    allowFallbacks: options['allow_fallbacks'] !== false,
    region: typeof options['region'] === 'string' ? options['region'] : undefined,
    models: namesIn(said?.['models'] ?? models, said?.['models'] === undefined ? 'models' : `${source}.models`),
  };
}

function treeOf(text: string): Tree {
  try {
    const tree: unknown = JSON.parse(text);
    if (isObject(tree)) return tree;
  } catch {
    // Reported below, like any other value that is not an object.
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
