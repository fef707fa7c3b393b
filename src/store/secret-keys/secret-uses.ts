/** The store's contract for a change of keys: what depends on which key, and how a sealed text is exchanged for one of another key. */

import type { TokenRecord } from '../../access/caller.ts';
import { sealedPrefix } from '../../secrets/sealing.ts';
import type { Driver } from '../sql/driver.ts';
import { tokenRecord } from '../tokens/token-store.ts';
import type { SealedTable } from './secret-use-queries.ts';
import { countOfOtherKeys, exchangeTexts, textsOfOtherKeys, tokensOfOtherKeys } from './secret-use-queries.ts';

export type { SealedTable } from './secret-use-queries.ts';

export interface SealedRow {
  /** The two words that name the row. */
  readonly place: readonly [first: string, second: string];
  readonly sealed: string;
}

export interface SealedExchange extends SealedRow {
  readonly resealed: string;
}

interface CountsOfOtherKeys {
  readonly sessions: number;
  readonly clientSecrets: number;
  readonly videos: number;
  readonly invitations: number;
  readonly recoveryCodes: number;
  readonly adminKeys: number;
}

export interface SecretUseStore {
  /** Texts that another key sealed, behind the row that is named; fewer than `limit` where there are no more. */
  textsOfOtherKeys(
    table: SealedTable,
    keyId: string,
    after: SealedRow['place'] | undefined,
    limit: number,
  ): Promise<readonly SealedRow[]>;
  /** What was changed meanwhile stays as it is. */
  exchangeTexts(table: SealedTable, exchanges: readonly SealedExchange[]): Promise<void>;
  /** Tokens that are not revoked and have a secret whose digest another key made, some at a time. */
  tokensOfOtherKeys(
    keyId: string,
    afterId: string | undefined,
    nowMs: number,
    limit: number,
  ): Promise<readonly TokenRecord[]>;
  /** What else was given out under other keys, or before this one came, and still counts. */
  countOfOtherKeys(keyId: string, keySinceMs: number, nowMs: number): Promise<CountsOfOtherKeys>;
}

export function secretUseStore(driver: Driver): SecretUseStore {
  return {
    async textsOfOtherKeys(table, keyId, after, limit) {
      const rows = await driver.run(textsOfOtherKeys, table, sealedPrefix(keyId), after ?? ['', ''], limit);
      return rows.map(([first, second, sealed]) => ({ place: [first, second], sealed }));
    },
    async exchangeTexts(table, exchanges) {
      const cells = exchanges.map(({ place, sealed, resealed }) => [...place, sealed, resealed] as const);
      await driver.run(exchangeTexts, table, cells);
    },
    async tokensOfOtherKeys(keyId, afterId, nowMs, limit) {
      const rows = await driver.run(tokensOfOtherKeys, keyId, afterId ?? '', Math.round(nowMs), limit);
      return rows.map(tokenRecord);
    },
    async countOfOtherKeys(keyId, keySinceMs, nowMs) {
      const instants = [Math.round(keySinceMs), Math.round(nowMs)] as const;
      const [sessions, clientSecrets, videos, invitations, recoveryCodes, adminKeys] = await driver.run(
        countOfOtherKeys,
        keyId,
        sealedPrefix(keyId),
        ...instants,
      );
      return { sessions, clientSecrets, videos, invitations, recoveryCodes, adminKeys };
    },
  };
}
