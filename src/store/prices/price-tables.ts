/** The store's contract and methods for tables of prices beside the bundled one. */

import type { Driver } from '../sql/driver.ts';
import {
  claimPriceFetch,
  endPriceFetch,
  getPriceTable,
  holdPrices,
  priceChanges,
  priceFetchState,
  priceTableHeads,
  priceTablePulse,
  putPriceTable,
  type RateChangeRow,
  removePriceTable,
  touchPriceTable,
} from './price-table-queries.ts';
import type { RateChange } from './rate-change.ts';

/** What is known of a table without its content. */
export interface PriceTableHead {
  readonly source: string;
  /** The URL or the file that it came from. */
  readonly origin: string;
  /** Its name in the rows that are charged by it. */
  readonly version: string;
  /** The date in the table itself. */
  readonly asOf: string | undefined;
  readonly fetchedAtMs: number;
  /** Models that it has a price for. */
  readonly models: number;
  /** The revision that wrote it. */
  readonly stamp: number;
  /** JSON; its shape is up to the writer. */
  readonly held: string;
}

interface PriceTableRow extends PriceTableHead {
  /** The table as it came. */
  readonly content: string;
}

export type { RateChange, RateChangeState } from './rate-change.ts';

export interface KeptRateChange extends RateChange {
  readonly atMs: number;
}

export interface PriceFetchState {
  readonly dueAtMs: number;
  readonly addresses: string;
  readonly triedAtMs: number | undefined;
  /** Why the last try failed; absent where it did not. */
  readonly fault: string | undefined;
}

export interface PriceTableStore {
  /** Grows with every change of any process; and when the next fetch is due. */
  pulse(): Promise<{ readonly revision: number; readonly dueAtMs: number }>;
  heads(): Promise<{ readonly revision: number; readonly heads: readonly PriceTableHead[] }>;
  get(source: string): Promise<PriceTableRow | undefined>;
  /** Replaces the one of the same source. False where `base` is not the revision any more. */
  put(base: number, row: Omit<PriceTableRow, 'stamp'>, changes: readonly RateChange[]): Promise<boolean>;
  /** It was fetched again and is unchanged. */
  touch(head: Pick<PriceTableHead, 'source' | 'stamp'>, atMs: number, origin: string): Promise<void>;
  /** False where `base` is not the revision any more. */
  hold(base: number, source: string, held: string, atMs: number, changes: readonly RateChange[]): Promise<boolean>;
  /** False where `base` is not the revision any more. */
  remove(base: number, source: string, atMs: number, changes: readonly RateChange[]): Promise<boolean>;
  /** Newest first; of all models, or of one. */
  changes(limit: number, model?: string): Promise<readonly KeptRateChange[]>;
  /** True for one of all replicas. `isFirst`: also early, where the URLs are not those of the last fetch. */
  claim(claim: {
    readonly nowMs: number;
    readonly nextMs: number;
    readonly addresses: string;
    readonly isFirst: boolean;
    /** How much later than `nextMs` a fetch may rightly be due. */
    readonly furthestMs: number;
  }): Promise<boolean>;
  fetched(end: { readonly dueAtMs: number; readonly atMs: number; readonly fault: string | undefined }): Promise<void>;
  fetchState(): Promise<PriceFetchState>;
}

export function priceTableStore(driver: Driver): PriceTableStore {
  return {
    pulse: () => driver.run(priceTablePulse),
    async heads() {
      const { revision, heads } = await driver.run(priceTableHeads);
      return { revision, heads: heads.map((head) => ({ ...head, asOf: head.asOf })) };
    },
    async get(source) {
      const row = await driver.run(getPriceTable, source);
      return row === null ? undefined : { ...row, asOf: row.asOf };
    },
    put: (base, row, changes) => driver.run(putPriceTable, base, row, changes.map(changeRow)),
    async touch({ source, stamp }, atMs, origin) {
      await driver.run(touchPriceTable, source, stamp, Math.round(atMs), origin);
    },
    hold: (base, source, held, atMs, changes) =>
      driver.run(holdPrices, base, source, held, Math.round(atMs), changes.map(changeRow)),
    remove: (base, source, atMs, changes) =>
      driver.run(removePriceTable, base, source, Math.round(atMs), changes.map(changeRow)),
    async changes(limit, model) {
      const rows = await driver.run(priceChanges, model ?? null, limit);
      return rows.map(({ rateBefore, rateAfter, ...row }) => ({
        ...row,
        before: rateBefore === undefined ? undefined : BigInt(rateBefore),
        after: rateAfter === undefined ? undefined : BigInt(rateAfter),
      }));
    },
    claim: ({ nowMs, nextMs, addresses, isFirst, furthestMs }) =>
      driver.run(claimPriceFetch, Math.round(nowMs), Math.round(nextMs), addresses, isFirst, Math.round(furthestMs)),
    async fetched({ dueAtMs, atMs, fault }) {
      await driver.run(endPriceFetch, Math.round(dueAtMs), Math.round(atMs), fault ?? null);
    },
    async fetchState() {
      const state = await driver.run(priceFetchState);
      return { ...state, triedAtMs: state.triedAtMs, fault: state.fault };
    },
  };
}

const changeRow = ({ before, after, ...change }: RateChange): RateChangeRow => ({
  ...change,
  rateBefore: before?.toString(),
  rateAfter: after?.toString(),
});
