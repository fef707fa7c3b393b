/** The lengths of time that usage is summed over; each is made of whole ones of the length before it. */

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

export const grains = [hourMs, dayMs, weekMs] as const;
export type Grain = (typeof grains)[number];

/** Weeks begin on Monday; the epoch was a Thursday. */
export const epochWeekdayOffsetMs = 3 * dayMs;

const offsetOf = (grain: number): number => (grain === weekMs ? epochWeekdayOffsetMs : 0);

/** The start of the period that a time lies in, in UTC. */
export function floorTo(grain: Grain, atMs: number): number {
  const offset = offsetOf(grain);
  return Math.floor((atMs + offset) / grain) * grain - offset;
}

/** The first start of a period that is not before a time. */
export function ceilTo(grain: Grain, atMs: number): number {
  const offset = offsetOf(grain);
  return Math.ceil((atMs + offset) / grain) * grain - offset;
}

export const coarserThan = (grain: Grain): Grain | undefined => grains[grains.indexOf(grain) + 1];
export const finerThan = (grain: Grain): Grain | undefined => grains[grains.indexOf(grain) - 1];
