/** From a request to its candidates in the order in which they are tried, or the error that says why there is none. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { noNeeds } from '../../conversation/needs.ts';
import type { Format } from '../../formats/format.ts';
import { hashOf } from '../../routing/affinity.ts';
import type { Catalogue, Target } from '../../routing/catalogue.ts';
import { type PlanParts, planRoute, planSole, type RoutePlan, type RouteQuestion } from '../../routing/plan.ts';
import { type RoutingOptions, readRoutingOptions } from '../../routing/request-options.ts';
import type { RelayParts } from '../relay-parts.ts';

export interface RouteRequest {
  readonly model: string;
  /** `converse`, `embed`, `make-video` … */
  readonly operation: string;
  readonly caller: Caller;
  readonly headers: Pick<Headers, 'get'>;
  /** The body, where it is JSON. */
  readonly tree: Tree | undefined;
  /** Present for conversations. */
  readonly format?: Format;
  readonly inputTokensMax: number;
  /** Why this target cannot do it at all. */
  unable(target: Target): string | undefined;
}

interface Route extends RoutePlan {
  readonly options?: RoutingOptions | undefined;
}

export type RouteParts = Pick<
  RelayParts,
  'catalogue' | 'contextTokensOf' | 'moved' | 'nowMs' | 'priceOf' | 'random' | 'routing'
>;

/** Bytes bound the tokens from above; this is what they usually are. */
const bytesPerToken = 4;

/** Headers by which clients name the conversation that a request belongs to. */
const sessionHeaders = ['x-weir-session', 'session_id', 'x-session-id'] as const;

export function routeCall(parts: RouteParts, request: RouteRequest): Route {
  const route = findRoute(parts, request);
  if (route.targets.length === 0) throw noneCan(request, route);
  return route;
}

/** The same without the error: where no target can serve the request there are none, and the reasons are listed. */
export function findRoute(parts: RouteParts, request: RouteRequest): Route {
  const options = optionsOf(request);
  const own = parts.catalogue.route(request.model);
  if (own === undefined) throw unservedModel(parts.catalogue, request.model);
  const sole = options === undefined ? planSole(own, request.unable) : undefined;
  if (sole !== undefined) return sole;
  const question = questionOf(parts, request, options);
  const plan = planRoute(own, question, planParts(parts));
  const all = options === undefined ? plan : withFallbacks(parts, request, question, plan, options);
  return { ...all, options };
}

function optionsOf({ caller, headers, tree }: RouteRequest): RoutingOptions | undefined {
  if (caller.terms.maySteer === true) return readRoutingOptions(headers.get('x-weir-route'), tree ?? {});
  if (headers.get('x-weir-route') === null) return undefined;
  const message = 'This token may not set routing options; the operator can allow it.';
  throw new GatewayError('routing_not_allowed', message, { param: 'x-weir-route' });
}

function questionOf(parts: RouteParts, request: RouteRequest, options: RoutingOptions | undefined): RouteQuestion {
  const { format, tree, caller, operation } = request;
  return {
    operation,
    unable: request.unable,
    inputTokens: Math.ceil(request.inputTokensMax / bytesPerToken),
    needs: () => (tree === undefined ? undefined : format?.needs?.(tree)) ?? noNeeds,
    labels: caller.labels,
    options,
    affinityKey: () => affinityOf(parts, request)?.key,
  };
}

/** What ties a request to earlier ones: the conversation's own name, or how it begins. */
interface RouteAffinity {
  readonly kind: 'session' | 'prefix';
  readonly key: string;
}

export function affinityOf(
  { routing }: Pick<RouteParts, 'routing'>,
  { headers, format, tree, caller }: Pick<RouteRequest, 'headers' | 'format' | 'tree' | 'caller'>,
): RouteAffinity | undefined {
  // Two tokens that call their sessions the same have nothing in common, and neither moves those of the other.
  const sessionKey = (session: string): string => hashOf(`${caller.tokenId}\n${session}`);
  for (const name of sessionHeaders) {
    const session = headers.get(name);
    if (session !== null && session !== '') return { kind: 'session', key: sessionKey(session) };
  }
  const affinity = tree === undefined ? undefined : format?.affinityOf?.(tree);
  if (affinity === undefined) return undefined;
  if (affinity.session !== undefined) return { kind: 'session', key: sessionKey(affinity.session) };
  const isLong = affinity.prefixBytes >= routing.affinityBytesMin;
  return isLong ? { kind: 'prefix', key: hashOf(affinity.prefix) } : undefined;
}

function planParts(parts: RouteParts): PlanParts {
  const nowMs = parts.nowMs();
  return {
    nowMs,
    random: parts.random,
    costOf(target) {
      const price = parts.priceOf(target);
      return price === undefined ? undefined : price.input.nanoPerMillion + price.output.nanoPerMillion;
    },
    contextTokensOf: parts.contextTokensOf,
    movedTo: (key) => parts.moved.targetOf(key, nowMs),
  };
}

/** Adds the caller's fallback models, each after all targets of the one before. */
function withFallbacks(
  parts: RouteParts,
  { caller, model }: RouteRequest,
  question: RouteQuestion,
  plan: RoutePlan,
  options: RoutingOptions,
): RoutePlan {
  if (!options.allowFallbacks && plan.targets.length > 0) return plan;
  const targets = [...plan.targets];
  const excluded = [...plan.excluded];
  for (const name of options.models) {
    const route = name === model || !caller.mayUseModel(name) ? undefined : parts.catalogue.route(name);
    if (route === undefined) continue;
    const further = planRoute(route, question, planParts(parts));
    targets.push(...further.targets.filter((target) => !targets.includes(target)));
    excluded.push(...further.excluded);
  }
  return { ...plan, targets, excluded };
}

/** No provider has the model, or those that have it take no new requests. */
export function unservedModel(catalogue: Pick<Catalogue, 'paused'>, model: string): GatewayError {
  const paused = new Set(catalogue.paused(model).map(({ provider }) => provider.name));
  if (paused.size > 0) {
    const names = [...paused].slice(0, shownMax).join(', ');
    const message = `Every provider of the model ${model.slice(0, 200)} is paused by the operator: ${names}.`;
    return new GatewayError('provider_unavailable', message, { param: 'model' });
  }
  const message = `No provider serves the model ${model.slice(0, 200)}. GET /v1/models lists those that are served.`;
  return new GatewayError('model_not_found', message, { param: 'model' });
}

const shownMax = 5;

function noneCan({ model, operation }: RouteRequest, { excluded }: RoutePlan): GatewayError {
  const reasons = excluded.slice(0, shownMax).map(({ target, why }) => `${target.provider.name} ${why}`);
  const message = `No provider of the model ${model.slice(0, 200)} can do this (${operation}): ${reasons.join('; ')}.`;
  return new GatewayError('operation_unsupported', message, { param: 'model' });
}
