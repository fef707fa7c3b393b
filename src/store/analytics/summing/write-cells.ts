/**
 * The table `usage_cells`: usage rows summed by hour, hours by day, and days by week. Summing is long and blocks no writer; writing is
 * one short commit that fails harmlessly where another replica was first. What would make that commit long is staged before: cells
 * that no reader sees, under a negative number in place of their grain.
 */

import type { Driver } from '../../sql/driver.ts';
import type { Cells } from '../../sql/packed.ts';
import { single, transaction } from '../../sql/query.ts';
import { asNumber, type SqlValue, type Steps, statement, statementsBy, step } from '../../sql/statement.ts';
import { placesFrom } from '../../sql/table.ts';
import { coarserThan, floorTo, type Grain } from '../../usage/usage-grains.ts';
import { cellViews } from '../cell-views.ts';
import { padded } from '../usage-narrowing.ts';
import { untilColumns } from '../usage-rollup.ts';
import { cellTable, type PeriodCells } from './period-cells.ts';

/** A period that is summed, and the marks that were there before its rows were read. */
export interface SummedPeriod {
  readonly grain: Grain;
  readonly startMs: number;
  readonly cells: PeriodCells;
  readonly marks: readonly string[];
}

/** A period whose last cells are written now, and the others were before. */
interface StagedPeriod {
  readonly grain: Grain;
  readonly startMs: number;
  readonly marks: readonly string[];
  /** In place of their grain. */
  readonly stage: number;
  readonly staged: number;
  readonly last: readonly Cells[];
}

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
const inViews = `view IN (${cellViews.map((view) => `'${view}'`).join(', ')})`;
const removeCells = statement(`DELETE FROM usage_cells WHERE ${inViews} AND grain_ms = $1 AND start_ms = $2`);
const countStaged = statement(`SELECT COUNT(*) FROM usage_cells WHERE ${inViews} AND grain_ms = $1 AND start_ms = $2`);
const moveStaged = statement(
  `UPDATE usage_cells SET grain_ms = $3 WHERE ${inViews} AND grain_ms = $1 AND start_ms = $2`,
);
const removeAllStaged = statement(`DELETE FROM usage_cells WHERE ${inViews} AND grain_ms < 0`);
const placedWidth = cellTable.columns.length + 3;
const insertCells = statementsBy((size: number) => {
  const tuples = Array.from({ length: size }, (_, at) => `(${placesFrom(1 + at * placedWidth, placedWidth)})`);
  return `INSERT INTO usage_cells (${cellTable.list}, grain_ms, start_ms, cell) VALUES ${tuples.join(', ')}`;
});
const cellsPerStatement = [128, 16, 1] as const;
/** One short commit. */
export const cellsPerCommitUsual = 1_024;

/** Writes a period that was not summed before. False where another replica was first; then nothing is written. */
export const sealPeriod = transaction(function* (period: StagedPeriod, untilMs: number): Steps<boolean> {
  const { grain, startMs } = period;
  yield step(holdRollup);
  if (!(yield* isStaged(period))) return false;
  if ((yield step(advance(grain), untilMs, startMs + grain)).length === 0) return false;
  yield* replaceCells(period);
  return true;
});

/** Sums a period again. False where its marks are no longer all there: another replica did, perhaps from newer rows. */
export const resumPeriod = transaction(function* (period: StagedPeriod): Steps<boolean> {
  const { grain, startMs, marks } = period;
  yield step(holdRollup);
  const list = padded(marks);
  const found = (yield { statement: countMarks(list.length), values: [grain, startMs, ...list] })[0];
  if (marks.length === 0 || asNumber(found?.[0]) !== marks.length || !(yield* isStaged(period))) return false;
  yield* replaceCells(period);
  const coarser = coarserThan(grain);
  if (coarser !== undefined) yield step(addMark, coarser, floorTo(coarser, startMs), crypto.randomUUID());
  return true;
});

/** Who takes the turn of another replica removes what it staged. */
function* isStaged({ startMs, stage, staged }: StagedPeriod): Steps<boolean> {
  if (staged === 0) return true;
  return asNumber((yield step(countStaged, stage, startMs))[0]?.[0]) === staged;
}

function* replaceCells({ grain, startMs, marks, stage, staged, last }: StagedPeriod): Steps<void> {
  const list = padded(marks);
  if (marks.length > 0) yield { statement: removeMarks(list.length), values: [grain, startMs, ...list] };
  yield step(removeCells, grain, startMs);
  if (staged > 0) yield step(moveStaged, stage, startMs, grain);
  yield* insert(grain, startMs, staged, last);
}

function* insert(grainOrStage: number, startMs: number, first: number, cells: readonly Cells[]): Steps<void> {
  for (let from = 0; from < cells.length; ) {
    const size = cellsPerStatement.find((most) => most <= cells.length - from) ?? 1;
    const values: SqlValue[] = [];
    for (const [index, cell] of cells.slice(from, from + size).entries()) {
      cellTable.bind(values, cell);
      values.push(grainOrStage, startMs, first + from + index);
    }
    yield { statement: insertCells(size), values };
    from += size;
  }
}

/** The numbers of the cells begin at `first`. */
export const stageCells = transaction(function* (
  stage: number,
  startMs: number,
  first: number,
  cells: readonly Cells[],
): Steps<null> {
  yield* insert(stage, startMs, first, cells);
  return null;
});

/** What a process staged that ended, or lost its turn. */
export const removeStaged = single(function* (): Steps<null> {
  yield step(removeAllStaged);
  return null;
});

/** Stages all of a period but its last cells, with which it is sealed. */
export async function stagePeriod(
  driver: Driver,
  { grain, startMs, marks, cells }: SummedPeriod,
  size: number,
): Promise<StagedPeriod> {
  const stage = -1 - Math.floor(Math.random() * 2 ** 50);
  let staged = 0;
  let last: readonly Cells[] = [];
  for (const piece of cells.pieces(size)) {
    if (last.length > 0) {
      await driver.run(stageCells, stage, startMs, staged, last);
      staged += last.length;
    }
    last = piece;
  }
  return { grain, startMs, marks, stage, staged, last };
}

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
