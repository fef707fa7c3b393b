/** What the store keeps about the accounts of the console. Part of the store's contract. */

import type { AccountRecord, AuditRecord, Role, SessionIssuer, SessionRecord } from '../../access/account.ts';
import type { Page, PageRequest } from '../sql/pages.ts';

export interface NewAccount {
  readonly id: string;
  readonly name: string;
  /** The name as it is compared: two accounts never share it. */
  readonly nameKey: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** The password was given out by another person: it opens only what is needed to choose another. */
  readonly mustChangePassword?: boolean | undefined;
}

/** What is absent stays as it is. */
export interface AccountChange {
  readonly name?: { readonly shown: string; readonly key: string } | undefined;
  readonly role?: Role | undefined;
  /** 0 ends a disabling. */
  readonly disabledAtMs?: number | undefined;
}

/** There is always an owner who can sign in, so the last one can neither be demoted nor be disabled. */
export type AccountOutcome = 'changed' | 'absent' | 'name-taken' | 'last-owner';

export interface AccountStore {
  /** False where another account has the name. */
  insert(account: NewAccount): Promise<boolean>;
  byId(id: string): Promise<AccountRecord | undefined>;
  byName(nameKey: string): Promise<{ readonly account: AccountRecord; readonly passwordHash: string } | undefined>;
  passwordHash(id: string): Promise<string | undefined>;
  /** Oldest first. */
  list(limit: number): Promise<readonly AccountRecord[]>;
  update(id: string, change: AccountChange): Promise<AccountOutcome>;
  /** False where there is no such account. */
  setPassword(
    id: string,
    passwordHash: string,
    atMs: number,
    options?: { readonly mustChange?: boolean },
  ): Promise<boolean>;
  /**
   * Another person gets the account: password, second factors, sessions and programs of the former one are removed, their
   * tokens, admin keys and open invitations revoked.
   */
  dropCredentials(id: string, atMs: number, options: { readonly keepsIdentities: boolean }): Promise<void>;
}

export interface SessionStore {
  /** False where the account was disabled, or its password is no longer the one that was checked. */
  open(session: SessionRecord, digest: string, passwordHash: string, issuer?: SessionIssuer): Promise<boolean>;
  /** Nothing where it ended, was revoked, or its account was disabled. */
  byDigest(
    digest: string,
    nowMs: number,
  ): Promise<{ readonly session: SessionRecord; readonly account: AccountRecord } | undefined>;
  /** The same session under the digest of a newer key. */
  moveDigest(from: string, to: string): Promise<void>;
  touch(session: Pick<SessionRecord, 'id' | 'lastSeenAtMs' | 'expiresAtMs' | 'address'>): Promise<void>;
  /** Those that still work, the one that was seen last first. */
  list(accountId: string, nowMs: number, limit: number): Promise<readonly SessionRecord[]>;
  /** False where the account has no such session. */
  revoke(id: string, accountId: string, atMs: number): Promise<boolean>;
  /** All of the account's, but for one where it is named: how many there were. */
  revokeOf(accountId: string, atMs: number, exceptId?: string): Promise<number>;
  /** Removes all that have ended, some at a time. */
  expire(nowMs: number): Promise<void>;
}

export interface AuditFilter {
  readonly accountId?: string | undefined;
  readonly action?: string | undefined;
}

export interface AuditStore {
  add(record: AuditRecord): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditRecord>>;
  /** Removes what is older, some at a time. */
  expire(beforeMs: number): Promise<void>;
}

export interface SetUpStore {
  isDone(): Promise<boolean>;
  addLink(digest: string, nowMs: number, expiresAtMs: number): Promise<void>;
  /** Makes the first account, once: false where that was done before or the link is none. */
  complete(account: NewAccount, link?: string): Promise<boolean>;
}

/** Counts tries to sign in by scope: an IP address, a name. */
export interface SignInTryStore {
  /** Adds one; a count restarts once `windowMs` have passed since its first. */
  count(
    scope: string,
    nowMs: number,
    windowMs: number,
  ): Promise<{ readonly tries: number; readonly startedAtMs: number }>;
  /** The try was successful. */
  giveBack(scope: string): Promise<void>;
  expire(nowMs: number, windowMs: number): Promise<void>;
}
