/** The store's contract and methods for replies that later requests may continue. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import { storableName } from '../sql/storable-text.ts';
import {
  expireKeptReplies,
  getKeptReply,
  hasKeptReply,
  type KeptReplyKind,
  putKeptReply,
  removeKeptReply,
  trimAllKeptReplies,
  trimKeptReplies,
} from './kept-reply-queries.ts';

export interface KeptReplyRow {
  readonly tokenId: string;
  readonly id: string;
  readonly kind: KeptReplyKind;
  readonly provider: string;
  readonly keyId: string;
  readonly tokens: number | undefined;
  /** Opaque here: its writer encrypts it. */
  readonly content: string | undefined;
  readonly expiresAtMs: number;
}

export interface KeptReplyStore {
  /** Replaces an earlier one with the same id. */
  put(row: KeptReplyRow): Promise<void>;
  /** Undefined where there is none, where it expired, and where it is another token's. */
  get(tokenId: string, id: string, nowMs: number): Promise<KeptReplyRow | undefined>;
  /** Does any token have it? */
  has(id: string, nowMs: number): Promise<boolean>;
  /** False where there was none. */
  remove(tokenId: string, id: string, nowMs: number): Promise<boolean>;
  /** Removes the oldest of a token beyond so many, or beyond so many bytes; how many. */
  trim(tokenId: string, most: number, bytesMax: number): Promise<number>;
  /** Removes the oldest content of all tokens beyond so many bytes; how many. */
  trimAll(bytesMax: number): Promise<number>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
}

export function keptReplyStore(driver: Driver): KeptReplyStore {
  return {
    async put(row) {
      const names = { provider: storableName(row.provider), keyId: storableName(row.keyId) };
      await driver.run(putKeptReply, { ...row, ...names, expiresAtMs: Math.round(row.expiresAtMs) });
    },
    async get(tokenId, id, nowMs) {
      const row = await driver.run(getKeptReply, tokenId, id, Math.round(nowMs));
      return row === null ? undefined : { ...row, tokens: row.tokens, content: row.content };
    },
    trim: (tokenId, most, bytesMax) => driver.run(trimKeptReplies, tokenId, most, bytesMax),
    trimAll: (bytesMax) => driver.run(trimAllKeptReplies, bytesMax),
    has: (id, nowMs) => driver.run(hasKeptReply, id, Math.round(nowMs)),
    remove: (tokenId, id, nowMs) => driver.run(removeKeptReply, tokenId, id, Math.round(nowMs)),
    expire: (nowMs) => removeAll(driver, expireKeptReplies, nowMs),
  };
}
