/** The one state of a key, a target and a provider, of what routing knows now and of how attempts ended. */

import { type HealthStateName, healthStates } from '../contracts/health-contract.ts';
import type { AttemptFigures } from './health-figures.ts';

/** From this share of failed attempts on it is degraded. */
const degradedErrorRate = 0.1;

/** What routing says: usable, cooling down, circuit open, or a probe decides. */
type RoutingState = 'ready' | 'cooling' | 'open' | 'half-open';

/** The worst of several; what has no traffic says nothing about the others. */
export function worstOf(states: readonly HealthStateName[]): HealthStateName {
  return healthStates.find((state) => states.includes(state)) ?? 'no-data';
}

/** By figures alone. */
function stateByRate({ errorRate }: Pick<AttemptFigures, 'errorRate'>): HealthStateName {
  if (errorRate === undefined) return 'no-data';
  return errorRate >= degradedErrorRate ? 'degraded' : 'healthy';
}

type Ends = Pick<AttemptFigures, 'errorRate' | 'servedAtMs' | 'rejectedAtMs' | 'forbiddenAtMs' | 'missingAtMs'>;

interface KeyFacts {
  /** Of the key itself; its circuit opens only when the provider refuses it. */
  readonly routing: RoutingState;
  /** It cools down for some models. */
  readonly coolsForModels: boolean;
  readonly ends: Ends;
  /** When routing last saw it work, also by a call of its own; a time of day. */
  readonly provedAtMs: number;
  readonly windowFromMs: number;
}

/** A key that was refused stays rejected until something was served with it, also after a restart. */
export function keyState({ routing, coolsForModels, ends, provedAtMs, windowFromMs }: KeyFacts): HealthStateName {
  const servedAtMs = Math.max(ends.servedAtMs, provedAtMs);
  const isRejected = ends.rejectedAtMs > servedAtMs;
  // It may be forbidden one thing and serve another: only one that serves nothing is rejected.
  const isForbidden = ends.forbiddenAtMs > servedAtMs && servedAtMs < windowFromMs;
  if (isRejected || isForbidden || routing === 'open' || routing === 'half-open') return 'key-rejected';
  if (routing === 'cooling' || coolsForModels) return 'rate-limited';
  return stateByRate(ends);
}

interface TargetFacts {
  readonly routing: RoutingState;
  /** How each of the provider's keys can be used for this model; empty where it needs none. */
  readonly keys: readonly KeyUse[];
  readonly ends: Ends;
}

export type KeyUse = 'usable' | 'rate-limited' | 'key-rejected';

/** Without a usable key a target cannot serve, however well it did before; one usable key is enough. */
export function targetState({ routing, keys, ends }: TargetFacts): HealthStateName {
  const own = ownStateOf(routing, ends);
  if (keys.length === 0 || keys.includes('usable')) return own;
  return worstOf([own, keys.includes('rate-limited') ? 'rate-limited' : 'key-rejected']);
}

function ownStateOf(routing: RoutingState, ends: Ends): HealthStateName {
  if (ends.forbiddenAtMs > ends.servedAtMs) return 'key-rejected';
  if (ends.missingAtMs > ends.servedAtMs) return 'model-missing';
  return stateOfRouting[routing] ?? stateByRate(ends);
}

const stateOfRouting: Partial<Readonly<Record<RoutingState, HealthStateName>>> = {
  cooling: 'rate-limited',
  open: 'circuit-open',
  'half-open': 'probing',
};
