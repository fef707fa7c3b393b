/** Facts about the price tables in effect, for the banner, the doctor, the command line and the console. */

import { libraryAsOf, libraryVersion } from '../prices/price-library.ts';
import { ageDays, oldAfterDays, tableDay } from '../prices/tables/table-age.ts';
import type { PriceTableHead } from '../store/prices/price-tables.ts';

export interface TableFacts {
  readonly version: string;
  /** The date of its data, or else the date on which it was fetched. */
  readonly day: string;
  readonly ageDays: number;
  readonly isDated: boolean;
  /** Absent: it is bundled with this version. */
  readonly head: PriceTableHead | undefined;
}

/** In the order in which they are looked up; the bundled one is the last. */
export function tableFacts(heads: readonly PriceTableHead[], nowMs: number): readonly [TableFacts, ...TableFacts[]] {
  const bundled = { version: libraryVersion, day: libraryAsOf, isDated: true, head: undefined };
  const [first, ...rest] = heads.map((head) => ({
    version: head.version,
    day: tableDay(head),
    isDated: head.asOf !== undefined,
    head,
  }));
  const aged = (table: Omit<TableFacts, 'ageDays'>): TableFacts => ({ ...table, ageDays: ageDays(table.day, nowMs) });
  return first === undefined ? [aged(bundled)] : [aged(first), ...rest.map(aged), aged(bundled)];
}

/** The newest one counts: it has the prices of most models. */
export function areOld(tables: readonly TableFacts[]): boolean {
  return Math.min(...tables.map((table) => table.ageDays)) > oldAfterDays;
}

/** One command, and one setting that does the same by itself. */
export const refreshHint =
  '`weir prices update --url https://models.dev/api.json` updates them; the setting price_tables.url does so every day';

export function ageText({ ageDays: days, isDated }: Pick<TableFacts, 'ageDays' | 'isDated'>): string {
  const counted = `${days} ${days === 1 ? 'day' : 'days'}`;
  return isDated ? `${counted} old` : `fetched ${counted} ago`;
}

/** One line: every table with its age. */
export function tablesLine(tables: readonly TableFacts[]): string {
  return tables.map((table) => `${table.version} (${ageText(table)})`).join(', ');
}
