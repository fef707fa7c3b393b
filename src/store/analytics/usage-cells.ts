/**
 * The table `usage_cells`: usage rows summed by hour, hours by day, and days by week. Summing (`period-sums.ts`) is long and blocks no
 * writer; writing is one short commit that fails harmlessly where another replica was first.
 */

import { transaction } from '../sql/query.ts';
import { asNumber, type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';
import { coarserThan, floorTo, type Grain } from '../usage/usage-grains.ts';
import { cellViews } from './cell-views.ts';
import { cellTable, type SummedPeriod } from './period-sums.ts';
import { padded } from './usage-narrowing.ts';
import { untilColumns } from './usage-rollup.ts';

const advance = statementsBy(
  (grain: Grain) =>
    `UPDATE usage_rollup SET ${untilColumns[grain]} = $2 WHERE id = 1 AND ${untilColumns[grain]} = $1 RETURNING id`,
);
/** Changes nothing: who writes cells locks this row, so that two never write the same ones. */
const holdRollup = statement('UPDATE usage_rollup SET id = 1 WHERE id = 1');
const countMarks = statementsBy(
  (size: number) =>
    `SELECT COUNT(*) FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 AND mark IN (${placesFrom(3, size)})`,
);
const removeMarks = statementsBy(
  (size: number) =>
    `DELETE FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 AND mark IN (${placesFrom(3, size)})`,
);
const addMark = statement('INSERT INTO usage_marks (grain_ms, start_ms, mark) VALUES ($1, $2, $3)');
const removeCells = statement(
  `DELETE FROM usage_cells WHERE view IN (${cellViews.map((view) => `'${view}'`).join(', ')}) AND grain_ms = $1 AND start_ms = $2`,
);
const placedWidth = cellTable.columns.length + 3;
const insertCells = statementsBy((size: number) => {
  const tuples = Array.from({ length: size }, (_, at) => `(${placesFrom(1 + at * placedWidth, placedWidth)})`);
  return `INSERT INTO usage_cells (${cellTable.list}, grain_ms, start_ms, cell) VALUES ${tuples.join(', ')}`;
});
const cellsPerStatement = [32, 1] as const;

/** Writes a period that was not summed before. False where another replica was first; then nothing is written. */
export const sealPeriod = transaction(function* (period: SummedPeriod, untilMs: number): Steps<boolean> {
  const { grain, startMs } = period;
  if ((yield step(advance(grain), untilMs, startMs + grain)).length === 0) return false;
  yield* replaceCells(period);
  return true;
});

/** Sums a period again. False where its marks are no longer all there: another replica did, perhaps from newer rows. */
export const resumPeriod = transaction(function* (period: SummedPeriod): Steps<boolean> {
  const { grain, startMs, marks } = period;
  yield step(holdRollup);
  const list = padded(marks);
  const found = (yield { statement: countMarks(list.length), values: [grain, startMs, ...list] })[0];
  if (marks.length === 0 || asNumber(found?.[0]) !== marks.length) return false;
  yield* replaceCells(period);
  const coarser = coarserThan(grain);
  if (coarser !== undefined) yield step(addMark, coarser, floorTo(coarser, startMs), crypto.randomUUID());
  return true;
});

const incomplete = statement(
  `SELECT start_ms FROM usage_cells AS whole WHERE view = 'all' AND grain_ms = $1 AND start_ms >= $2 AND NOT EXISTS (
     SELECT 1 FROM usage_cells AS part
     WHERE part.view = 'by-tag' AND part.grain_ms = whole.grain_ms AND part.start_ms = whole.start_ms
   ) LIMIT 1`,
);

/**
 * Marks a period that a replica of an earlier version summed while the others were upgraded: it knew fewer views. True where there
 * was one.
 */
export const markIncomplete = transaction(function* (grain: Grain, fromMs: number): Steps<boolean> {
  const found = (yield step(incomplete, grain, fromMs))[0];
  if (found === undefined) return false;
  yield step(addMark, grain, asNumber(found[0]), crypto.randomUUID());
  return true;
});

function* replaceCells({ grain, startMs, cells, marks }: SummedPeriod): Steps<void> {
  const list = padded(marks);
  if (marks.length > 0) yield { statement: removeMarks(list.length), values: [grain, startMs, ...list] };
  yield step(removeCells, grain, startMs);
  for (let from = 0; from < cells.length; ) {
    const size = cellsPerStatement.find((most) => most <= cells.length - from) ?? 1;
    const values: SqlValue[] = [];
    for (const [index, cell] of cells.slice(from, from + size).entries()) {
      cellTable.bind(values, cell);
      values.push(grain, startMs, from + index);
    }
    yield { statement: insertCells(size), values };
    from += size;
  }
}
