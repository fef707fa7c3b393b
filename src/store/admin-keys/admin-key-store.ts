/** What the store keeps about admin keys and about the writes that are made with them. Part of the store's contract. */

import type { Driver } from '../sql/driver.ts';
import { type Page, type PageRequest, pageOf } from '../sql/pages.ts';
import { removeAll } from '../sql/removal.ts';
import {
  type AdminKeyChanges,
  type AdminKeyRecord,
  adminKeyByDigest,
  adminKeyById,
  changeAdminKey,
  insertAdminKey,
  listAdminKeys,
  moveAdminKeyDigest,
  revokeAdminKey,
  useAdminKey,
} from './admin-key-queries.ts';
import {
  claimWrite,
  expireWrites,
  finishWrite,
  type WriteClaim,
  type WriteOutcome,
} from './idempotent-write-queries.ts';

export type { AdminKeyChanges, AdminKeyRecord } from './admin-key-queries.ts';

export interface AdminKeyStore {
  /** False where `activeMax` keys work already. */
  insert(key: AdminKeyRecord, digest: string, activeMax: number): Promise<boolean>;
  /** In any state. */
  byDigest(digest: string): Promise<AdminKeyRecord | undefined>;
  byId(id: string): Promise<AdminKeyRecord | undefined>;
  /** Newest first; all, or those of these teams. */
  list(page: PageRequest, teamIds?: readonly string[]): Promise<Page<AdminKeyRecord>>;
  /** These are false where it was revoked. */
  change(id: string, changes: AdminKeyChanges): Promise<boolean>;
  revoke(id: string, atMs: number): Promise<boolean>;
  use(id: string, atMs: number): Promise<void>;
  moveDigest(from: string, to: string): Promise<void>;
}

export interface IdempotentWriteStore {
  /** A row of `staleAtMs` and before is free again; `full` where the admin key has `most`. */
  claim(claim: WriteClaim, staleAtMs: number, most: number): Promise<WriteOutcome>;
  /** Of the claim that was made at `atMs`. */
  finish(claim: WriteClaim): Promise<void>;
  expire(atMs: number): Promise<void>;
}

export function adminKeyStore(driver: Driver): AdminKeyStore {
  return {
    insert: (key, digest, activeMax) => driver.run(insertAdminKey, key, digest, activeMax),
    byDigest: async (digest) => (await driver.run(adminKeyByDigest, digest)) ?? undefined,
    byId: async (id) => (await driver.run(adminKeyById, id)) ?? undefined,
    async list({ limit, after }, teamIds) {
      const rows = await driver.run(listAdminKeys, { limit: limit + 1, after }, teamIds ?? null);
      return pageOf(rows, limit, ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }));
    },
    change: (id, changes) => driver.run(changeAdminKey, id, changes),
    revoke: (id, atMs) => driver.run(revokeAdminKey, id, Math.round(atMs)),
    async use(id, atMs) {
      await driver.run(useAdminKey, id, Math.round(atMs));
    },
    async moveDigest(from, to) {
      await driver.run(moveAdminKeyDigest, from, to);
    },
  };
}

export function idempotentWriteStore(driver: Driver): IdempotentWriteStore {
  return {
    claim: (claim, staleAtMs, most) => driver.run(claimWrite, claim, Math.round(staleAtMs), most),
    async finish(claim) {
      await driver.run(finishWrite, claim);
    },
    expire: (atMs) => removeAll(driver, expireWrites, atMs),
  };
}
