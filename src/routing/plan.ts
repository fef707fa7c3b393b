/**
 * Which targets can serve a request, in which order they are tried, and why the others are excluded.
 * Pure: it calls no provider.
 */

import type { Needs } from '../conversation/needs.ts';
import { preferred } from './affinity.ts';
import type { ModelRoute, Target } from './catalogue.ts';
import type { RoutingOptions } from './request-options.ts';
import { type OrderParts, orderEquals } from './strategies.ts';
import type { Strategy } from './strategy-names.ts';

export interface RouteQuestion {
  /** `converse`, `embed`, `make-video` … */
  readonly operation: string;
  /** Why this target cannot do it at all; undefined where it can. */
  unable(target: Target): string | undefined;
  /** The estimated number of input tokens. */
  readonly inputTokens: number;
  /** Called only where some target's abilities are known. */
  needs(): Needs;
  readonly labels: readonly string[];
  readonly options: RoutingOptions | undefined;
  /** What ties the request to earlier ones, if anything; called only where there is a choice. */
  affinityKey(): string | undefined;
}

export interface PlanParts extends OrderParts {
  contextTokensOf(target: Target): number | undefined;
  /** Where a conversation went that had to leave its own target. */
  movedTo(key: string): Target | undefined;
}

interface Exclusion {
  readonly target: Target;
  readonly why: string;
}

export interface RoutePlan {
  readonly targets: readonly Target[];
  readonly excluded: readonly Exclusion[];
  readonly strategy: Strategy;
  /** The key that decided which target is tried first, where one did. */
  readonly affinityKey: string | undefined;
}

const noneExcluded: readonly Exclusion[] = [];

/** Plans of models with one home and no conditions, which most are: made once. */
const solePlans = new WeakMap<ModelRoute, RoutePlan>();

/** The plan where there is nothing to decide; undefined where there is, or where the one target cannot do it. */
export function planSole(route: ModelRoute, unable: RouteQuestion['unable']): RoutePlan | undefined {
  const [only, other] = route.targets;
  if (only === undefined || other !== undefined || isConditional(only) || unable(only) !== undefined) return undefined;
  const known = solePlans.get(route);
  if (known !== undefined) return known;
  const plan: RoutePlan = {
    targets: route.targets,
    excluded: noneExcluded,
    strategy: route.choose,
    affinityKey: undefined,
  };
  solePlans.set(route, plan);
  return plan;
}

export function planRoute(route: ModelRoute, question: RouteQuestion, parts: PlanParts): RoutePlan {
  const { targets } = route;
  const strategy = question.options?.sort ?? route.choose;
  const able: Target[] = [];
  const excluded: Exclusion[] = [];
  for (const target of targets) {
    const why = exclusionOf(target, question, parts);
    if (why === undefined) able.push(target);
    else excluded.push({ target, why });
  }
  const affinityKey = able.length > 1 && route.affinity ? question.affinityKey() : undefined;
  const ordered = inTiers(able, (tier) => orderTier(tier, strategy, affinityKey, parts));
  return { targets: byOptions(ordered, question.options), excluded, strategy, affinityKey };
}

/** Are there requests that it cannot take? */
function isConditional({ conditions, provider, model, health }: Target): boolean {
  return conditions !== undefined || health.hasLacks || provider.notes.has(model);
}

function exclusionOf(target: Target, question: RouteQuestion, parts: PlanParts): string | undefined {
  return (
    question.unable(target) ??
    conditionUnmet(target, question) ??
    tooLong(target, question, parts) ??
    lackOf(target, question, parts.nowMs) ??
    excludedByOptions(target, question.options)
  );
}

function conditionUnmet({ conditions }: Target, question: RouteQuestion): string | undefined {
  if (conditions === undefined) return undefined;
  const { operations, labels, inputTokensMax } = conditions;
  if (operations !== undefined && !operations.includes(question.operation)) {
    return `is reserved for ${operations.join(', ')}`;
  }
  if (labels !== undefined && !labels.some((label) => question.labels.includes(label))) {
    return `is reserved for tokens labeled ${labels.join(' or ')}`;
  }
  if (inputTokensMax !== undefined && question.inputTokens > inputTokensMax) {
    return `is reserved for inputs of up to ${inputTokensMax} tokens`;
  }
  return undefined;
}

function tooLong(target: Target, { inputTokens }: RouteQuestion, parts: PlanParts): string | undefined {
  const most = target.provider.notes.get(target.model)?.contextTokens ?? parts.contextTokensOf(target);
  if (most === undefined || inputTokens <= most) return undefined;
  return `has a context of ${most} tokens, and the input is about ${inputTokens}`;
}

const modalities: readonly (keyof Needs)[] = ['image', 'audio', 'video', 'file'];

/** What the operator or the catalogue says that it accepts, and what it refused. */
function lackOf(target: Target, question: RouteQuestion, nowMs: number): string | undefined {
  const { conditions, provider, model, health } = target;
  const taken = conditions?.input ?? provider.notes.get(model)?.inputModalities;
  if (taken === undefined && !health.hasLacks) return undefined;
  const needs = question.needs();
  const missing = modalities.find((name) => needs[name] && taken !== undefined && !taken.includes(name));
  if (missing !== undefined) return `does not support ${missing} input`;
  const lacking = [...modalities, 'tools' as const, 'structured' as const].find(
    (name) => needs[name] && health.lacks(name, nowMs),
  );
  return lacking === undefined ? undefined : `refused ${lacking} recently`;
}

function excludedByOptions({ provider, conditions }: Target, options: RoutingOptions | undefined): string | undefined {
  if (options === undefined) return undefined;
  if (options.only !== undefined && !options.only.includes(provider.name))
    return 'is not one of the requested providers';
  if (options.ignore.includes(provider.name)) return 'is excluded by the routing options';
  const region = conditions?.region ?? provider.region;
  if (options.region !== undefined && region !== options.region) return `is not in ${options.region}`;
  return undefined;
}

function inTiers(targets: readonly Target[], order: (tier: readonly Target[]) => readonly Target[]): readonly Target[] {
  const tiers = [...new Set(targets.map(({ tier }) => tier))].sort((one, other) => one - other);
  if (tiers.length < 2) return order(targets);
  return tiers.flatMap((tier) => order(targets.filter((target) => target.tier === tier)));
}

/** Those that are ready before those that are not; among them the one that holds the prompt cache, then by strategy. */
function orderTier(
  tier: readonly Target[],
  strategy: Strategy,
  key: string | undefined,
  parts: PlanParts,
): readonly Target[] {
  if (tier.length < 2) return tier;
  const ready = tier.filter(({ health }) => health.admits(parts.nowMs));
  const ordered = orderEquals(ready, strategy, parts);
  const first = key === undefined ? undefined : holderOf(key, ready, parts);
  const front = first === undefined ? ordered : [first, ...ordered.filter((target) => target !== first)];
  if (ready.length === tier.length) return front;
  const waiting = tier.filter((target) => !ready.includes(target));
  return [...front, ...waiting.toSorted((one, other) => readyAt(one, parts) - readyAt(other, parts))];
}

function readyAt({ health }: Target, { nowMs }: PlanParts): number {
  return health.readyAtMs(nowMs);
}

function holderOf(key: string, ready: readonly Target[], parts: PlanParts): Target | undefined {
  const moved = parts.movedTo(key);
  return moved !== undefined && ready.includes(moved) ? moved : preferred(key, ready);
}

/** The caller's order overrides tiers; without fallbacks only the first target is left. */
function byOptions(targets: readonly Target[], options: RoutingOptions | undefined): readonly Target[] {
  if (options === undefined) return targets;
  const place = ({ provider }: Target): number => {
    const at = options.order.indexOf(provider.name);
    return at === -1 ? options.order.length : at;
  };
  const ordered = options.order.length === 0 ? targets : targets.toSorted((one, other) => place(one) - place(other));
  return options.allowFallbacks ? ordered : ordered.slice(0, 1);
}
