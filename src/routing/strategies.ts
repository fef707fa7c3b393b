/** The order in which targets of one tier are tried: by weight, by load, by latency, or by cost. */

import type { Target } from './catalogue.ts';
import type { Strategy } from './strategy-names.ts';

export interface OrderParts {
  readonly nowMs: number;
  random(): number;
  /** Nano-USD for a usual request; undefined if unknown. */
  costOf(target: Target): bigint | undefined;
}

/** Targets of one tier, the first to try in front. */
export function orderEquals(targets: readonly Target[], strategy: Strategy, parts: OrderParts): readonly Target[] {
  if (targets.length < 2) return targets;
  const drawn = shuffled(targets, parts);
  switch (strategy) {
    case 'weighted':
      return drawn;
    case 'least_busy':
      return sortedBy(drawn, ({ health, weight }) => (health.inFlight + 1) / weight);
    case 'fastest':
      return quickerOfTwo(drawn, parts.nowMs);
    case 'cheapest':
      return drawn.toSorted((one, other) => compareCosts(parts.costOf(one), parts.costOf(other)));
  }
}

/** Each target draws an exponential waiting time at its weight; the shortest goes first. */
function shuffled(targets: readonly Target[], { random }: OrderParts): readonly Target[] {
  const drawn = targets.map((target) => ({ target, wait: -Math.log(1 - random()) / target.weight }));
  drawn.sort((one, other) => one.wait - other.wait);
  return drawn.map(({ target }) => target);
}

/** Stable, so that equals stay in their random order. */
function sortedBy(targets: readonly Target[], measure: (target: Target) => number): readonly Target[] {
  return targets.toSorted((one, other) => measure(one) - measure(other));
}

/** The quicker of two drawn at random: no target gets all the load, and none is judged by old figures alone. */
function quickerOfTwo([first, second, ...rest]: readonly Target[], nowMs: number): readonly Target[] {
  if (first === undefined || second === undefined) return first === undefined ? [] : [first];
  const isSlower = first.health.firstEventMs(nowMs) > second.health.firstEventMs(nowMs);
  return isSlower ? [second, first, ...rest] : [first, second, ...rest];
}

/** A target without a price comes after all that have one. */
function compareCosts(one: bigint | undefined, other: bigint | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return one < other ? -1 : one > other ? 1 : 0;
}
