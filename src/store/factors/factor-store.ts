/** What the store keeps about second factors. Part of the store's contract. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  addPasskey,
  beginTotp,
  confirmTotp,
  countRecoveryCodes,
  expireTickets,
  type FactorAddition,
  type PasskeyRecord,
  passkeyById,
  passkeysOf,
  removeFactors,
  removePasskey,
  removeTotp,
  replaceRecoveryCodes,
  type TotpRecord,
  totpByAccount,
  usePasskey,
  useRecoveryCode,
  useTicket,
  useTotpStep,
} from './factor-queries.ts';

export type { FactorAddition, PasskeyRecord } from './factor-queries.ts';

export interface FactorStore {
  totp(accountId: string): Promise<TotpRecord | undefined>;
  /** Replaces a pending one; false where the account has an active one. */
  beginTotp(totp: TotpRecord): Promise<boolean>;
  /** The first right code. `codes`: digests of recovery codes, written where the account has none. */
  confirmTotp(accountId: string, timeStep: number, atMs: number, codes: readonly string[]): Promise<FactorAddition>;
  /** False where a code of this time step or of a later one was used before. */
  useTotpStep(accountId: string, timeStep: number): Promise<boolean>;
  removeTotp(accountId: string): Promise<boolean>;
  /** Oldest first. */
  passkeysOf(accountId: string): Promise<readonly PasskeyRecord[]>;
  passkey(id: string): Promise<PasskeyRecord | undefined>;
  /** Refused where the credential is registered already, or the account has `most`. */
  addPasskey(passkey: PasskeyRecord, most: number, codes: readonly string[]): Promise<FactorAddition>;
  /** False where the counter did not grow. */
  usePasskey(id: string, counter: number, atMs: number): Promise<boolean>;
  removePasskey(id: string, accountId: string): Promise<boolean>;
  /** False where the account has no second factor. */
  replaceRecoveryCodes(accountId: string, digests: readonly string[]): Promise<boolean>;
  countRecoveryCodes(accountId: string): Promise<number>;
  /** Each works once. */
  useRecoveryCode(accountId: string, digest: string): Promise<boolean>;
  /** Everything of the account: how many factors there were. */
  removeAll(accountId: string): Promise<number>;
  /** False where it was used before. */
  useTicket(digest: string, expiresAtMs: number): Promise<boolean>;
  /** Removes what is only needed until a ticket expires. */
  expire(nowMs: number): Promise<void>;
}

export function factorStore(driver: Driver): FactorStore {
  return {
    totp: async (accountId) => (await driver.run(totpByAccount, accountId)) ?? undefined,
    beginTotp: (totp) => driver.run(beginTotp, totp),
    confirmTotp: (accountId, timeStep, atMs, codes) =>
      driver.run(confirmTotp, accountId, timeStep, Math.round(atMs), codes),
    useTotpStep: (accountId, timeStep) => driver.run(useTotpStep, accountId, timeStep),
    removeTotp: (accountId) => driver.run(removeTotp, accountId),
    passkeysOf: (accountId) => driver.run(passkeysOf, accountId),
    passkey: async (id) => (await driver.run(passkeyById, id)) ?? undefined,
    addPasskey: (passkey, most, codes) => driver.run(addPasskey, passkey, most, codes),
    usePasskey: (id, counter, atMs) => driver.run(usePasskey, id, counter, Math.round(atMs)),
    removePasskey: (id, accountId) => driver.run(removePasskey, id, accountId),
    replaceRecoveryCodes: (accountId, digests) => driver.run(replaceRecoveryCodes, accountId, digests),
    countRecoveryCodes: (accountId) => driver.run(countRecoveryCodes, accountId),
    useRecoveryCode: (accountId, digest) => driver.run(useRecoveryCode, accountId, digest),
    removeAll: (accountId) => driver.run(removeFactors, accountId),
    useTicket: (digest, expiresAtMs) => driver.run(useTicket, digest, Math.round(expiresAtMs)),
    expire: (nowMs) => removeAll(driver, expireTickets, nowMs),
  };
}
