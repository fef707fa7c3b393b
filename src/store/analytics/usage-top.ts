/**
 * The requests that cost or took the most. Hours are read in the order of their greatest value, which their cells hold,
 * until no further hour can have a greater one than those that were found.
 */

import { longRead } from '../sql/query.ts';
import { type Steps, step } from '../sql/statement.ts';
import { integer, money, selection } from '../sql/table.ts';
import { ceilTo, floorTo, hourMs } from '../usage/usage-grains.ts';
import { type UsageCells, usageTable } from '../usage/usage-table.ts';
import { byText, type Conditions, narrow, viewOf, withOthers } from './usage-narrowing.ts';
import { rollupState } from './usage-rollup.ts';
import { summedPart } from './usage-zones.ts';

export type TopBy = 'cost' | 'total';

const columns = {
  cost: { row: 'cost_nano', cell: 'cost_nano_max', name: 'costNano' },
  total: { row: 'total_ms', cell: 'total_ms_max', name: 'totalMs' },
} as const;

interface TopSearch {
  readonly conditions: Conditions;
  readonly by: TopBy;
  readonly limit: number;
}

/** The greatest first, and of equal ones the newest; where more are equal than asked for, some of them. */
export const topUsage = longRead(function* (
  conditions: Conditions,
  fromMs: number,
  toMs: number,
  by: TopBy,
  limit: number,
): Steps<readonly UsageCells[]> {
  const search = { conditions, by, limit };
  const { lowestMs, hoursToMs, rowsFromMs } = summedPart(fromMs, toMs, yield* rollupState.steps());
  let best = yield* topBetween(search, rowsFromMs, toMs);
  for (const { startMs, most } of yield* hoursByMost(search, lowestMs, hoursToMs)) {
    const least = best.length < limit ? undefined : rankOf(by, best.at(-1));
    if (least !== undefined && most !== undefined && most <= least) break;
    const found = yield* topBetween(search, Math.max(startMs, lowestMs), Math.min(startMs + hourMs, rowsFromMs));
    best = [...best, ...found].sort((one, other) => compare(by, one, other)).slice(0, limit);
  }
  return best;
});

function rankOf(by: TopBy, cells: UsageCells | undefined): bigint | undefined {
  return cells && BigInt(usageTable.get(cells, columns[by].name));
}

function compare(by: TopBy, one: UsageCells, other: UsageCells): number {
  const [a = 0n, b = 0n] = [rankOf(by, one), rankOf(by, other)];
  return a === b ? usageTable.get(other, 'atMs') - usageTable.get(one, 'atMs') : a < b ? 1 : -1;
}

function* topBetween({ conditions, by, limit }: TopSearch, fromMs: number, toMs: number): Steps<readonly UsageCells[]> {
  if (fromMs >= toMs) return [];
  const { and, values } = narrow(conditions, 'rows', 4);
  const sql = `SELECT ${usageTable.list} FROM usage_rows WHERE at_ms >= $2 AND at_ms < $3${and}
    ORDER BY ${columns[by].row} DESC, at_ms DESC LIMIT $1`;
  return (yield { statement: byText(sql), values: [limit, fromMs, toMs, ...values] }).map((row) =>
    usageTable.read(row),
  );
}

interface Hour {
  readonly startMs: number;
  /** Undefined where rows came later than its cells, so that it has to be read. */
  readonly most: bigint | undefined;
}

/** More hours than these change only where a whole database is rewritten. */
const markedMax = 1_000;
const marked = byText(
  `SELECT DISTINCT start_ms FROM usage_marks WHERE grain_ms = ${hourMs} AND start_ms >= $1 AND start_ms < $2 LIMIT $3`,
);
const markedHours = selection({ startMs: ['start_ms', integer] });

function* hoursByMost({ conditions, by }: TopSearch, fromMs: number, toMs: number): Steps<readonly Hour[]> {
  if (fromMs >= toMs) return [];
  const range = [floorTo(hourMs, fromMs), ceilTo(hourMs, toMs)] as const;
  const { and, values } = narrow(withOthers(conditions), 'cells', 3);
  const hours = selection({ startMs: ['start_ms', integer], most: [`MAX(${columns[by].cell})`, money] });
  const sql = `SELECT ${hours.list} FROM usage_cells
    WHERE view = '${viewOf(conditions)}' AND grain_ms = ${hourMs} AND start_ms >= $1 AND start_ms < $2${and}
    GROUP BY start_ms ORDER BY 2 DESC, 1 DESC`;
  const summed = (yield { statement: byText(sql), values: [...range, ...values] }).map((row) => hours.read(row));
  const late = new Set((yield step(marked, ...range, markedMax)).map((row) => markedHours.read(row).startMs));
  return [
    ...[...late].map((startMs) => ({ startMs, most: undefined })),
    ...summed.filter(({ startMs }) => !late.has(startMs)).map(({ startMs, most }) => ({ startMs, most: BigInt(most) })),
  ];
}
