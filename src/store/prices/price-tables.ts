/** The store's contract and methods for tables of prices beside the bundled one. */

import type { Driver } from '../sql/driver.ts';
import { storableName } from '../sql/storable-text.ts';
import type { RateChangeCells, TableHeadCells } from './price-table-queries.ts';
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
  removePriceTable,
  touchPriceTable,
} from './price-table-queries.ts';

/** What is known of a table without its content. */
export interface PriceTableHead {
  readonly source: string;
  /** The address or the file that it came from. */
  readonly origin: string;
  /** What rows call it that are charged by it. */
  readonly version: string;
  /** The day that the table says it is of. */
  readonly asOf: string | undefined;
  readonly fetchedAtMs: number;
  /** Models that it has a price for. */
  readonly models: number;
  /** The revision that wrote it. */
  readonly stamp: number;
  /** JSON; its shape is its writer's business. */
  readonly held: string;
}

export interface PriceTableRow extends PriceTableHead {
  /** The table as it came. */
  readonly content: string;
}

export type RateChangeState = 'in effect' | 'held' | 'confirmed' | 'removed';

/** What became of one rate of a model. */
export interface RateChange {
  readonly source: string;
  readonly host: string;
  readonly model: string;
  readonly rate: string;
  /** Nano-USD for a million; absent where there was or is none. */
  readonly before: bigint | undefined;
  readonly after: bigint | undefined;
  readonly state: RateChangeState;
}

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
  /** In the place of the one of the same source. False where `base` is not the revision any more. */
  put(base: number, row: Omit<PriceTableRow, 'stamp'>, changes: readonly RateChange[]): Promise<boolean>;
  /** It was fetched again and is what it was. */
  touch(head: Pick<PriceTableHead, 'source' | 'stamp'>, atMs: number, origin: string): Promise<void>;
  /** False where `base` is not the revision any more. */
  hold(base: number, source: string, held: string, atMs: number, changes: readonly RateChange[]): Promise<boolean>;
  /** False where `base` is not the revision any more. */
  remove(base: number, source: string, atMs: number, changes: readonly RateChange[]): Promise<boolean>;
  /** Newest first; of all models, or of one. */
  changes(limit: number, model?: string): Promise<readonly KeptRateChange[]>;
  /** True for one of all replicas. `isFirst`: also early, where the addresses are not those of the last fetch. */
  claim(claim: {
    readonly nowMs: number;
    readonly nextMs: number;
    readonly addresses: string;
    readonly isFirst: boolean;
  }): Promise<boolean>;
  fetched(end: { readonly dueAtMs: number; readonly atMs: number; readonly fault: string | undefined }): Promise<void>;
  fetchState(): Promise<PriceFetchState>;
}

export function priceTableStore(driver: Driver): PriceTableStore {
  return {
    async pulse() {
      const [revision, dueAtMs] = await driver.run(priceTablePulse);
      return { revision, dueAtMs };
    },
    async heads() {
      const [revision, heads] = await driver.run(priceTableHeads);
      return { revision, heads: heads.map(headOf) };
    },
    async get(source) {
      const found = await driver.run(getPriceTable, source);
      return found === null ? undefined : { ...headOf(found[0]), content: found[1] };
    },
    put(base, row, changes) {
      const { source, origin, version, asOf, fetchedAtMs, models, held, content } = row;
      const cells = [source, origin, version, asOf ?? null, Math.round(fetchedAtMs), models, held, content] as const;
      return driver.run(putPriceTable, base, cells, changes.map(changeCells));
    },
    async touch({ source, stamp }, atMs, origin) {
      await driver.run(touchPriceTable, source, stamp, Math.round(atMs), origin);
    },
    hold: (base, source, held, atMs, changes) =>
      driver.run(holdPrices, base, source, held, Math.round(atMs), changes.map(changeCells)),
    remove: (base, source, atMs, changes) =>
      driver.run(removePriceTable, base, source, Math.round(atMs), changes.map(changeCells)),
    async changes(limit, model) {
      const rows = await driver.run(priceChanges, model ?? null, limit);
      return rows.map(([atMs, source, host, name, rate, before, after, state]) => ({
        atMs,
        source,
        host,
        model: name,
        rate,
        before: before === null ? undefined : BigInt(before),
        after: after === null ? undefined : BigInt(after),
        // Only this Weir's own words are written there.
        state: state as RateChangeState,
      }));
    },
    claim: ({ nowMs, nextMs, addresses, isFirst }) =>
      driver.run(claimPriceFetch, Math.round(nowMs), Math.round(nextMs), addresses, isFirst),
    async fetched({ dueAtMs, atMs, fault }) {
      await driver.run(endPriceFetch, Math.round(dueAtMs), Math.round(atMs), fault ?? null);
    },
    async fetchState() {
      const [dueAtMs, addresses, triedAtMs, fault] = await driver.run(priceFetchState);
      return { dueAtMs, addresses, triedAtMs: triedAtMs ?? undefined, fault: fault ?? undefined };
    },
  };
}

function headOf(cells: TableHeadCells): PriceTableHead {
  const [source, origin, version, asOf, fetchedAtMs, models, stamp, held] = cells;
  return { source, origin, version, asOf: asOf ?? undefined, fetchedAtMs, models, stamp, held };
}

function changeCells({ source, host, model, rate, before, after, state }: RateChange): RateChangeCells {
  const names = [storableName(host), storableName(model), storableName(rate)] as const;
  return [source, ...names, before?.toString() ?? null, after?.toString() ?? null, state];
}
