/** The store's contract and methods for the export of requests on a schedule. */

import type { Driver } from '../sql/driver.ts';
import {
  claimExport,
  duePeriods,
  forgetExport,
  oldExports,
  putExport,
  type RequestExportRow,
} from './request-export-queries.ts';

export interface RequestExportStore {
  /** True where this replica is to do the next pass. */
  claim(nowMs: number, nextMs: number): Promise<boolean>;
  /** Hours or days that are over and were not exported as they are now, the oldest first. */
  due(
    target: string,
    grainMs: number,
    limit: number,
    fromMs: number,
  ): Promise<readonly { readonly startMs: number; readonly fingerprint: string }[]>;
  put(row: RequestExportRow): Promise<void>;
  /** Starts of exported periods before then, the oldest first. */
  before(target: string, grainMs: number, beforeMs: number, limit: number): Promise<readonly number[]>;
  /** Its file is gone. */
  forget(target: string, grainMs: number, startMs: number): Promise<void>;
}

export function requestExportStore(driver: Driver): RequestExportStore {
  return {
    claim: (nowMs, nextMs) => driver.run(claimExport, Math.round(nowMs), Math.round(nextMs)),
    async due(target, grainMs, limit, fromMs) {
      const found = await driver.run(duePeriods, target, grainMs, limit, Math.round(fromMs));
      return found.map(([startMs, fingerprint]) => ({ startMs, fingerprint }));
    },
    async put(row) {
      await driver.run(putExport, row);
    },
    before: (target, grainMs, beforeMs, limit) => driver.run(oldExports, target, grainMs, Math.round(beforeMs), limit),
    async forget(target, grainMs, startMs) {
      await driver.run(forgetExport, target, grainMs, startMs);
    },
  };
}
