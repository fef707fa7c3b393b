/** The store's contract for contents that replicas share for a short time: sealed by their writer, bounded by kind and token. */

import type { Driver } from '../sql/driver.ts';
import {
  expireReplicaContents,
  getReplicaContents,
  idsMax,
  putReplicaContent,
  trimReplicaContents,
} from './replica-content-queries.ts';

export interface ReplicaContentRow {
  readonly tokenId: string;
  readonly id: string;
  readonly kind: string;
  /** Opaque here: its writer encrypts it. */
  readonly content: string;
  /** What it counts towards the limits. */
  readonly bytes: number;
  readonly atMs: number;
  readonly expiresAtMs: number;
}

export interface ReplicaContentStore {
  /** In the place of an earlier one with the same id. */
  put(row: ReplicaContentRow): Promise<void>;
  /** By id those of the token that there are and that have not expired. */
  get(tokenId: string, ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string, string>>;
  /** Removes what has expired, some at a time. */
  expire(nowMs: number): Promise<void>;
  /** Removes the oldest of this kind until each token has at most `tokenBytesMax` and all together `bytesMax`. */
  trim(kind: string, tokenBytesMax: number, bytesMax: number): Promise<void>;
}

/** How many rows are removed in one go. */
const pageSize = 200;

export function replicaContentStore(driver: Driver): ReplicaContentStore {
  return {
    async put({ tokenId, id, kind, content, bytes, atMs, expiresAtMs }) {
      const times = [Math.round(atMs), Math.round(expiresAtMs)] as const;
      await driver.run(putReplicaContent, tokenId, id, kind, content, bytes, ...times);
    },
    async get(tokenId, ids, nowMs) {
      const found = new Map<string, string>();
      for (let at = 0; at < ids.length; at += idsMax) {
        const some = ids.slice(at, at + idsMax);
        for (const [id, content] of await driver.run(getReplicaContents, tokenId, some, Math.round(nowMs))) {
          found.set(id, content);
        }
      }
      return found;
    },
    async expire(nowMs) {
      while ((await driver.run(expireReplicaContents, Math.round(nowMs), pageSize)) === pageSize);
    },
    async trim(kind, tokenBytesMax, bytesMax) {
      while ((await driver.run(trimReplicaContents, kind, tokenBytesMax, bytesMax, pageSize)) === pageSize);
    },
  };
}
