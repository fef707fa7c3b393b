/** Ends the attempts and keys of processes that died, so that no budget stays held and no key stays in use for a call whose client is gone. */

import { endKeysOf } from './abandoned-keys.ts';
import type { LedgerStore } from './ledger-store.ts';

interface Sweeper {
  /** Returns how many attempts it ended. */
  sweep(): Promise<number>;
  /** The same for one process that is known to have ended. */
  end(instanceId: string): Promise<number>;
  /** The same for this process, but for the attempts that it runs: the others' ends were lost. */
  endOwn(runs: (attemptId: string) => boolean): Promise<number>;
  /** What was seen of others so far is no evidence: this process could not reach the database itself. */
  forget(): void;
}

interface Observation {
  readonly heartbeatMs: number;
  /** Since when, by this process's clock, the heartbeat has not moved. */
  readonly sinceMs: number;
}

interface SweeperOptions {
  readonly store: LedgerStore;
  readonly nowMs: () => number;
  readonly leaseMs: number;
  /** Did this process write its own heartbeat in time ever since? While it could not, others may have been unable to as well. */
  readonly livedSince: (atMs: number) => boolean;
}

/**
 * An instance is dead when its heartbeat has not changed for a lease, measured by this process's clock: the clocks of
 * two machines are never compared, so a wrong one cannot make a living replica look dead. Only silence during which this
 * process wrote its own heartbeats counts: after an outage of the database, or a pause of this process, observation
 * starts over.
 */
export function makeSweeper(options: SweeperOptions): Sweeper {
  const { store, nowMs, leaseMs, livedSince } = options;
  const observations = new Map<string, Observation>();

  function isDead(instanceId: string, heartbeatMs: number): boolean {
    if (store.instances.alone()) return true;
    const now = nowMs();
    const known = observations.get(instanceId);
    const isEvidence = known !== undefined && known.sinceMs <= now && livedSince(known.sinceMs);
    if (!isEvidence || known.heartbeatMs !== heartbeatMs) {
      observations.set(instanceId, { heartbeatMs, sinceMs: now });
      return false;
    }
    return now - known.sinceMs >= leaseMs;
  }

  async function sweep(): Promise<number> {
    const seen = await store.instances.seen();
    const heartbeats = new Map(seen.map(({ id, heartbeatMs }) => [id, heartbeatMs]));
    heartbeats.delete(store.instanceId);
    for (const known of observations.keys()) if (!heartbeats.has(known)) observations.delete(known);
    let swept = 0;
    for (const [instanceId, heartbeatMs] of heartbeats) {
      if (!isDead(instanceId, heartbeatMs)) continue;
      swept += await end(instanceId);
    }
    return swept;
  }

  async function end(instanceId: string): Promise<number> {
    const swept = await store.attempts.sweep(instanceId, nowMs());
    await endKeysOf(store, instanceId);
    await store.instances.forget(instanceId);
    observations.delete(instanceId);
    return swept;
  }

  return {
    async sweep() {
      try {
        return await sweep();
      } catch (error) {
        observations.clear();
        throw error;
      }
    },
    end,
    endOwn: (runs) => store.attempts.sweep(store.instanceId, nowMs(), runs),
    forget: () => observations.clear(),
  };
}
