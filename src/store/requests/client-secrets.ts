/** The store's contract and methods for the credentials of realtime clients. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import { storableName } from '../sql/storable-text.ts';
import {
  type ClientSecretRow,
  expireClientSecrets,
  getClientSecret,
  putClientSecret,
  type SecretCeiling,
} from './client-secret-queries.ts';

export interface ClientSecretStore {
  /** False where as many are valid as may be; absent means no ceiling. */
  put(row: ClientSecretRow, ceiling?: SecretCeiling): Promise<boolean>;
  /** Undefined where there is none and where it expired. */
  get(digest: string, nowMs: number): Promise<ClientSecretRow | undefined>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
}

const noCeiling: SecretCeiling = { nowMs: 0, perTokenMax: 1_000_000_000, max: 1_000_000_000 };

export function clientSecretStore(driver: Driver): ClientSecretStore {
  return {
    put(row, ceiling = noCeiling) {
      const storable = { ...row, model: storableName(row.model), expiresAtMs: Math.round(row.expiresAtMs) };
      return driver.run(putClientSecret, storable, { ...ceiling, nowMs: Math.round(ceiling.nowMs) });
    },
    get: async (digest, nowMs) => (await driver.run(getClientSecret, digest, Math.round(nowMs))) ?? undefined,
    expire: (nowMs) => removeAll(driver, expireClientSecrets, nowMs),
  };
}
