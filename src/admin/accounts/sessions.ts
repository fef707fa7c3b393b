/** Sessions of the console: opened by a password, carried by a cookie, ended by time or by hand. */

import type { AccountRecord, SessionIssuer, SessionRecord } from '../../access/account.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { SessionStore } from '../../store/accounts/account-store.ts';
import { accountBounds, type SessionView, sessionBounds } from '../contracts/account-contract.ts';

/** Where a call comes from; none of it is proof. */
export interface Client {
  readonly address: string;
  readonly agent: string;
}

/** A signed-in account, or an admin key that acts for the account that created it. */
export interface Actor {
  readonly account: AccountRecord;
  readonly session: SessionRecord;
  readonly client: Client;
  /** Absent for a person at a browser. */
  readonly key?: {
    readonly id: string;
    readonly name: string;
    /** Nothing but this team, whatever else the account has. */
    readonly team?: { readonly id: string; readonly role: 'admin' | 'viewer' };
  };
}

/** The account whose tokens and teams narrow what is shown, or the team of a key; absent for an actor who sees everything. */
export const narrowedTo = ({ account, key }: Pick<Actor, 'account' | 'key'>): string | undefined =>
  key?.team?.id ?? (account.role === 'member' ? account.id : undefined);

export interface OpenedSession {
  /** Sent to the browser only. */
  readonly cookieValue: string;
  readonly actor: Actor;
}

export interface Sessions {
  /** Undefined where the account was disabled, or its password is no longer the one that was checked. */
  open(
    account: AccountRecord,
    passwordHash: string,
    client: Client,
    issuerOf?: (sessionId: string) => SessionIssuer,
  ): Promise<OpenedSession | undefined>;
  find(cookieValue: string, client: Client): Promise<Actor | undefined>;
  list(accountId: string, current: SessionRecord): Promise<readonly SessionView[]>;
  /** False where the account has no such session. */
  revoke(id: string, accountId: string): Promise<boolean>;
  /** Ends all sessions of the account, except one if it is given; returns how many there were. */
  revokeOf(accountId: string, exceptId?: string): Promise<number>;
  /** Removes ended sessions. */
  tidy(): Promise<void>;
}

interface SessionsOptions {
  readonly table: SessionStore;
  /** Keyed, so that a digest from the database is useless by itself. */
  readonly digests: Digests;
  readonly nowMs: () => number;
}

const cookieBytes = 32;
const cookieShape = /^[A-Za-z0-9_-]{43}$/;
const agentLengthMax = 200;

/** 256 random bits. */
export const randomText = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(cookieBytes))).toString('base64url');
export const isRandomText = (text: string): boolean => cookieShape.test(text);

export function createSessions({ table, digests, nowMs }: SessionsOptions): Sessions {
  const end = (createdAtMs: number, seenAtMs: number): number =>
    Math.min(createdAtMs + sessionBounds.totalMs, seenAtMs + sessionBounds.idleMs);

  /** Written at most once a minute, however often a page polls. */
  async function seen(session: SessionRecord, client: Client): Promise<SessionRecord> {
    const atMs = nowMs();
    if (atMs - session.lastSeenAtMs < sessionBounds.touchEveryMs) return session;
    const expiresAtMs = end(session.createdAtMs, atMs);
    const touched = { ...session, lastSeenAtMs: atMs, expiresAtMs, address: client.address };
    await table.touch(touched);
    return touched;
  }

  return {
    async open(account, passwordHash, client, issuerOf) {
      const atMs = nowMs();
      const cookieValue = randomText();
      const session: SessionRecord = {
        id: `ses_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`,
        accountId: account.id,
        createdAtMs: atMs,
        lastSeenAtMs: atMs,
        expiresAtMs: end(atMs, atMs),
        address: client.address,
        agent: client.agent.slice(0, agentLengthMax),
        // An issuer asked for its own factors.
        ...(issuerOf !== undefined && { isFederated: true }),
      };
      const issuer = issuerOf?.(session.id);
      if (!(await table.open(session, digests.of(cookieValue), passwordHash, issuer))) return undefined;
      return { cookieValue, actor: { account, session, client } };
    },
    async find(cookieValue, client) {
      if (!isRandomText(cookieValue)) return undefined;
      const match = await digests.find(cookieValue, (digest) => table.byDigest(digest, nowMs()));
      if (match === undefined) return undefined;
      const { found, olderDigest } = match;
      if (olderDigest !== undefined) await table.moveDigest(olderDigest, digests.of(cookieValue));
      return { account: found.account, session: await seen(found.session, client), client };
    },
    async list(accountId, current) {
      const records = await table.list(accountId, nowMs(), accountBounds.sessionsListedMax);
      return records.map((record) => sessionView(record, current));
    },
    revoke: (id, accountId) => table.revoke(id, accountId, nowMs()),
    revokeOf: (accountId, exceptId) => table.revokeOf(accountId, nowMs(), exceptId),
    tidy: () => table.expire(nowMs()),
  };
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

export function sessionView(record: SessionRecord, current: SessionRecord): SessionView {
  return {
    id: record.id,
    current: record.id === current.id,
    createdAt: iso(record.createdAtMs),
    lastSeenAt: iso(record.lastSeenAtMs),
    expiresAt: iso(record.expiresAtMs),
    address: record.address,
    agent: record.agent,
  };
}
