/** What the store keeps about signing in through issuers. Part of the store's contract. */

import type { NewAccount } from '../accounts/account-store.ts';
import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  endIssuerSessions,
  expireMarks,
  expireSessionIssuers,
  type IdentityRow,
  identitiesOf,
  identityBySubject,
  identitySeen,
  issuerOfSession,
  type LinkOutcome,
  linkIdentity,
  useMark,
} from './identity-queries.ts';

export interface IdentityStore {
  bySubject(issuer: string, subject: string): Promise<IdentityRow | undefined>;
  ofAccount(accountId: string): Promise<readonly IdentityRow[]>;
  /** Links the identity to its account, which is made in the same step if it is given. */
  link(identity: IdentityRow, account?: NewAccount): Promise<LinkOutcome>;
  seen(issuer: string, subject: string, atMs: number): Promise<void>;
  /** The issuer that opened the session, with the sealed ID token; undefined where a password did. */
  ofSession(
    sessionId: string,
  ): Promise<{ readonly issuer: string; readonly issuerName: string; readonly idToken: string } | undefined>;
  /** Ends the sessions that the issuer opened for one of its own sessions, or for a user: the account of each. */
  endSessions(issuer: string, by: 'sid' | 'subject', value: string, atMs: number): Promise<readonly string[]>;
  /** True for the first use of a text until it expires. */
  useOnce(mark: string, expiresAtMs: number): Promise<boolean>;
  expire(nowMs: number): Promise<void>;
}

export function identityStore(driver: Driver): IdentityStore {
  return {
    bySubject: async (issuer, subject) => (await driver.run(identityBySubject, issuer, subject)) ?? undefined,
    ofAccount: (accountId) => driver.run(identitiesOf, accountId),
    link: (identity, account) => driver.run(linkIdentity, identity, account === undefined ? null : { ...account }),
    async seen(issuer, subject, atMs) {
      await driver.run(identitySeen, issuer, subject, Math.round(atMs));
    },
    ofSession: async (sessionId) => (await driver.run(issuerOfSession, sessionId)) ?? undefined,
    endSessions: (issuer, by, value, atMs) => driver.run(endIssuerSessions, issuer, by, value, Math.round(atMs)),
    useOnce: (mark, expiresAtMs) => driver.run(useMark, mark, Math.round(expiresAtMs)),
    async expire(nowMs) {
      await removeAll(driver, expireMarks, nowMs);
      await removeAll(driver, expireSessionIssuers, nowMs);
    },
  };
}
