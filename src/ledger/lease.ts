/** This process's lease: its heartbeat, and whether other replicas can have taken it for dead and taken over what it holds. */

import type { InstanceStore } from './ledger-store.ts';

interface Lease {
  begin(): Promise<void>;
  renew(): Promise<void>;
  /** True where no replica can have considered this process dead since then. */
  livedSince(atMs: number): boolean;
}

/** Others act at the end of a lease; this process stops trusting its own well before, so that what it begins is written in time. */
const trustedShare = 2 / 3;

export function createLease(options: {
  readonly instances: Pick<InstanceStore, 'register' | 'heartbeat' | 'alone'>;
  readonly nowMs: () => number;
  readonly leaseMs: number;
}): Lease {
  const { instances, nowMs } = options;
  const trustedMs = options.leaseMs * trustedShare;
  let renewedAtMs = Number.NEGATIVE_INFINITY;
  let unbrokenSinceMs = Number.NEGATIVE_INFINITY;

  const write = async (work: () => Promise<void>): Promise<void> => {
    // Before it is written: others see it later, never earlier.
    const atMs = nowMs();
    await work();
    if (atMs - renewedAtMs > trustedMs) unbrokenSinceMs = atMs;
    renewedAtMs = atMs;
  };
  return {
    begin: () => write(() => instances.register()),
    renew: () => write(() => instances.heartbeat()),
    livedSince: (atMs) => instances.alone() || (atMs >= unbrokenSinceMs && nowMs() - renewedAtMs <= trustedMs),
  };
}
