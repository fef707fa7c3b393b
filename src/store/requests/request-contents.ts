/** The store's contract and methods for contents of requests and replies: opaque, and removed when they expire. */

import type { Driver } from '../sql/driver.ts';
import { removeAll } from '../sql/removal.ts';
import {
  expireRequestContents,
  expiryBeyond,
  getRequestContent,
  hasRequestContent,
  putRequestContent,
  type RequestContentRow,
} from './request-content-queries.ts';

/** `content` is encrypted by its writer. */

export interface RequestContentStore {
  /** The first one of a request stays. */
  put(row: RequestContentRow): Promise<void>;
  /** Undefined where there is none, and where it expired. */
  get(requestId: string, nowMs: number): Promise<RequestContentRow | undefined>;
  has(requestId: string, nowMs: number): Promise<boolean>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
  /** Removes those that expire first, beyond so many. */
  trim(most: number): Promise<void>;
}

export function requestContentStore(driver: Driver): RequestContentStore {
  return {
    async put(row) {
      await driver.run(putRequestContent, row);
    },
    get: async (requestId, nowMs) => (await driver.run(getRequestContent, requestId, Math.round(nowMs))) ?? undefined,
    has: (requestId, nowMs) => driver.run(hasRequestContent, requestId, Math.round(nowMs)),
    expire: (nowMs) => removeAll(driver, expireRequestContents, nowMs),
    async trim(most) {
      const atMs = await driver.run(expiryBeyond, most);
      if (atMs !== null) await removeAll(driver, expireRequestContents, atMs);
    },
  };
}
