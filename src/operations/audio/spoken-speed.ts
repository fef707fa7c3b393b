/** Brings the requested speed into the range that a provider supports, and reports a loss where it had to. */

import type { LossList } from '../../conversation/loss-list.ts';

export function speedWithin(
  speed: number | undefined,
  least: number,
  most: number,
  losses: LossList,
): number | undefined {
  if (speed === undefined || speed === 1) return undefined;
  const near = Math.min(most, Math.max(least, speed));
  if (near !== speed) losses.add('speed', `is brought to ${near}: the provider speaks at ${least} to ${most}`);
  return near;
}
