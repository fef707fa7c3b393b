/** The store's contract and methods for the usage rows of single requests. */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { Driver } from '../sql/driver.ts';
import { type Page, type PageRequest, pageOf } from '../sql/pages.ts';
import { addUsageRows, listUsage, sumUsage, type UsageGrouping, usageById } from './usage-queries.ts';
import { usageRecord, usageTable } from './usage-table.ts';

interface UsageFilter {
  readonly tokenId?: string | undefined;
  /** Only what tokens of this account used. */
  readonly ownerId?: string | undefined;
  /** Only what this account may see. */
  readonly seenBy?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly code?: string | undefined;
  /** Only rows that count at least so many requests. */
  readonly requestsMin?: number | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

interface UsageSum {
  /** The model, token id or provider; for days and hours the start in milliseconds. */
  readonly key: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
  /** How many of the requests the cost leaves out, because no price is known for what they used. */
  readonly unpriced: number;
}

export interface UsageStore {
  insertMany(rows: readonly UsageRow[]): Promise<void>;
  /** Newest first. */
  list(filter: UsageFilter, page: PageRequest): Promise<Page<UsageRow>>;
  byId(requestId: string): Promise<UsageRow | undefined>;
  /** At most `limit` groups (1,000): days and hours newest first, others the most expensive first. */
  summarise(by: UsageGrouping, filter: UsageFilter, limit?: number): Promise<readonly UsageSum[]>;
}

const summaryGroupsMax = 1_000;

export function usageStore(driver: Driver): UsageStore {
  return {
    async insertMany(rows) {
      if (rows.length > 0) {
        await driver.run(
          addUsageRows,
          rows.map((row) => usageTable.pack(row, undefined)),
        );
      }
    },
    async list(filter, { limit, after }) {
      const rows = await driver.run(listUsage, filter, { limit: limit + 1, after });
      return pageOf(rows.map(usageRecord), limit, (row) => ({ atMs: row.atMs, id: row.requestId }));
    },
    async byId(requestId) {
      const cells = await driver.run(usageById, requestId);
      return cells === null ? undefined : usageRecord(cells);
    },
    async summarise(by, filter, limit = summaryGroupsMax) {
      const sums = await driver.run(sumUsage, by, filter, Math.min(limit, summaryGroupsMax));
      return sums.map((sum) => ({ ...sum, costNano: BigInt(sum.costNano) }));
    },
  };
}
