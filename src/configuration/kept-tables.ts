/** The price tables in the store, parsed, in the order in which they are looked up, with their held prices. */

import { type HeldPrice, readHeld, withHeld } from '../prices/held-prices.ts';
import { readTableApart } from '../prices/tables/read-table-apart.ts';
import { type PriceTable, type TableSource, tableSources } from '../prices/tables/table.ts';
import type { PriceTableHead, PriceTableStore } from '../store/prices/price-tables.ts';

export interface KeptTable {
  readonly head: PriceTableHead;
  /** What waits for a confirmation. */
  readonly held: readonly HeldPrice[];
  /** Prices from before that stay because the table's own are not understood. */
  readonly unread: readonly HeldPrice[];
  /** As it was read, held prices included. */
  readonly whole: PriceTable;
  /** As it is in effect. */
  readonly table: PriceTable;
}

export interface KeptTables {
  readonly revision: number;
  readonly tables: readonly KeptTable[];
  /** Those that this version cannot read, and why. */
  readonly faults: readonly { readonly head: PriceTableHead; readonly fault: string }[];
}

export const noTables: KeptTables = { revision: 0, tables: [], faults: [] };

interface ReadTablesParts {
  readonly store: Pick<PriceTableStore, 'heads' | 'get'>;
  /** Where tables are fetched from, the most trusted first. */
  readonly addresses: readonly string[];
  /** What was read before; a table that is still the same is not read again. */
  readonly known?: KeptTables;
  nowMs(): number;
}

export async function readTables({ store, addresses, known = noTables, nowMs }: ReadTablesParts): Promise<KeptTables> {
  const { revision, heads } = await store.heads();
  const tables: KeptTable[] = [];
  const faults: KeptTables['faults'][number][] = [];
  for (const head of inOrder(heads, addresses)) {
    const same = known.tables.find(({ head: { source, stamp } }) => source === head.source && stamp === head.stamp);
    if (same !== undefined) {
      tables.push({ ...same, head });
      continue;
    }
    const row = await store.get(head.source);
    if (row === undefined) continue;
    try {
      tables.push(await keptTable(row, row.content, nowMs()));
    } catch (error) {
      faults.push({ head: row, fault: error instanceof Error ? error.message : String(error) });
    }
  }
  return { revision, tables, faults };
}

async function keptTable(head: PriceTableHead, content: string, nowMs: number): Promise<KeptTable> {
  const whole = await readTableApart(content);
  const staying = readHeld(head.held);
  // A table keeps the version under which it was taken over, because usage rows name it.
  const named = { ...whole, version: head.version };
  const [held, unread] = [
    staying.filter((each) => each.unread !== true),
    staying.filter((each) => each.unread === true),
  ];
  return { head, held, unread, whole: named, table: withHeld(named, staying, nowMs) };
}

/** Those of addresses in the order of the addresses, then those of files. */
function inOrder(heads: readonly PriceTableHead[], addresses: readonly string[]): readonly PriceTableHead[] {
  const shown = addresses.map(shownAddress);
  const place = ({ origin, source }: PriceTableHead): number => {
    const at = shown.indexOf(origin);
    return at === -1 ? addresses.length + tableSources.indexOf(source as TableSource) : at;
  };
  return heads.toSorted((a, b) => place(a) - place(b));
}

/** Without possible secrets: user name, password and query. */
export function shownAddress(address: string): string {
  const url = /^https?:/i.test(address) ? URL.parse(address) : null;
  return url === null ? address : `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
