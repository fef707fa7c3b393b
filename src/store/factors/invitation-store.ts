/** What the store keeps about invitations. Part of the store's contract. */

import type { NewAccount } from '../accounts/account-store.ts';
import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  type Acceptance,
  acceptInvitation,
  expireInvitations,
  type InvitationRecord,
  insertInvitation,
  invitationByDigest,
  invitationById,
  listInvitations,
  revokeInvitation,
} from './invitation-queries.ts';

export type { Acceptance, InvitationRecord } from './invitation-queries.ts';

export interface InvitationStore {
  /** False where there are `openMax` open ones. */
  insert(invitation: InvitationRecord, digest: string, openMax: number): Promise<boolean>;
  /** Newest first, with those that were accepted, revoked or have expired. */
  list(limit: number): Promise<readonly InvitationRecord[]>;
  byId(id: string): Promise<InvitationRecord | undefined>;
  /** Only one that can still be accepted. */
  byDigest(digest: string, nowMs: number): Promise<InvitationRecord | undefined>;
  /** False where it was accepted or revoked before. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** Makes the account and its membership, once. */
  accept(id: string, account: NewAccount): Promise<Acceptance>;
  /** Removes those that expired before. */
  expire(beforeMs: number): Promise<void>;
}

export function invitationStore(driver: Driver): InvitationStore {
  return {
    insert: (invitation, digest, openMax) => driver.run(insertInvitation, invitation, digest, openMax),
    list: (limit) => driver.run(listInvitations, limit),
    byId: async (id) => (await driver.run(invitationById, id)) ?? undefined,
    byDigest: async (digest, nowMs) => (await driver.run(invitationByDigest, digest, Math.round(nowMs))) ?? undefined,
    revoke: (id, atMs) => driver.run(revokeInvitation, id, Math.round(atMs)),
    accept: (id, account) => driver.run(acceptInvitation, id, account),
    expire: (beforeMs) => removeAll(driver, expireInvitations, beforeMs),
  };
}
