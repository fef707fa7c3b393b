/** What was said in requests, as the store keeps it: opaque, and gone when it expires. */

import type { Driver } from '../sql/driver.ts';
import {
  expireRequestContents,
  getRequestContent,
  hasRequestContent,
  putRequestContent,
} from './request-content-queries.ts';

export interface RequestContentRow {
  readonly requestId: string;
  readonly tokenId: string;
  /** Opaque here: its writer encrypts it. */
  readonly content: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
}

export interface RequestContentStore {
  /** The first one of a request stays. */
  put(row: RequestContentRow): Promise<void>;
  /** Nothing where there is none, and where it expired. */
  get(requestId: string, nowMs: number): Promise<RequestContentRow | undefined>;
  has(requestId: string, nowMs: number): Promise<boolean>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
}

const expirePageSize = 200;

export function requestContentStore(driver: Driver): RequestContentStore {
  return {
    async put({ requestId, tokenId, content, atMs, expiresAtMs }) {
      await driver.run(putRequestContent, requestId, tokenId, content, Math.round(atMs), Math.round(expiresAtMs));
    },
    async get(requestId, nowMs) {
      const cells = await driver.run(getRequestContent, requestId, Math.round(nowMs));
      if (cells === null) return undefined;
      const [id, tokenId, content, atMs, expiresAtMs] = cells;
      return { requestId: id, tokenId, content, atMs, expiresAtMs };
    },
    has: (requestId, nowMs) => driver.run(hasRequestContent, requestId, Math.round(nowMs)),
    async expire(nowMs) {
      while ((await driver.run(expireRequestContents, Math.round(nowMs), expirePageSize)) === expirePageSize);
    },
  };
}
