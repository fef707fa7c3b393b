/**
 * The table `usage_cells`: usage rows summed by hour, hours by day, and days by week. Reading is long and blocks no writer; writing is
 * one short commit that fails harmlessly where another replica was first.
 */

import { type Cells, packed } from '../sql/packed.ts';
import { longRead, transaction } from '../sql/query.ts';
import {
  asNumber,
  asText,
  moneyCell,
  type Row,
  type SqlValue,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { integer, money, placesFrom, type RowIn, selection, text, textOf } from '../sql/table.ts';
import { coarserThan, finerThan, floorTo, type Grain } from '../usage/usage-grains.ts';
import { FigureSum, figuresOfCells, figuresOfRows } from '../usage/usage-sums.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { type CellView, padded } from './usage-narrowing.ts';
import { untilColumns } from './usage-rollup.ts';

/** The durations of many rows as one text: no engine has to know about bins. */
export const durationsSql = (column: string): string => `COALESCE(string_agg(CAST(${column} AS TEXT), ' '), '')`;
/** A request that called no provider says nothing about their speed. */
export const totalsSql = durationsSql('CASE WHEN attempts > 0 THEN total_ms END');
export const binsSql = (column: string): string => `COALESCE(string_agg(${column}, ' '), '')`;

const keyColumns = 'token_id, model, provider, endpoint, code, status_class, stream, estimated';
/** What distinguishes cells of one view and period. */
const keys = {
  tokenId: ['token_id', text],
  model: ['model', text],
  provider: ['provider', text],
  endpoint: ['endpoint', text],
  code: ['code', text],
  statusClass: ['status_class', integer],
  stream: ['stream', integer],
  estimated: ['estimated', integer],
} as const;

const summedRows = selection({
  ...keys,
  statusClass: ['status / 100 AS status_class', integer],
  ...figuresOfRows,
  costNanoMax: ['MAX(cost_nano)', money],
  totalMsMax: ['MAX(total_ms)', integer],
  firstEvents: [durationsSql('first_event_ms'), text],
  totals: [totalsSql, text],
});
const summedCells = selection({
  ...keys,
  ...figuresOfCells,
  costNanoMax: ['MAX(cost_nano_max)', money],
  totalMsMax: ['MAX(total_ms_max)', integer],
  firstEvents: [binsSql('first_events'), text],
  totals: [binsSql('totals'), text],
});
type Summed = RowIn<typeof summedRows>;
type CellKey = { readonly [Name in keyof typeof keys]: Summed[Name] };

/** A cell as it travels between threads: there may be many of a period. */
const cellTable = packed(
  {
    view: textOf<CellView>(),
    tokenId: text,
    model: text,
    provider: text,
    endpoint: text,
    code: text,
    statusClass: integer,
    stream: integer,
    estimated: integer,
    requests: integer,
    failures: integer,
    inputTokens: integer,
    cacheReadTokens: integer,
    outputTokens: integer,
    costNano: money,
    costNanoMax: money,
    totalMsMax: integer,
    firstEvents: text,
    totals: text,
    unpriced: integer,
  },
  ({ view, key, sum }: { readonly view: CellView; readonly key: CellKey; readonly sum: CellSum }) => ({
    view,
    tokenId: key.tokenId,
    model: key.model,
    provider: key.provider,
    endpoint: key.endpoint,
    code: key.code,
    statusClass: key.statusClass,
    stream: key.stream,
    estimated: key.estimated,
    requests: sum.requests,
    failures: sum.failures,
    inputTokens: sum.inputTokens,
    cacheReadTokens: sum.cacheReadTokens,
    outputTokens: sum.outputTokens,
    costNano: moneyCell(sum.costNano),
    costNanoMax: moneyCell(sum.costNanoMax ?? 0n),
    totalMsMax: sum.totalMsMax,
    firstEvents: writeBins(sum.firstEvents),
    totals: writeBins(sum.totals),
    unpriced: sum.unpriced,
  }),
);

class CellSum extends FigureSum {
  costNanoMax: bigint | undefined;
  totalMsMax = 0;
  readonly firstEvents: Bins = new Map();
  readonly totals: Bins = new Map();

  addSummed(row: Summed, addBins: typeof addDurations): void {
    this.add(row);
    const costNanoMax = BigInt(row.costNanoMax);
    if (this.costNanoMax === undefined || costNanoMax > this.costNanoMax) this.costNanoMax = costNanoMax;
    this.totalMsMax = Math.max(this.totalMsMax, row.totalMsMax);
    addBins(this.firstEvents, row.firstEvents);
    addBins(this.totals, row.totals);
  }
}

const readRows = statement(
  `SELECT ${summedRows.list} FROM usage_rows WHERE at_ms >= $1 AND at_ms < $2
   GROUP BY token_id, model, provider, endpoint, code, status / 100, stream, estimated`,
);
const readFiner = statementsBy(
  (grain: Grain) => `SELECT ${summedCells.list}
   FROM usage_cells WHERE view = 'token' AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2
   GROUP BY ${keyColumns}`,
);
const readMarks = statement('SELECT mark FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 LIMIT $3');
/** A period with more marks than these is summed again and again until they are gone. */
const marksMax = 500;

/** The cells of a period, and the marks that were there before they were read. */
interface SummedPeriod {
  readonly grain: Grain;
  readonly startMs: number;
  readonly cells: readonly Cells[];
  readonly marks: readonly string[];
}

export const readPeriod = longRead(function* (grain: Grain, startMs: number): Steps<SummedPeriod> {
  const marks = (yield step(readMarks, grain, startMs, marksMax)).map((row) => asText(row[0]));
  const finer = finerThan(grain);
  const rows = yield step(finer === undefined ? readRows : readFiner(finer), startMs, startMs + grain);
  const cells =
    finer === undefined
      ? cellsOf(rows, summedRows.read, addDurations)
      : cellsOf(rows, summedCells.read, addWrittenBins);
  return { grain, startMs, cells, marks };
});

const wholePeriod: CellKey = {
  ...{ tokenId: '', model: '', provider: '', endpoint: '', code: '' },
  ...{ statusClass: -1, stream: -1, estimated: -1 },
};

/** Every row counts in three cells: its own, that of its kind, and the period's. */
function cellsOf(rows: readonly Row[], read: (row: Row) => Summed, addBins: typeof addDurations): Cells[] {
  const kinds = new Map<string, { readonly key: CellKey; readonly sum: CellSum }>();
  const all = new CellSum();
  const cells: Cells[] = [];
  const pack = (view: CellView, key: CellKey, sum: CellSum): void => {
    cells.push(cellTable.pack({ view, key, sum }, undefined));
  };
  for (const row of rows) {
    const summed = read(row);
    const own = new CellSum();
    own.addSummed(summed, addBins);
    all.addSummed(summed, addBins);
    pack('token', summed, own);
    const { model, provider, endpoint, code, statusClass, stream, estimated } = summed;
    const name = [model, provider, endpoint, code, statusClass, stream, estimated].join('\0');
    const kind = kinds.get(name) ?? { key: { ...summed, tokenId: '' }, sum: new CellSum() };
    kinds.set(name, kind);
    kind.sum.addSummed(summed, addBins);
  }
  for (const { key, sum } of kinds.values()) pack('kind', key, sum);
  if (rows.length > 0) pack('all', wholePeriod, all);
  return cells;
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
const removeCells = statement(
  "DELETE FROM usage_cells WHERE view IN ('all', 'kind', 'token') AND grain_ms = $1 AND start_ms = $2",
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
