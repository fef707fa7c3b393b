/** Which color a group has: the same for the same key in every chart, and another one for each group of one chart. */

import { colourCount, colourOf } from './chart-data.ts';

/** The color of what is not shown by itself. */
export const othersColour = 0;

/**
 * A key keeps the color that it had first. Where two keys of a chart want the same one, the first of them gets it, which
 * is the larger. `known` is filled.
 */
export function assignColours(keys: readonly string[], known: Map<string, number>): ReadonlyMap<string, number> {
  const assigned = new Map<string, number>();
  const free = new Set(Array.from({ length: colourCount }, (_, index) => index + 1));
  const wanted = (key: string) => known.get(key) ?? colourOf({ name: key });
  for (const key of keys) if (free.delete(wanted(key))) assigned.set(key, wanted(key));
  for (const key of keys) {
    if (assigned.has(key)) continue;
    const [next = wanted(key)] = free;
    free.delete(next);
    assigned.set(key, next);
  }
  for (const [key, colour] of assigned) if (!known.has(key)) known.set(key, colour);
  return assigned;
}

const knownMax = 2_000;
const knownColours = new Map<string, number>();

/** For as long as this tab is open. */
export function coloursOf(keys: readonly string[]): ReadonlyMap<string, number> {
  if (knownColours.size > knownMax) knownColours.clear();
  return assignColours(keys, knownColours);
}
