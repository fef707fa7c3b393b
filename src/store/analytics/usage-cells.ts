/**
 * Sums usage rows into cells of an hour, those into cells of a day, and those into cells of a week. Reading is long and stands in nobody's way; writing is
 * one short commit that fails harmlessly where somebody else was first.
 */

import { longRead, transaction } from '../sql/query.ts';
import {
  asNumber,
  asText,
  type Money,
  type Row,
  type SqlValue,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';
import { sumSql, unpricedCountSql } from '../usage/unpriced.ts';
import { coarserThan, finerThan, floorTo, type Grain } from '../usage/usage-grains.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { type CellView, padded } from './usage-narrowing.ts';
import { untilColumns } from './usage-rollup.ts';

/** What tells cells of one view and period apart: token, model, provider, endpoint, code, class of status, stream, estimated. */
type CellKey = readonly [string, string, string, string, string, number, number, number];

/** Requests, failures, input, cache reads, output, cost, greatest cost, longest duration, the two lists of bins, requests without a price. */
type CellSums = readonly [number, number, number, number, number, Money, Money, number, string, string, number];
export type CellCells = readonly [view: CellView, ...CellKey, ...CellSums];

const keyColumns = 'token_id, model, provider, endpoint, code, status_class, stream, estimated';
const sumColumns =
  'requests, failures, input_tokens, cache_read_tokens, output_tokens, cost_nano, cost_nano_max, total_ms_max, first_events, totals, unpriced';
const columns = `view, grain_ms, start_ms, cell, ${keyColumns}, ${sumColumns}`;
const columnCount = columns.split(',').length;

export const failureSql = 'CASE WHEN status BETWEEN 200 AND 399 THEN 0 ELSE 1 END';
/** The durations of many rows as one text: no engine has to know about bins. */
export const durationsSql = (column: string): string => `COALESCE(string_agg(CAST(${column} AS TEXT), ' '), '')`;
export const binsSql = (column: string): string => `COALESCE(string_agg(${column}, ' '), '')`;

const readRows = statement(
  `SELECT token_id, model, provider, endpoint, code, status / 100 AS status_class, stream, estimated,
     COUNT(*), ${sumSql(failureSql)}, ${sumSql('input_total')}, ${sumSql('input_cache_read')}, ${sumSql('output_total')},
     ${sumSql('cost_nano')}, MAX(cost_nano), MAX(total_ms), ${durationsSql('first_event_ms')}, ${durationsSql('total_ms')},
     ${sumSql(unpricedCountSql)}
   FROM usage_rows WHERE at_ms >= $1 AND at_ms < $2
   GROUP BY token_id, model, provider, endpoint, code, status / 100, stream, estimated`,
);
const readFiner = statementsBy(
  (grain: Grain) => `SELECT ${keyColumns}, ${sumSql('requests')}, ${sumSql('failures')}, ${sumSql('input_tokens')},
     ${sumSql('cache_read_tokens')}, ${sumSql('output_tokens')}, ${sumSql('cost_nano')}, MAX(cost_nano_max), MAX(total_ms_max),
     ${binsSql('first_events')}, ${binsSql('totals')}, ${sumSql('unpriced')}
   FROM usage_cells WHERE view = 'token' AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2
   GROUP BY ${keyColumns}`,
);
const readMarks = statement('SELECT mark FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 LIMIT $3');
/** A period with more marks than these is summed again and again until they are gone. */
const marksMax = 500;

/** The cells of a period, and the marks that were there before they were read. */
export const readPeriod = longRead(function* (
  grain: Grain,
  startMs: number,
): Steps<readonly [cells: CellCells[], marks: readonly string[]]> {
  const marks = (yield step(readMarks, grain, startMs, marksMax)).map((row) => asText(row[0]));
  const finer = finerThan(grain);
  const rows = yield step(finer === undefined ? readRows : readFiner(finer), startMs, startMs + grain);
  return [cellsOfPeriod(rows, finer === undefined ? addDurations : addWrittenBins), marks];
});

class CellSum {
  readonly #counts = [0, 0, 0, 0, 0];
  #cost = 0n;
  #costMax: bigint | undefined;
  #totalMax = 0;
  #unpriced = 0;
  readonly #first: Bins = new Map();
  readonly #total: Bins = new Map();

  add(row: Row, addBins: typeof addDurations): void {
    for (let at = 0; at < this.#counts.length; at += 1) {
      this.#counts[at] = (this.#counts[at] ?? 0) + asNumber(row[keyLength + at]);
    }
    this.#cost += BigInt(row[keyLength + 5] ?? 0);
    const costMax = BigInt(row[keyLength + 6] ?? 0);
    if (this.#costMax === undefined || costMax > this.#costMax) this.#costMax = costMax;
    this.#totalMax = Math.max(this.#totalMax, asNumber(row[keyLength + 7]));
    addBins(this.#first, asText(row[keyLength + 8]));
    addBins(this.#total, asText(row[keyLength + 9]));
    this.#unpriced += asNumber(row[keyLength + 10]);
  }

  cells(): CellSums {
    const [requests = 0, failures = 0, input = 0, cacheRead = 0, output = 0] = this.#counts;
    const money = [this.#cost.toString(), (this.#costMax ?? 0n).toString()] as const;
    const bins = [writeBins(this.#first), writeBins(this.#total)] as const;
    return [requests, failures, input, cacheRead, output, ...money, this.#totalMax, ...bins, this.#unpriced];
  }
}

const keyLength = 8;

/** Every row counts in three cells: its own, that of its kind, and the period's. */
function cellsOfPeriod(rows: readonly Row[], addBins: typeof addDurations): CellCells[] {
  const kinds = new Map<string, readonly [key: CellKey, sum: CellSum]>();
  const all = new CellSum();
  const cells: CellCells[] = [];
  for (const row of rows) {
    const own = new CellSum();
    own.add(row, addBins);
    all.add(row, addBins);
    const key = keyOf(row);
    cells.push(['token', ...key, ...own.cells()]);
    const kind: CellKey = ['', ...(key.slice(1) as [string, string, string, string, number, number, number])];
    const known = kinds.get(kind.join('\0')) ?? [kind, new CellSum()];
    kinds.set(kind.join('\0'), known);
    known[1].add(row, addBins);
  }
  for (const [kind, sum] of kinds.values()) cells.push(['kind', ...kind, ...sum.cells()]);
  if (rows.length > 0) cells.push(['all', '', '', '', '', '', -1, -1, -1, ...all.cells()]);
  return cells;
}

const keyOf = (row: Row): CellKey => [
  ...([0, 1, 2, 3, 4].map((at) => asText(row[at])) as [string, string, string, string, string]),
  ...([5, 6, 7].map((at) => asNumber(row[at])) as [number, number, number]),
];

const advance = statementsBy(
  (grain: Grain) =>
    `UPDATE usage_rollup SET ${untilColumns[grain]} = $2 WHERE id = 1 AND ${untilColumns[grain]} = $1 RETURNING id`,
);
/** Changes nothing: whoever writes cells holds this row, so that two never write the same ones. */
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
  "DELETE FROM usage_cells WHERE view IN ('all', 'kind', 'token') AND grain_ms = $1 AND start_ms = $2",
);
const insertCells = statementsBy(
  (size: number) =>
    `INSERT INTO usage_cells (${columns}) VALUES ${Array.from(
      { length: size },
      (_, at) => `(${placesFrom(1 + at * columnCount, columnCount)})`,
    ).join(', ')}`,
);
const cellsPerStatement = [32, 1] as const;

/** Nobody counted this period before. False where somebody else was first; then nothing is written. */
export const sealPeriod = transaction(function* (
  grain: Grain,
  startMs: number,
  untilMs: number,
  cells: readonly CellCells[],
  marks: readonly string[],
): Steps<boolean> {
  if ((yield step(advance(grain), untilMs, startMs + grain)).length === 0) return false;
  yield* replaceCells(grain, startMs, cells, marks);
  return true;
});

/** Sums a period again. False where its marks are no longer all there: somebody else did, perhaps from newer rows. */
export const resumPeriod = transaction(function* (
  grain: Grain,
  startMs: number,
  cells: readonly CellCells[],
  marks: readonly string[],
): Steps<boolean> {
  yield step(holdRollup);
  const list = padded(marks);
  const found = (yield { statement: countMarks(list.length), values: [grain, startMs, ...list] })[0];
  if (marks.length === 0 || asNumber(found?.[0]) !== marks.length) return false;
  yield* replaceCells(grain, startMs, cells, marks);
  const coarser = coarserThan(grain);
  if (coarser !== undefined) yield step(addMark, coarser, floorTo(coarser, startMs), crypto.randomUUID());
  return true;
});

function* replaceCells(
  grain: Grain,
  startMs: number,
  cells: readonly CellCells[],
  marks: readonly string[],
): Steps<void> {
  const list = padded(marks);
  if (marks.length > 0) yield { statement: removeMarks(list.length), values: [grain, startMs, ...list] };
  yield step(removeCells, grain, startMs);
  for (let from = 0; from < cells.length; ) {
    const size = cellsPerStatement.find((most) => most <= cells.length - from) ?? 1;
    const values: SqlValue[] = [];
    for (let at = from; at < from + size; at += 1) values.push(...cellValues(grain, startMs, at, cells[at]));
    yield { statement: insertCells(size), values };
    from += size;
  }
}

const costAt = 14;

function cellValues(grain: Grain, startMs: number, cell: number, given: CellCells | undefined): SqlValue[] {
  if (given === undefined) return [];
  const [view, ...rest] = given;
  const values = rest.map((value, at) => (at === costAt - 1 || at === costAt ? BigInt(value) : value));
  return [view, grain, startMs, cell, ...values];
}
