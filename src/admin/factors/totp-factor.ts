/** An account's authenticator app: its secret is sealed in the database, and each code works once. */

import type { Sealing } from '../../secrets/sealing.ts';
import type { FactorAddition, FactorStore } from '../../store/factors/factor-store.ts';
import { stepOfCode, totpSecretBytes } from './totp.ts';

export interface TotpFactor {
  /** A new secret, active after its first right code; undefined where the account has an active one. */
  begin(accountId: string): Promise<Uint8Array | undefined>;
  /** `codes`: digests of recovery codes for an account that has none. */
  confirm(accountId: string, code: string, codes: readonly string[]): Promise<FactorAddition>;
  /** Whether the code is right; it is used up then. */
  use(accountId: string, code: string): Promise<boolean>;
}

/** What the sealed secret is bound to. */
export const totpPlace = (accountId: string): readonly string[] => ['totp', accountId];

interface TotpFactorOptions {
  readonly factors: FactorStore;
  readonly sealing: Sealing;
  readonly nowMs: () => number;
}

export function createTotpFactor({ factors, sealing, nowMs }: TotpFactorOptions): TotpFactor {
  async function stepOf(accountId: string, state: 'pending' | 'active', code: string): Promise<number | undefined> {
    const found = await factors.totp(accountId);
    if (found?.state !== state) return undefined;
    const secret = await sealing.openBytes(totpPlace(accountId), found.secret);
    return secret && stepOfCode(secret, code, nowMs(), found.lastStep);
  }
  return {
    async begin(accountId) {
      const secret = crypto.getRandomValues(new Uint8Array(totpSecretBytes));
      const sealed = sealing.sealBytes(totpPlace(accountId), secret);
      const totp = { accountId, state: 'pending', secret: sealed, lastStep: 0, createdAtMs: nowMs() } as const;
      return (await factors.beginTotp(totp)) ? secret : undefined;
    },
    async confirm(accountId, code, codes) {
      const timeStep = await stepOf(accountId, 'pending', code);
      return timeStep === undefined ? 'refused' : factors.confirmTotp(accountId, timeStep, nowMs(), codes);
    },
    async use(accountId, code) {
      const timeStep = await stepOf(accountId, 'active', code);
      return timeStep !== undefined && (await factors.useTotpStep(accountId, timeStep));
    },
  };
}
