/** Usage rows: written once a request, read by the console in pages and in sums. */

import {
  asText,
  type Operation,
  type Row,
  type SqlValue,
  type Statement,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { unpricedCountSql } from './unpriced.ts';
import { markLate, markStoredRow } from './usage-marks.ts';

/** One usage row as it travels: the cells in the order of `usageColumns`, the cost as `Money`. */
export type UsageCells = readonly (string | number | null)[];

export const usageColumns = [
  'request_id',
  'at_ms',
  'token_id',
  'endpoint',
  'model',
  'provider',
  'upstream_model',
  'stream',
  'attempts',
  'status',
  'code',
  'input_total',
  'input_fresh',
  'input_cache_read',
  'input_cache_write',
  'input_audio',
  'input_image',
  'output_total',
  'output_text',
  'output_thinking',
  'output_audio',
  'output_image',
  'cost_nano',
  'estimated',
  'price_version',
  'first_event_ms',
  'total_ms',
  'bytes_in',
  'bytes_out',
  'price_name',
  'units',
  'way',
] as const;

export const costAt = usageColumns.indexOf('cost_nano');
export const attemptsAt = usageColumns.indexOf('attempts');
const startAt = usageColumns.indexOf('at_ms');
export const usageColumnList = usageColumns.join(', ');
const list = usageColumnList;

/**
 * A request whose second lost attempt is swept already has its row: the money and the count are added to it. The row that its own
 * process writes takes the place of a swept one. Any other row that is there stays as it is.
 */
const afterSwept = (column: string): string => {
  const added = column === 'cost_nano' ? ' + excluded.cost_nano' : column === 'attempts' ? ' + 1' : '';
  return `${column} = CASE WHEN excluded.code = 'swept' THEN usage_rows.${column}${added} ELSE excluded.${column} END`;
};
const insertRows = (columns: readonly string[], tells: string) => (size: number) => {
  const tuples = Array.from({ length: size }, (_, row) => {
    const places = columns.map((_, column) => `$${row * columns.length + column + 1}`);
    return `(${places.join(', ')}, ${tells})`;
  });
  return `INSERT INTO usage_rows (${columns.join(', ')}, tells_attempt) VALUES ${tuples.join(', ')}
    ON CONFLICT (request_id) DO UPDATE SET ${[...columns.slice(1), 'tells_attempt'].map(afterSwept).join(', ')}
    WHERE usage_rows.code = 'swept'`;
};
const insertPlain = statementsBy(insertRows(usageColumns, 'NULL'));
const insertTelling = statementsBy(insertRows([...usageColumns, 'key_id'], '1'));

/**
 * Puts a row's values behind those of others: one list for a whole statement, and no row is copied twice. An older Weir's journal
 * has rows without the last cells.
 */
function bind(values: SqlValue[], cells: UsageCells): SqlValue[] {
  for (let at = 0; at < usageColumns.length; at += 1) {
    const cell = cells[at] ?? null;
    values.push(at === costAt ? BigInt(cell ?? 0) : cell);
  }
  return values;
}

const insertOne = insertPlain(1);

/** Writes one row, for operations that write it together with other things. */
export function* writeUsage(cells: UsageCells): Operation<void> {
  yield { statement: insertOne, values: bind([], cells) };
  yield* markLate([startOf(cells)]);
}

/** Puts a row in the place of a swept one. Its hour may be another one then, so both are marked. */
export function* replaceSweptUsage(cells: UsageCells): Operation<void> {
  yield* markStoredRow(String(cells[0]));
  yield* writeSweptUsage(cells);
}

/** Writes the row of a lost attempt, or adds to the one that the request has: which may lie in an hour that was summed. */
export function* writeSweptUsage(cells: UsageCells): Operation<void> {
  yield { statement: insertOne, values: bind([], cells) };
  yield* markStoredRow(String(cells[0]));
}

const rewriteOne = statement(
  `INSERT INTO usage_rows (${list}) VALUES (${usageColumns.map((_, column) => `$${column + 1}`).join(', ')})
   ON CONFLICT (request_id) DO UPDATE SET
     ${usageColumns
       .slice(1)
       .map((column) => `${column} = excluded.${column}`)
       .join(', ')}`,
);
const addCost = statement('UPDATE usage_rows SET cost_nano = cost_nano + $2, estimated = $3 WHERE request_id = $1');
const addSweptCost = statement(
  "UPDATE usage_rows SET cost_nano = cost_nano + $2 WHERE request_id = $1 AND code = 'swept'",
);

/** Puts a row in the place of the request's one so far. Its hour may be another one then, so both are marked. */
export function* rewriteUsage(cells: UsageCells): Operation<void> {
  const requestId = String(cells[0]);
  yield* markStoredRow(requestId);
  yield { statement: rewriteOne, values: bind([], cells) };
  yield* markStoredRow(requestId);
}

/** Only corrects what a request cost. */
export function* correctUsageCost(requestId: string, differenceNano: bigint, estimated: boolean): Operation<void> {
  yield step(addCost, requestId, differenceNano, estimated ? 1 : 0);
  yield* markStoredRow(requestId);
}

/** Only where the request's own row has not come: that one knows the cost already. */
export function* correctSweptCost(requestId: string, differenceNano: bigint): Operation<void> {
  yield step(addSweptCost, requestId, differenceNano);
  yield* markStoredRow(requestId);
}

/** How many rows one statement writes: many where there are many, and few ways, because each is a statement to keep ready. */
const chunkSizes = [32, 8, 1] as const;

export function* addUsageRows(rows: readonly UsageCells[]): Operation<null> {
  yield* inChunks(rows, insertPlain, bind);
  yield* markLate(startsOf(rows, (row) => row));
  return null;
}

/** A request's row that stands for its only attempt too, and the key with which that was made. */
export type TellingRow = readonly [row: UsageCells, keyId: string];

export function* addTellingRows(rows: readonly TellingRow[]): Operation<null> {
  yield* inChunks(rows, insertTelling, (values, [row, keyId]) => {
    bind(values, row);
    values.push(keyId);
  });
  yield* markLate(startsOf(rows, ([row]) => row));
  return null;
}

const startOf = (cells: UsageCells): number => Number(cells[startAt]);

function* startsOf<Item>(rows: readonly Item[], rowOf: (item: Item) => UsageCells): Generator<number> {
  for (const item of rows) yield startOf(rowOf(item));
}

function* inChunks<Item>(
  rows: readonly Item[],
  insert: (size: number) => Statement,
  add: (values: SqlValue[], row: Item) => void,
): Operation<void> {
  for (let from = 0; from < rows.length; ) {
    const size = chunkSizes.find((most) => most <= rows.length - from) ?? 1;
    const values: SqlValue[] = [];
    for (const row of rows.slice(from, from + size)) add(values, row);
    yield { statement: insert(size), values };
    from += size;
  }
}

/** What a list or a sum is narrowed to; null means everything. */
export type UsageFilterCells = readonly [
  tokenId: string | null,
  model: string | null,
  provider: string | null,
  code: string | null,
  fromMs: number | null,
  toMs: number | null,
  ownerId: string | null,
];

/** `?` is where a filter's value goes. */
const conditions = [
  'token_id = ?',
  'model = ?',
  'provider = ?',
  'code = ?',
  'at_ms >= ?',
  'at_ms < ?',
  'token_id IN (SELECT id FROM tokens WHERE owner_id = ?)',
];

/** The WHERE clause of a filter and its values; places are numbered from `firstPlace`. */
function narrow(filter: UsageFilterCells, firstPlace: number): { where: string[]; values: SqlValue[] } {
  const where: string[] = [];
  const values: SqlValue[] = [];
  for (const [index, value] of filter.entries()) {
    if (value === null) continue;
    where.push((conditions[index] ?? '').replace('?', `$${firstPlace + values.length}`));
    values.push(value);
  }
  return { where, values };
}

const clause = (where: readonly string[]): string => (where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`);

/** Keyed by the text itself: there are only as many as there are sets of filters. */
const byText = statementsBy((sql: string) => sql);

export function* listUsage(
  filter: UsageFilterCells,
  limit: number,
  beforeMs: number | null,
  beforeId: string | null,
): Operation<readonly UsageCells[]> {
  const { where, values } = narrow(filter, 2);
  if (beforeMs !== null) {
    where.push(`(at_ms, request_id) < ($${values.length + 2}, $${values.length + 3})`);
    values.push(beforeMs, beforeId);
  }
  const sql = `SELECT ${list} FROM usage_rows ${clause(where)} ORDER BY at_ms DESC, request_id DESC LIMIT $1`;
  const rows = yield { statement: byText(sql), values: [limit, ...values] };
  return rows.map(cellsOf);
}

const findOne = statement(`SELECT ${list} FROM usage_rows WHERE request_id = $1`);

export function* usageById(requestId: string): Operation<UsageCells | null> {
  const row = (yield step(findOne, requestId))[0];
  return row === undefined ? null : cellsOf(row);
}

export function cellsOf(row: Row): UsageCells {
  return row.map((cell, index) => {
    if (index === costAt) return asText(cell);
    return typeof cell === 'bigint' ? Number(cell) : cell;
  });
}

const groupings = {
  model: 'model',
  token: 'token_id',
  provider: 'provider',
  day: '(at_ms / 86400000) * 86400000',
  hour: '(at_ms / 3600000) * 3600000',
} as const;

export type UsageGrouping = keyof typeof groupings;

/** Key, requests, failures, input, cache reads, output, cost, requests without a price: all as digits. */
export function* sumUsage(grouping: UsageGrouping, filter: UsageFilterCells, limit: number): Operation<string[][]> {
  const { where, values } = narrow(filter, 2);
  const key = groupings[grouping];
  const order = grouping === 'day' || grouping === 'hour' ? 'group_key DESC' : 'cost DESC, requests DESC, group_key';
  const sum = (expression: string): string => `CAST(COALESCE(SUM(${expression}), 0) AS BIGINT)`;
  const sql = `SELECT ${key} AS group_key, COUNT(*) AS requests,
      ${sum('CASE WHEN status BETWEEN 200 AND 399 THEN 0 ELSE 1 END')},
      ${sum('input_total')}, ${sum('input_cache_read')}, ${sum('output_total')}, ${sum('cost_nano')} AS cost,
      ${sum(unpricedCountSql)}
    FROM usage_rows ${clause(where)} GROUP BY group_key ORDER BY ${order} LIMIT $1`;
  const rows = yield { statement: byText(sql), values: [limit, ...values] };
  return rows.map((row) => row.map(asText));
}
