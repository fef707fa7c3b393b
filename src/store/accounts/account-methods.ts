/** The store's methods for accounts, sessions and the audit log: types in, cells down, types back. */

import type { AccountRecord, AuditRecord, Role, SessionRecord } from '../../access/account.ts';
import type { Driver } from '../sql/driver.ts';
import { storableName } from '../sql/storable-text.ts';
import type { AccountCells, NewAccountCells } from './account-queries.ts';
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
import type {
  AccountStore,
  AuditStore,
  NewAccount,
  SessionStore,
  SetUpStore,
  SignInTryStore,
} from './account-store.ts';
import type { AuditCells } from './audit-queries.ts';
import { addAudit, expireAudit, listAudit } from './audit-queries.ts';
import type { SessionCells } from './session-queries.ts';
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

/** How many rows are removed in one go. */
const expirePageSize = 200;

const newCells = (given: NewAccount): NewAccountCells => {
  const { id, name, nameKey, role, passwordHash, createdAtMs } = given;
  return [id, storableName(name), storableName(nameKey), role, passwordHash, Math.round(createdAtMs)];
};

function accountRecord(cells: AccountCells): AccountRecord {
  const [id, name, role, createdAtMs, passwordChangedAtMs, lastSignInAtMs, disabledAtMs] = cells;
  return {
    id,
    name,
    // Only this Weir's own words are written there.
    role: role as Role,
    createdAtMs,
    passwordChangedAtMs,
    ...(lastSignInAtMs === null ? {} : { lastSignInAtMs }),
    ...(disabledAtMs === null ? {} : { disabledAtMs }),
  };
}

export function accountStore(driver: Driver): AccountStore {
  return {
    insert: (account) => driver.run(insertAccount, ...newCells(account)),
    async byId(id) {
      const found = await driver.run(accountById, id);
      return found === null ? undefined : accountRecord(found);
    },
    async byName(nameKey) {
      const found = await driver.run(accountByName, storableName(nameKey));
      return found === null ? undefined : { account: accountRecord(found[0]), passwordHash: found[1] };
    },
    passwordHash: async (id) => (await driver.run(passwordHashOf, id)) ?? undefined,
    list: async (limit) => (await driver.run(listAccounts, limit)).map(accountRecord),
    update(id, { name, role, disabledAtMs }) {
      const shown = name === undefined ? null : storableName(name.shown);
      const key = name === undefined ? null : storableName(name.key);
      return driver.run(updateAccount, id, [shown, key, role ?? null, disabledAtMs ?? null]);
    },
    setPassword: (id, passwordHash, atMs) => driver.run(setAccountPassword, id, passwordHash, Math.round(atMs)),
  };
}

function sessionRecord(cells: SessionCells): SessionRecord {
  const [id, accountId, createdAtMs, lastSeenAtMs, expiresAtMs, address, agent] = cells;
  return { id, accountId, createdAtMs, lastSeenAtMs, expiresAtMs, address, agent };
}

export function sessionStore(driver: Driver): SessionStore {
  return {
    open(session, digest, passwordHash) {
      const { id, accountId, createdAtMs, lastSeenAtMs, expiresAtMs, address, agent } = session;
      const instants = [createdAtMs, lastSeenAtMs, expiresAtMs].map(Math.round) as [number, number, number];
      const cells = [id, accountId, ...instants, storableName(address), storableName(agent)] as const;
      return driver.run(openSession, digest, passwordHash, cells);
    },
    async moveDigest(from, to) {
      await driver.run(moveSessionDigest, from, to);
    },
    async byDigest(digest, nowMs) {
      const found = await driver.run(sessionByDigest, digest, Math.round(nowMs));
      return found === null ? undefined : { session: sessionRecord(found[0]), account: accountRecord(found[1]) };
    },
    async touch({ id, lastSeenAtMs, expiresAtMs, address }) {
      await driver.run(touchSession, id, Math.round(lastSeenAtMs), Math.round(expiresAtMs), storableName(address));
    },
    async list(accountId, nowMs, limit) {
      return (await driver.run(listSessions, accountId, Math.round(nowMs), limit)).map(sessionRecord);
    },
    revoke: (id, accountId, atMs) => driver.run(revokeSession, id, accountId, Math.round(atMs)),
    revokeOf: (accountId, atMs, exceptId = '') => driver.run(revokeSessionsOf, accountId, exceptId, Math.round(atMs)),
    async expire(nowMs) {
      while ((await driver.run(expireSessions, Math.round(nowMs), expirePageSize)) === expirePageSize);
    },
  };
}

function auditRecord(cells: AuditCells): AuditRecord {
  const [id, atMs, accountId, accountName, action, subject, detail, address] = cells;
  const who = accountId === null ? { accountName } : { accountId, accountName };
  return { id, atMs, ...who, action, subject, detail: JSON.parse(detail) as AuditRecord['detail'], address };
}

export function auditStore(driver: Driver): AuditStore {
  return {
    async add({ id, atMs, accountId, accountName, action, subject, detail, address }) {
      const who = [accountId ?? null, storableName(accountName)] as const;
      // PostgreSQL takes no NUL; JSON writes it as an escape, so the text itself never holds one.
      const texts = [action, storableName(subject), JSON.stringify(detail), storableName(address)] as const;
      await driver.run(addAudit, id, Math.round(atMs), ...who, ...texts);
    },
    async list({ accountId, action }, { limit, after }) {
      const place = [after?.atMs ?? null, after?.id ?? null] as const;
      const rows = await driver.run(listAudit, accountId ?? null, action ?? null, limit + 1, ...place);
      const items = rows.slice(0, limit).map(auditRecord);
      const last = items.at(-1);
      return { items, next: rows.length > limit && last !== undefined ? { atMs: last.atMs, id: last.id } : undefined };
    },
    async expire(beforeMs) {
      while ((await driver.run(expireAudit, Math.round(beforeMs), expirePageSize)) === expirePageSize);
    },
  };
}

export function setUpStore(driver: Driver): SetUpStore {
  return {
    isDone: () => driver.run(setUpDone),
    async addLink(digest, nowMs, expiresAtMs) {
      await driver.run(addSetUpLink, digest, Math.round(nowMs), Math.round(expiresAtMs));
    },
    async complete(account, link) {
      const cells = newCells(account);
      return (await driver.run(completeSetUp, link ?? null, Math.round(account.createdAtMs), cells)) === 'done';
    },
  };
}

export function signInTryStore(driver: Driver): SignInTryStore {
  return {
    async count(scope, nowMs, windowMs) {
      const now = Math.round(nowMs);
      const [tries, startedAtMs] = await driver.run(countSignInTry, storableName(scope), now, now - windowMs);
      return { tries, startedAtMs };
    },
    async giveBack(scope) {
      await driver.run(giveBackSignInTry, storableName(scope));
    },
    async expire(nowMs, windowMs) {
      const staleBeforeMs = Math.round(nowMs - windowMs);
      while ((await driver.run(expireSignInTries, staleBeforeMs, expirePageSize)) === expirePageSize);
    },
  };
}
