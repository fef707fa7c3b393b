/** Ends the attempts and keys of processes that died, so that no budget stays held and no key in use for a call nobody waits for. */

import type { Store } from '../store/store.ts';
import { endKeysOf } from './abandoned-keys.ts';

export interface Sweeper {
  /** Returns how many attempts it ended. */
  sweep(): Promise<number>;
}

interface Observation {
  readonly heartbeatMs: number;
  /** Since when, by this process's clock, the heartbeat has not moved. */
  readonly sinceMs: number;
}

/** An instance without a row. */
const absent = -1;

/**
 * An instance is dead when its heartbeat has stood still for a lease, measured by our own clock: the clocks of two
 * machines are never compared, so a wrong one cannot make a living replica look dead.
 */
export function makeSweeper(options: { store: Store; nowMs: () => number; leaseMs: number }): Sweeper {
  const { store, nowMs, leaseMs } = options;
  const observations = new Map<string, Observation>();

  function isDead(instanceId: string, heartbeatMs: number): boolean {
    if (store.instances.alone()) return true;
    const now = nowMs();
    const known = observations.get(instanceId);
    if (known === undefined || known.heartbeatMs !== heartbeatMs) {
      observations.set(instanceId, { heartbeatMs, sinceMs: now });
      return false;
    }
    return now - known.sinceMs >= leaseMs;
  }

  return {
    async sweep() {
      const [holders, keyHolders, others] = await Promise.all([
        store.attempts.holders(),
        store.idempotency.holders(),
        store.instances.others(),
      ]);
      const heartbeats = new Map(others.map((instance) => [instance.id, instance.heartbeatMs]));
      for (const holder of [...holders, ...keyHolders]) {
        if (holder !== store.instanceId && !heartbeats.has(holder)) heartbeats.set(holder, absent);
      }
      for (const known of observations.keys()) if (!heartbeats.has(known)) observations.delete(known);
      let swept = 0;
      for (const [instanceId, heartbeatMs] of heartbeats) {
        if (!isDead(instanceId, heartbeatMs)) continue;
        swept += await store.attempts.sweep(instanceId, nowMs());
        await endKeysOf(store, instanceId);
        await store.instances.forget(instanceId);
        observations.delete(instanceId);
      }
      return swept;
    },
  };
}
