/** The store's contract and methods for idempotency keys. */

import type { HeldKeyStore } from '../../ledger/ledger-store.ts';
import type { Driver } from '../sql/driver.ts';
import {
  beginIdempotent,
  expireIdempotent,
  finishIdempotent,
  forgetIdempotent,
  type KeyState,
  keyStates,
  keysHeldBy,
  loseIdempotent,
} from './idempotency-queries.ts';

export interface IdempotencyStore extends HeldKeyStore {
  /** A key that was begun longer than `lifetimeMs` ago is free again. */
  begin(claim: {
    readonly tokenId: string;
    readonly key: string;
    readonly requestId: string;
    /** Decides whether a later request with this key is the same one. */
    readonly fingerprint: string;
    readonly atMs: number;
    readonly lifetimeMs: number;
  }): Promise<
    | { readonly begun: true }
    | {
        readonly begun: false;
        readonly requestId: string;
        readonly fingerprint: string;
        readonly state: KeyState;
      }
  >;
  finish(tokenId: string, key: string, requestId: string): Promise<void>;
  expire(beforeMs: number): Promise<void>;
}

export function idempotencyStore(driver: Driver, instanceId: string): IdempotencyStore {
  return {
    async begin({ lifetimeMs, ...claim }) {
      const holder = await driver.run(beginIdempotent, { ...claim, instanceId }, claim.atMs - lifetimeMs);
      if (holder === null) return { begun: true };
      // A newer Weir may have written another state.
      return { begun: false, ...holder, state: keyStates.find((known) => known === holder.state) ?? 'running' };
    },
    async finish(tokenId, key, requestId) {
      await driver.run(finishIdempotent, { tokenId, key, requestId });
    },
    async forget(tokenId, key, requestId) {
      await driver.run(forgetIdempotent, { tokenId, key, requestId });
    },
    async expire(beforeMs) {
      await driver.run(expireIdempotent, beforeMs);
    },
    heldBy: (deadInstanceId, limit) => driver.run(keysHeldBy, deadInstanceId, limit),
    async lose(tokenId, key, requestId) {
      await driver.run(loseIdempotent, { tokenId, key, requestId });
    },
  };
}
