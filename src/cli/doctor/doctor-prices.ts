/** The doctor's report on the price tables: how old they are, what could not be fetched or read, and what waits. */

import type { KeptTables } from '../../configuration/kept-tables.ts';
import { areOld, refreshHint, type TableFacts, tableFacts, tablesLine } from '../../configuration/table-facts.ts';
import { leftOutCount } from '../../prices/tables/left-out.ts';
import { oldAfterDays } from '../../prices/tables/table-age.ts';
import type { PriceFetchState } from '../../store/prices/price-tables.ts';
import type { Check } from './doctor-providers.ts';

export interface PriceFindings {
  readonly kept: KeptTables;
  readonly fetches: PriceFetchState;
  readonly addresses: readonly string[];
}

export function checkPrices({ kept, fetches, addresses }: PriceFindings, nowMs: number): Check[] {
  const tables = tableFacts(
    kept.tables.map(({ head }) => head),
    nowMs,
  );
  const held = kept.tables.reduce((sum, table) => sum + table.held.length, 0);
  const fault = addresses.length > 0 ? fetches.fault : undefined;
  const bundledDay = tables.at(-1)?.day ?? '';
  const warnings = [
    ...(areOld(tables) ? [`the newest table is older than ${oldAfterDays} days: ${refreshHint}`] : []),
    ...tables.filter(({ head, day }) => head !== undefined && day < bundledDay).map(outdated),
    ...(fault === undefined ? [] : [`the last fetch failed: ${fault}`]),
    ...kept.faults.map((each) => `${each.head.version} cannot be read by this version: ${each.fault}`),
    ...kept.tables.flatMap(({ head, whole: { leftOut } }) =>
      leftOut.models === 0 ? [] : [`${leftOutCount(leftOut)} of ${head.version} left out: weir prices`],
    ),
    ...(held === 0
      ? []
      : [`${held} ${held === 1 ? 'price waits' : 'prices wait'} for a confirmation: weir prices held`]),
  ];
  return [
    { name: 'prices', state: 'ok', detail: tablesLine(tables) },
    ...warnings.map((detail): Check => ({ name: 'prices', state: 'warning', detail })),
  ];
}

/** After an upgrade the bundled table may be the newer one. */
function outdated({ version, head }: TableFacts): string {
  const cure = `update it, or remove it with \`weir prices remove ${head?.source}\``;
  return `${version} is older than the bundled price list and takes precedence over it: ${cure}`;
}
