/** Prices of a table that changed implausibly: until they are confirmed, the models keep their previous price. */

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

const nameOf = (host: string, model: string): string => `${host}\n${model}`;

/** The table with the previous prices in place of the held ones. */
export function withHeld(table: PriceTable, held: readonly HeldPrice[], nowMs: number): PriceTable {
  if (held.length === 0) return table;
  const byName = new Map(held.map((each) => [nameOf(each.host, each.model), each]));
  const byHost = Map.groupBy(held, ({ host }) => host);
  const listed = new Set(Array.from(table.entries(nowMs), ([host, model]) => nameOf(host, model)));
  const before = (entry: TableEntry, hold: HeldPrice | undefined): TableEntry => {
    if (hold === undefined) return entry;
    const { price: _, ...facts } = entry;
    return hold.price === undefined ? facts : { ...facts, price: hold.price };
  };

  /** A name that the table does not list may still match a held model. */
  function holdOf(host: string, model: string, entry: TableEntry, atMs: number): HeldPrice | undefined {
    const name = nameOf(host, model);
    if (listed.has(name)) return byName.get(name);
    const text = textOf(entry.price);
    return byHost.get(host)?.find((each) => textOf(table.find(host, each.model, atMs)?.price) === text);
  }

  return {
    ...table,
    find(host, model, atMs) {
      const entry = table.find(host, model, atMs);
      if (entry === undefined || !byHost.has(host)) return entry;
      return before(entry, holdOf(host, model, entry, atMs));
    },
    elsewhere(model, atMs) {
      const bare = bareName(model);
      return table.elsewhere(model, atMs).map((found) => {
        const hold = byHost.get(found.host)?.find((each) => bareName(each.model) === bare);
        return hold === undefined ? found : { ...found, entry: before(found.entry, hold) };
      });
    },
    *entries(atMs) {
      for (const [host, model, entry] of table.entries(atMs)) {
        yield [host, model, before(entry, byName.get(nameOf(host, model)))];
      }
    },
  };
}
