/** Keeps this replica's knowledge of targets and keys equal to that of the others, through the state that they share. */

import type { Catalogue } from '../catalogue.ts';
import type { KeyRing } from '../keys.ts';
import type { LearningClock } from '../learned-refusals.ts';
import { FleetLatencies } from './fleet-latencies.ts';
import { FleetLessons } from './fleet-lessons.ts';
import { type ChangeList, type FleetPart, type FleetState, FleetView, hasChanges } from './fleet-state.ts';
import { HealthNotices } from './health-notices.ts';
import { healthSource } from './health-source.ts';
import { ProbeClaims } from './probe-claims.ts';

/** How often this process looks for changes of its own, and how often it reads where it has none. */
const lookEveryMs = 100;
const readEveryMs = 500;

interface SharingParts extends LearningClock {
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly state: FleetState;
}

/** Sends and receives until the returned function is called. */
export function shareRouting({ catalogue, keys, state, nowMs, wallMs }: SharingParts): () => void {
  const source = healthSource(catalogue, keys);
  const view = new FleetView();
  let isBusy = false;
  let isDue = false;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const look = async (): Promise<void> => {
    const changes: ChangeList = { remove: [], put: [], claim: [] };
    for (const part of parts) part.outgoing(changes, view, nowMs());
    if (!hasChanges(changes) && nowMs() - readAtMs < readEveryMs) return;
    readAtMs = nowMs();
    try {
      const reading = await state.exchange(changes, view.revision);
      view.take(reading, nowMs());
      for (const part of parts) part.incoming(view, nowMs(), reading.claimed);
    } catch {
      // Each replica continues by itself; the connection's owner logs the failure.
      view.forget();
      for (const part of parts) part.lost();
    }
  };
  /** One at a time: what one exchange sends and receives belongs together. */
  const run = async (): Promise<void> => {
    isDue = true;
    if (isBusy) return;
    isBusy = true;
    while (isDue && !isStopped) {
      isDue = false;
      await look();
    }
    isBusy = false;
  };

  const claims = new ProbeClaims(source, view, () => void Promise.resolve().then(run));
  const parts: readonly FleetPart[] = [
    new HealthNotices(source),
    claims,
    new FleetLessons(source, { nowMs, wallMs }),
    new FleetLatencies(source),
  ];
  catalogue.shareProbes((name) => claims.turnsOf('target', name));
  keys.shareProbes((name) => claims.turnsOf('key', name));
  const timer = setInterval(() => void run(), lookEveryMs);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
