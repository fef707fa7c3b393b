/** Every key that Weir has in Redis. All are in one hash slot: one node of a cluster decides, and a batch may use any of them. */

import type { LimitClass } from '../../access/limits.ts';

/** Redis hashes what is in the first braces of a key, so the tag comes before anything that a name could hold. */
const prefix = '{weir}:';

type LimitKeys = readonly [windows: string, slots: string];

/** By level, since a busy one has thousands of requests a second. */
const known = new Map<string, LimitKeys>();
const knownMax = 10_000;

/** Of a token or another level. */
export function limitKeys(level: string): LimitKeys {
  const found = known.get(level);
  if (found !== undefined) return found;
  if (known.size >= knownMax) known.clear();
  const keys = [`${prefix}limits:${level}:windows`, `${prefix}limits:${level}:slots`] as const;
  known.set(level, keys);
  return keys;
}

export const classKey = (level: string, counted: LimitClass): string => `${prefix}limits:${level}:${counted}`;

/** The ends of entries, their values, the revision. */
export const fleetKeys = [`${prefix}fleet:ends`, `${prefix}fleet:values`, `${prefix}fleet:revision`] as const;

/** What the check of a connection writes. */
export const checkKeys: LimitKeys = [`${prefix}check:windows`, `${prefix}check:slots`];
