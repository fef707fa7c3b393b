/** The store's methods for accounts, sessions and the audit log. */

import type { Driver } from '../sql/driver.ts';
import { pageOf } from '../sql/pages.ts';
import { removeAll } from '../sql/removal.ts';
import { storableName } from '../sql/storable-text.ts';
import {
  accountById,
  accountByName,
  addSetUpLink,
  completeSetUp,
  countSignInTry,
  expireSignInTries,
  giveBackSignInTry,
  insertAccount,
  listAccounts,
  passwordHashOf,
  setAccountPassword,
  setUpDone,
  updateAccount,
} from './account-queries.ts';
import type { AccountStore, AuditStore, SessionStore, SetUpStore, SignInTryStore } from './account-store.ts';
import { addAudit, expireAudit, listAudit } from './audit-queries.ts';
import { dropCredentials } from './credential-queries.ts';
import {
  expireSessions,
  listSessions,
  moveSessionDigest,
  openSession,
  revokeSession,
  revokeSessionsOf,
  sessionByDigest,
  touchSession,
} from './session-queries.ts';

export function accountStore(driver: Driver): AccountStore {
  return {
    insert: (account) => driver.run(insertAccount, account),
    byId: async (id) => (await driver.run(accountById, id)) ?? undefined,
    byName: async (nameKey) => (await driver.run(accountByName, storableName(nameKey))) ?? undefined,
    passwordHash: async (id) => (await driver.run(passwordHashOf, id)) ?? undefined,
    list: (limit) => driver.run(listAccounts, limit),
    update: (id, change) => driver.run(updateAccount, id, change),
    setPassword: (id, passwordHash, atMs, { mustChange = false } = {}) =>
      driver.run(setAccountPassword, id, passwordHash, Math.round(atMs), mustChange),
    async dropCredentials(id, atMs, { keepsIdentities }) {
      await driver.run(dropCredentials, id, Math.round(atMs), keepsIdentities);
    },
  };
}

export function sessionStore(driver: Driver): SessionStore {
  return {
    open: (session, digest, passwordHash, issuer) =>
      driver.run(openSession, session, digest, passwordHash, issuer === undefined ? null : { ...issuer }),
    async moveDigest(from, to) {
      await driver.run(moveSessionDigest, from, to);
    },
    byDigest: async (digest, nowMs) => (await driver.run(sessionByDigest, digest, Math.round(nowMs))) ?? undefined,
    async touch(session) {
      await driver.run(touchSession, session);
    },
    list: (accountId, nowMs, limit) => driver.run(listSessions, accountId, Math.round(nowMs), limit),
    revoke: (id, accountId, atMs) => driver.run(revokeSession, id, accountId, Math.round(atMs)),
    revokeOf: (accountId, atMs, exceptId = '') => driver.run(revokeSessionsOf, accountId, exceptId, Math.round(atMs)),
    expire: (nowMs) => removeAll(driver, expireSessions, nowMs),
  };
}

export function auditStore(driver: Driver): AuditStore {
  return {
    async add(record) {
      await driver.run(addAudit, record);
    },
    async list(filter, { limit, after }) {
      const rows = await driver.run(listAudit, filter, { limit: limit + 1, after });
      return pageOf(rows, limit, ({ atMs, id }) => ({ atMs, id }));
    },
    expire: (beforeMs) => removeAll(driver, expireAudit, beforeMs),
  };
}

export function setUpStore(driver: Driver): SetUpStore {
  return {
    isDone: () => driver.run(setUpDone),
    async addLink(digest, nowMs, expiresAtMs) {
      await driver.run(addSetUpLink, digest, Math.round(nowMs), Math.round(expiresAtMs));
    },
    complete: async (account, link) => (await driver.run(completeSetUp, link ?? null, account)) === 'done',
  };
}

export function signInTryStore(driver: Driver): SignInTryStore {
  return {
    count(scope, nowMs, windowMs) {
      const now = Math.round(nowMs);
      return driver.run(countSignInTry, storableName(scope), now, now - windowMs);
    },
    async giveBack(scope) {
      await driver.run(giveBackSignInTry, storableName(scope));
    },
    expire: (nowMs, windowMs) => removeAll(driver, expireSignInTries, nowMs - windowMs),
  };
}
