/** To which token the ids belong that providers made, as the store keeps it. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  addOwnedIds,
  countOwnedIds,
  dropOldestOwnedIds,
  expireOwnedIds,
  idOwners,
  type OwnedIdRow,
  removeOwnedId,
  tokenHolders,
} from './owned-id-queries.ts';

interface IdOwner {
  readonly tokenId: string;
  readonly deleted: boolean;
}

export interface OwnedIdStore {
  /** An id that is there already keeps its token. */
  add(rows: readonly OwnedIdRow[]): Promise<void>;
  /** By digest; those that were never seen are absent. */
  find(digests: readonly string[]): Promise<ReadonlyMap<string, IdOwner>>;
  /** Keeps a mark that it was there. */
  remove(digest: string, tokenId: string, atMs: number): Promise<void>;
  /** Removes what was seen before that moment, some at a time. */
  expire(beforeMs: number): Promise<void>;
  /** Removes the oldest until so many are left, of one token or of all. */
  keepNewest(most: number, tokenId?: string): Promise<void>;
  /** How many people hold tokens that were not revoked: see `docs/configuration.md`. */
  holders(): Promise<number>;
}

const pageSize = 500;

export function ownedIdStore(driver: Driver): OwnedIdStore {
  return {
    async add(rows) {
      if (rows.length > 0) await driver.run(addOwnedIds, rows);
    },
    async find(digests) {
      const found = digests.length === 0 ? [] : await driver.run(idOwners, digests);
      return new Map(
        found.map(({ digest, tokenId, deletedAtMs }) => [digest, { tokenId, deleted: deletedAtMs !== undefined }]),
      );
    },
    async remove(digest, tokenId, atMs) {
      await driver.run(removeOwnedId, digest, tokenId, Math.round(atMs));
    },
    expire: (beforeMs) => removeAll(driver, expireOwnedIds, beforeMs),
    async keepNewest(most, tokenId) {
      let over = (await driver.run(countOwnedIds, tokenId ?? null)) - most;
      while (over > 0) {
        const dropped = await driver.run(dropOldestOwnedIds, tokenId ?? null, Math.min(over, pageSize));
        if (dropped === 0) return;
        over -= dropped;
      }
    },
    async holders() {
      const { people, ownerless, owners } = await driver.run(tokenHolders);
      // The operator may hold one of the tokens without an account; of several it is unknown who holds them.
      return people + Math.max(ownerless, owners > 0 ? 1 : 0);
    },
  };
}
