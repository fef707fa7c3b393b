/** The store's contract and methods for contents that replicas share for a short time: sealed by their writer, bounded by kind and token. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  expireReplicaContents,
  getReplicaContents,
  idsMax,
  putReplicaContent,
  type ReplicaContentRow,
  trimReplicaContents,
} from './replica-content-queries.ts';

/** `content` is encrypted by its writer; `bytes` is what it counts towards the limits. */

export interface ReplicaContentStore {
  /** Replaces an earlier one with the same id. */
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
    async put(row) {
      await driver.run(putReplicaContent, row);
    },
    async get(tokenId, ids, nowMs) {
      const found = new Map<string, string>();
      for (let at = 0; at < ids.length; at += idsMax) {
        const some = ids.slice(at, at + idsMax);
        for (const { id, content } of await driver.run(getReplicaContents, tokenId, some, Math.round(nowMs))) {
          found.set(id, content);
        }
      }
      return found;
    },
    expire: (nowMs) => removeAll(driver, expireReplicaContents, nowMs),
    async trim(kind, tokenBytesMax, bytesMax) {
      while ((await driver.run(trimReplicaContents, kind, tokenBytesMax, bytesMax, pageSize)) === pageSize);
    },
  };
}
