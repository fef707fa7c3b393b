/** Recovery codes: for the day on which the phone is lost. Ten at a time, shown once, each for one use. */

import type { Digests } from '../../secrets/digests.ts';
import type { FactorStore } from '../../store/factors/factor-store.ts';
import { groupedText } from '../accounts/passwords.ts';
import { factorBounds } from '../contracts/factor-contract.ts';

interface NewRecoveryCodes {
  readonly codes: readonly string[];
  readonly digests: readonly string[];
}

export interface RecoveryCodes {
  make(): NewRecoveryCodes;
  /** True once for each code of the account. */
  use(accountId: string, code: string): Promise<boolean>;
}

/** About 79 bits. */
const groups = 4;
/** Letters' case and hyphens do not matter to the person who types it. */
const plain = (code: string): string => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

interface RecoveryCodesOptions {
  readonly factors: Pick<FactorStore, 'useRecoveryCode'>;
  readonly digests: Digests;
}

export function createRecoveryCodes({ factors, digests }: RecoveryCodesOptions): RecoveryCodes {
  return {
    make() {
      const codes = Array.from({ length: factorBounds.recoveryCodes }, () => groupedText(groups));
      return { codes, digests: codes.map((code) => digests.of(plain(code))) };
    },
    async use(accountId, code) {
      const look = async (digest: string): Promise<true | undefined> =>
        (await factors.useRecoveryCode(accountId, digest)) || undefined;
      return (await digests.find(plain(code), look)) !== undefined;
    },
  };
}
