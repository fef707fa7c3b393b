/**
 * Prices that stay as they were over a new table: those that changed implausibly, until they are confirmed, and those
 * that the new table does not say in a way that is understood.
 */

import type { RateDifference } from './rates.ts';
import { bareName, type PriceTable, type TableEntry, type TablePrice } from './tables/table.ts';

export interface HeldPrice {
  readonly host: string;
  readonly model: string;
  /**
   * Its price in the table before; absent if the table did not have the model, and then other sources keep pricing it.
   */
  readonly price?: TablePrice;
  /** What differs in the table. */
  readonly differences: readonly RateDifference[];
  /** The table's own price is missing or incomplete, because it is not understood: nothing waits for a confirmation. */
  readonly unread?: true;
}

export function writeHeld(held: readonly HeldPrice[]): string {
  return textOf(held);
}

/** Only what `writeHeld` wrote. */
export function readHeld(text: string): readonly HeldPrice[] {
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as readonly HeldPrice[];
}

/** Money with all its digits. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
}

const nameOf = (host: string, model: string): string => `${host}\n${model.toLowerCase()}`;

/** The table with the previous prices in place of the held ones. */
export function withHeld(table: PriceTable, held: readonly HeldPrice[], nowMs: number): PriceTable {
  if (held.length === 0) return table;
  const byName = new Map(held.map((each) => [nameOf(each.host, each.model), each]));
  const byHost = Map.groupBy(held, ({ host }) => host);
  const listed = new Set(Array.from(table.entries(nowMs), ([host, model]) => nameOf(host, model)));
  const gone = held.filter(({ host, model, price }) => price !== undefined && !listed.has(nameOf(host, model)));
  const missing = Map.groupBy(
    gone.map(({ host, model, price }) => ({ host, model, entry: { ...(price && { price }) }, isVendor: false })),
    ({ model }) => bareName(model),
  );
  const before = (entry: TableEntry, hold: HeldPrice | undefined): TableEntry => {
    if (hold === undefined) return entry;
    const { price: _, ...facts } = entry;
    return hold.price === undefined ? facts : { ...facts, price: hold.price };
  };

  /** Also by another name that the table finds the model by, and through another host that sells at its prices. */
  function holdOf(host: string, model: string): HeldPrice | undefined {
    const listing = table.listingOf(host, model);
    return listing === undefined ? byName.get(nameOf(host, model)) : byName.get(nameOf(...listing));
  }

  return {
    ...table,
    find(host, model, atMs) {
      const entry = table.find(host, model, atMs);
      const hold = holdOf(host, model);
      if (entry !== undefined) return before(entry, hold);
      return hold?.price === undefined ? undefined : { price: hold.price };
    },
    elsewhere(model, atMs) {
      const bare = bareName(model);
      const found = table.elsewhere(model, atMs).map((one) => {
        const hold = byHost.get(one.host)?.find((each) => bareName(each.model) === bare);
        return hold === undefined ? one : { ...one, entry: before(one.entry, hold) };
      });
      return found.concat(missing.get(bare) ?? []);
    },
    *entries(atMs) {
      for (const [host, model, entry] of table.entries(atMs)) {
        yield [host, model, before(entry, byName.get(nameOf(host, model)))];
      }
      for (const { host, model, price } of gone) if (price !== undefined) yield [host, model, { price }];
    },
  };
}
