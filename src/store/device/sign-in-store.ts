/** What the store keeps about programs that a person signed in with a device code. Part of the store's contract. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  answerSignIn,
  endExpiredSignIns,
  endSignIn,
  endSignInsOf,
  expireSignIns,
  insertSignIn,
  type KnownSignInRow,
  listSignIns,
  type NewSignInRow,
  pollSignIn,
  type RefreshDigests,
  redeemSignIn,
  refreshSignIn,
  type SignInInsertion,
  type SignInRow,
  signInByDevice,
  signInByFamily,
  signInByToken,
  signInByUser,
} from './sign-in-queries.ts';

export type { KnownSignInRow, SignInRow } from './sign-in-queries.ts';

export interface DeviceSignInStore {
  /** `taken`: another sign-in has the user code. Where `pendingMax` are pending, the oldest expires. */
  insert(row: NewSignInRow, pendingMax: number): Promise<SignInInsertion>;
  /** In any state, until its row is removed. */
  byDeviceDigest(digest: string): Promise<KnownSignInRow | undefined>;
  byUserDigest(digest: string): Promise<KnownSignInRow | undefined>;
  /** By the part that all refresh tokens of a sign-in share. */
  byFamilyDigest(digest: string): Promise<KnownSignInRow | undefined>;
  byTokenId(tokenId: string): Promise<KnownSignInRow | undefined>;
  /** False where another poll came since `seenAtMs`. */
  poll(id: string, seenAtMs: number, atMs: number, intervalMs: number): Promise<boolean>;
  /** These are false where the state is no longer the one that they need. */
  approve(id: string, accountId: string, tokenId: string, atMs: number): Promise<boolean>;
  deny(id: string, accountId: string, atMs: number): Promise<boolean>;
  redeem(id: string, digests: RefreshDigests, atMs: number, expiresAtMs: number): Promise<boolean>;
  refresh(id: string, usedDigest: string, next: RefreshDigests, atMs: number, expiresAtMs: number): Promise<boolean>;
  end(id: string): Promise<boolean>;
  /** All of the account: those that it ended. */
  endOf(accountId: string): Promise<readonly SignInRow[]>;
  /** Those that work, the newest first. */
  list(accountId: string, nowMs: number, limit: number): Promise<readonly SignInRow[]>;
  /** Ends those that expired and returns them. */
  endExpired(nowMs: number): Promise<readonly SignInRow[]>;
  /** Removes rows that expired before, some at a time. */
  expire(beforeMs: number): Promise<void>;
}

export function deviceSignInStore(driver: Driver): DeviceSignInStore {
  return {
    insert: (row, pendingMax) => driver.run(insertSignIn, row, pendingMax),
    byDeviceDigest: async (digest) => (await driver.run(signInByDevice, digest)) ?? undefined,
    byUserDigest: async (digest) => (await driver.run(signInByUser, digest)) ?? undefined,
    byFamilyDigest: async (digest) => (await driver.run(signInByFamily, digest)) ?? undefined,
    byTokenId: async (tokenId) => (await driver.run(signInByToken, tokenId)) ?? undefined,
    poll: (id, seenAtMs, atMs, intervalMs) => driver.run(pollSignIn, id, seenAtMs, atMs, intervalMs),
    approve: (id, accountId, tokenId, atMs) => driver.run(answerSignIn, id, 'approved', accountId, tokenId, atMs),
    deny: (id, accountId, atMs) => driver.run(answerSignIn, id, 'denied', accountId, null, atMs),
    redeem: (id, digests, atMs, expiresAtMs) => driver.run(redeemSignIn, id, digests, atMs, expiresAtMs),
    refresh: (id, usedDigest, next, atMs, expiresAtMs) =>
      driver.run(refreshSignIn, id, usedDigest, next, atMs, expiresAtMs),
    end: (id) => driver.run(endSignIn, id),
    endOf: (accountId) => driver.run(endSignInsOf, accountId),
    list: (accountId, nowMs, limit) => driver.run(listSignIns, accountId, nowMs, limit),
    endExpired: (nowMs) => driver.run(endExpiredSignIns, nowMs),
    expire: (beforeMs) => removeAll(driver, expireSignIns, beforeMs),
  };
}
