/** A random schedule of faults: one target is always healthy, and no request meets two outcomes that may be billed. */

import type { PlayedFault } from '../../fake-upstream/faults/directive.ts';
import type { Random } from '../../harness/random.ts';
import { sized } from '../../harness/size.ts';
import { type TargetName, targetNames } from './stage.ts';

export interface Stretch {
  readonly requests: number;
  /** A target that is not named is healthy. */
  readonly faults: Readonly<Partial<Record<TargetName, PlayedFault>>>;
  /** Its connections are refused. */
  readonly refusing?: TargetName;
}

/** Faults after which any number of other targets may be tried. */
const certain: readonly PlayedFault[] = [
  'rate',
  'rate-until',
  'status-503',
  'status-529',
  'overloaded-first',
  'failure-first',
  'html',
  'empty',
  'cut-early',
  'stall-early',
  'cut-late',
  'end-late',
  'reset-late',
  'garbled-late',
  'stall-late',
];
const uncertain: readonly PlayedFault[] = ['status-500', 'slow-head'];
/** Replies that only look like a fault. */
const harmless: readonly PlayedFault[] = ['gzip', 'wrong-type', 'after-end'];

/** Five stretches at least, whatever the size: connections are refused in the fifth. */
const stretchRequests = sized(30, 140);
const refusingEvery = 5;

export function scheduleOf(random: Random, requests: number): Stretch[] {
  const stretches: Stretch[] = [];
  // In turn, so that no target is down until its cooldown is longer than a request waits.
  const turn = random.shuffled(targetNames);
  for (let left = requests; left > 0; left -= stretchRequests) {
    const healthy = turn[stretches.length % turn.length];
    const [one, other] = random.shuffled(targetNames).filter((name) => name !== healthy);
    const isRefusing = stretches.length % refusingEvery === refusingEvery - 1;
    const faults: Partial<Record<TargetName, PlayedFault>> = {};
    if (healthy !== undefined && random.chance(0.3)) faults[healthy] = random.pick(harmless);
    if (one !== undefined && !isRefusing) faults[one] = random.pick([...certain, ...uncertain, ...uncertain]);
    if (other !== undefined && random.chance(0.8)) faults[other] = random.pick(certain);
    stretches.push({
      requests: Math.min(left, stretchRequests),
      faults,
      ...(isRefusing && one !== undefined && { refusing: one }),
    });
  }
  return stretches;
}
