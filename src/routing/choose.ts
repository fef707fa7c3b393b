/** The order in which a model's targets are tried: lower tiers first, by weight within a tier, those that cool down last. */

import type { Target } from './catalogue.ts';

export function orderTargets(targets: readonly Target[], clock: () => number, random: () => number): readonly Target[] {
  if (targets.length < 2) return targets;
  const nowMs = clock();
  // Weighted shuffle: each target draws an exponential waiting time at its weight; the shortest goes first.
  const drawn = targets.map((target) => ({
    target,
    cooling: target.health.isCooling(nowMs),
    wait: -Math.log(1 - random()) / target.weight,
  }));
  drawn.sort((a, b) => Number(a.cooling) - Number(b.cooling) || a.target.tier - b.target.tier || a.wait - b.wait);
  return drawn.map(({ target }) => target);
}
