/** The store's contract for kept results: the owner and the size of each, wherever it is stored, and the parts of those in the database. */

import type { Driver } from '../sql/driver.ts';
import {
  excessResults,
  expiredResults,
  expireResultParts,
  getKeptResult,
  type KeptResultRow,
  putKeptResult,
  type ResultKind,
  type ResultPart,
  readResultPart,
  removeKeptResult,
  removeResultParts,
  resultSize,
  writeResultParts,
} from './result-queries.ts';

export type { KeptResultRow, ResultKind } from './result-queries.ts';

export interface KeptResultStore {
  put(row: KeptResultRow): Promise<void>;
  /** Nothing where there is none and where it expired. */
  get(name: string, nowMs: number): Promise<KeptResultRow | undefined>;
  remove(name: string): Promise<void>;
  /** Names of some that have expired, the oldest first. */
  expired(kind: ResultKind, nowMs: number, limit: number): Promise<readonly string[]>;
  /** Names of some, the oldest first, without which each token has at most `tokenBytesMax` and all together `bytesMax`. */
  excess(kind: ResultKind, tokenBytesMax: number, bytesMax: number, limit: number): Promise<readonly string[]>;
}

export interface ResultPartStore {
  /** All or nothing, in the place of what the name had. */
  write(name: string, parts: readonly ResultPart[], atMs: number): Promise<void>;
  /** The sum of its parts; undefined where there are none. */
  size(name: string): Promise<number | undefined>;
  read(name: string, part: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
  /** Removes what was written before then; how many results there were. */
  expire(beforeMs: number): Promise<number>;
}

export function keptResultStore(driver: Driver): KeptResultStore {
  return {
    async put(row) {
      await driver.run(putKeptResult, row);
    },
    get: async (name, nowMs) => (await driver.run(getKeptResult, name, Math.round(nowMs))) ?? undefined,
    async remove(name) {
      await driver.run(removeKeptResult, name);
    },
    expired: (kind, nowMs, limit) => driver.run(expiredResults, kind, Math.round(nowMs), limit),
    excess: (kind, tokenBytesMax, bytesMax, limit) => driver.run(excessResults, kind, tokenBytesMax, bytesMax, limit),
  };
}

/** How many results are removed in one go. */
const pageSize = 50;

export function resultPartStore(driver: Driver): ResultPartStore {
  return {
    async write(name, parts, atMs) {
      await driver.run(writeResultParts, name, parts, Math.round(atMs));
    },
    size: async (name) => (await driver.run(resultSize, name)) ?? undefined,
    read: async (name, part) => (await driver.run(readResultPart, name, part)) ?? undefined,
    async remove(name) {
      await driver.run(removeResultParts, name);
    },
    async expire(beforeMs) {
      for (let removed = 0; ; ) {
        const names = new Set(await driver.run(expireResultParts, Math.round(beforeMs), pageSize));
        removed += names.size;
        if (names.size < pageSize) return removed;
      }
    },
  };
}
