/** The tables of second factors. Whether an account has one is also in `accounts`, and changes in the same transaction. */

import { bareDigest, splitDigest } from '../../secrets/digests.ts';
import { read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Steps, statement, step } from '../sql/statement.ts';
import { integer, name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';

const totps = table('totp_secrets', {
  accountId: text,
  /** `pending` until the first code was right. */
  state: textOf<'pending' | 'active'>(),
  /** Sealed. */
  secret: text,
  /** The newest time step whose code was used. */
  lastStep: integer,
  createdAtMs: time,
});
export type TotpRecord = RowIn<typeof totps>;

const passkeys = table('passkeys', {
  /** The credential's id, base64url. */
  id: text,
  accountId: text,
  /** The host name that it was made for: no browser offers it elsewhere. */
  rpId: text,
  /** SPKI, base64url. */
  publicKey: text,
  algorithm: integer,
  counter: integer,
  name,
  createdAtMs: time,
  lastUsedAtMs: optional(integer),
});
export type PasskeyRecord = RowIn<typeof passkeys>;

const recoveryCodes = table('recovery_codes', { accountId: text, digest: text, digestKey: optional(text) });

/** Takes the account's row first: changes of one account's factors wait for one another. */
const lockAccount = statement(
  'UPDATE accounts SET second_factor_at_ms = second_factor_at_ms WHERE id = $1 RETURNING id',
);
const hasFactor = statement(
  `SELECT 1 FROM accounts WHERE id = $1 AND (
     EXISTS (SELECT 1 FROM totp_secrets t WHERE t.account_id = $1 AND t.state = 'active')
     OR EXISTS (SELECT 1 FROM passkeys p WHERE p.account_id = $1))`,
);
const markFactor = statement(
  'UPDATE accounts SET second_factor_at_ms = $2 WHERE id = $1 AND second_factor_at_ms IS NULL',
);
const unmarkFactor = statement('UPDATE accounts SET second_factor_at_ms = NULL WHERE id = $1');
const dropCodes = statement('DELETE FROM recovery_codes WHERE account_id = $1');
const countCodes = statement('SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1');
const addCode = statement(recoveryCodes.insert);

function* putCodes(accountId: string, digests: readonly string[]): Steps<void> {
  yield step(dropCodes, accountId);
  for (const each of digests) {
    const [digest, digestKey] = splitDigest(each);
    yield step(addCode, ...recoveryCodes.values({ accountId, digest, digestKey: digestKey ?? undefined }));
  }
}

/** The codes are written with the first factor, and go with the last one. */
function* added(accountId: string, atMs: number, codes: readonly string[]): Steps<'added' | 'added-with-codes'> {
  yield step(markFactor, accountId, atMs);
  if (asNumber((yield step(countCodes, accountId))[0]?.[0]) > 0) return 'added';
  yield* putCodes(accountId, codes);
  return 'added-with-codes';
}

function* removed(accountId: string): Steps<void> {
  if ((yield step(hasFactor, accountId)).length > 0) return;
  yield step(unmarkFactor, accountId);
  yield step(dropCodes, accountId);
}

const totpOf = statement(`SELECT ${totps.list} FROM totp_secrets WHERE account_id = $1`);
const putTotp = statement(totps.upsert('accountId'));
const activate = statement(
  `UPDATE totp_secrets SET state = 'active', last_step = $2
   WHERE account_id = $1 AND state = 'pending' AND last_step < $2 RETURNING account_id`,
);
const useStep = statement(
  `UPDATE totp_secrets SET last_step = $2
   WHERE account_id = $1 AND state = 'active' AND last_step < $2 RETURNING account_id`,
);
const dropTotp = statement('DELETE FROM totp_secrets WHERE account_id = $1 RETURNING state');

export const totpByAccount = read(function* (accountId: string): Steps<TotpRecord | null> {
  const row = (yield step(totpOf, accountId))[0];
  return row === undefined ? null : totps.read(row);
});

/** False where the account has an active one, or is gone. */
export const beginTotp = transaction(function* (totp: TotpRecord): Steps<boolean> {
  if ((yield step(lockAccount, totp.accountId)).length === 0) return false;
  const row = (yield step(totpOf, totp.accountId))[0];
  if (row !== undefined && totps.read(row).state === 'active') return false;
  yield step(putTotp, ...totps.values(totp));
  return true;
});

export type FactorAddition = 'added' | 'added-with-codes' | 'refused';

export const confirmTotp = transaction(function* (
  accountId: string,
  timeStep: number,
  atMs: number,
  codes: readonly string[],
): Steps<FactorAddition> {
  yield step(lockAccount, accountId);
  if ((yield step(activate, accountId, timeStep)).length === 0) return 'refused';
  return yield* added(accountId, atMs, codes);
});

/** False where a code of this step or of a later one was used before. */
export const useTotpStep = single(function* (accountId: string, timeStep: number): Steps<boolean> {
  return (yield step(useStep, accountId, timeStep)).length > 0;
});

export const removeTotp = transaction(function* (accountId: string): Steps<boolean> {
  yield step(lockAccount, accountId);
  const found = yield step(dropTotp, accountId);
  yield* removed(accountId);
  return found.length > 0;
});

const passkeysByAccount = statement(
  `SELECT ${passkeys.list} FROM passkeys WHERE account_id = $1 ORDER BY created_at_ms, id`,
);
const passkeyBy = statement(`SELECT ${passkeys.list} FROM passkeys WHERE id = $1`);
const countPasskeys = statement('SELECT COUNT(*) FROM passkeys WHERE account_id = $1');
const addKey = statement(`${passkeys.insert} ON CONFLICT (id) DO NOTHING RETURNING id`);
/** Authenticators without a counter always report 0. */
const useKey = statement(
  `UPDATE passkeys SET counter = $2, last_used_at_ms = $3
   WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`,
);
const dropKey = statement('DELETE FROM passkeys WHERE id = $1 AND account_id = $2 RETURNING id');
const dropKeys = statement('DELETE FROM passkeys WHERE account_id = $1 RETURNING id');

export const passkeysOf = read(function* (accountId: string): Steps<readonly PasskeyRecord[]> {
  return (yield step(passkeysByAccount, accountId)).map((row) => passkeys.read(row));
});

export const passkeyById = read(function* (id: string): Steps<PasskeyRecord | null> {
  const row = (yield step(passkeyBy, id))[0];
  return row === undefined ? null : passkeys.read(row);
});

/** Refused where the credential is registered already, or the account has as many as allowed. */
export const addPasskey = transaction(function* (
  passkey: PasskeyRecord,
  most: number,
  codes: readonly string[],
): Steps<FactorAddition> {
  const { accountId, createdAtMs } = passkey;
  if ((yield step(lockAccount, accountId)).length === 0) return 'refused';
  if (asNumber((yield step(countPasskeys, accountId))[0]?.[0]) >= most) return 'refused';
  if ((yield step(addKey, ...passkeys.values(passkey))).length === 0) return 'refused';
  return yield* added(accountId, Math.round(createdAtMs), codes);
});

/** False where the counter did not grow: the authenticator may have been copied. */
export const usePasskey = single(function* (id: string, counter: number, atMs: number): Steps<boolean> {
  return (yield step(useKey, id, counter, atMs)).length > 0;
});

export const removePasskey = transaction(function* (id: string, accountId: string): Steps<boolean> {
  yield step(lockAccount, accountId);
  const found = yield step(dropKey, id, accountId);
  yield* removed(accountId);
  return found.length > 0;
});

const useCode = statement('DELETE FROM recovery_codes WHERE account_id = $1 AND digest = $2 RETURNING digest');

/** False where the account has no second factor. */
export const replaceRecoveryCodes = transaction(function* (
  accountId: string,
  digests: readonly string[],
): Steps<boolean> {
  yield step(lockAccount, accountId);
  if ((yield step(hasFactor, accountId)).length === 0) return false;
  yield* putCodes(accountId, digests);
  return true;
});

export const countRecoveryCodes = read(function* (accountId: string): Steps<number> {
  return asNumber((yield step(countCodes, accountId))[0]?.[0]);
});

export const useRecoveryCode = single(function* (accountId: string, digest: string): Steps<boolean> {
  return (yield step(useCode, accountId, bareDigest(digest))).length > 0;
});

/** Everything of the account: how many factors there were. */
export const removeFactors = transaction(function* (accountId: string): Steps<number> {
  yield step(lockAccount, accountId);
  const totp = (yield step(dropTotp, accountId)).filter(([state]) => state === 'active');
  const keys = yield step(dropKeys, accountId);
  yield* removed(accountId);
  return totp.length + keys.length;
});

const addUsed = statement(
  'INSERT INTO used_tickets (digest, expires_at_ms) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING digest',
);

/** False where it was used before. */
export const useTicket = single(function* (digest: string, expiresAtMs: number): Steps<boolean> {
  return (yield step(addUsed, digest, expiresAtMs)).length > 0;
});

export const expireTickets = removal('used_tickets', 'digest', 'expires_at_ms');
