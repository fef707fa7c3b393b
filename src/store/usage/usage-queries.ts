/** Usage rows: written once a request, read by the console in pages and in sums. */

import { tokensSeenSql } from '../organization/seen-tokens.ts';
import type { PageRequest } from '../sql/pages.ts';
import { longRead, read, transaction } from '../sql/query.ts';
import {
  type SqlValue,
  type Statement,
  type Step,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { placesFrom, type RowIn, selection, text } from '../sql/table.ts';
import { markLate, markStoredRow } from './usage-marks.ts';
import { figuresOfRows } from './usage-sums.ts';
import { type UsageCells, usageTable } from './usage-table.ts';

const { columns: usageColumns, list } = usageTable;

/**
 * A request whose second lost attempt is swept already has its row: the money and the count are added to it. The row that its own
 * process writes takes the place of a swept one. Any other row that is there stays as it is.
 */
const afterSwept = (column: string): string => {
  const added = column === 'cost_nano' ? ' + excluded.cost_nano' : column === 'attempts' ? ' + 1' : '';
  return `${column} = CASE WHEN excluded.code = 'swept' THEN usage_rows.${column}${added} ELSE excluded.${column} END`;
};
/** What a row has of the attempt that it records, beside that it does: its budgets, and the tokens that they were charged. */
const recordColumns = ['scopes', 'charged_tokens'] as const;
const onRowThere = `ON CONFLICT (request_id) DO UPDATE
  SET ${[...usageColumns.slice(1), 'tells_attempt', ...recordColumns].map(afterSwept).join(', ')} WHERE usage_rows.code = 'swept'`;
const insertRows = (columns: readonly string[], tells: string) => (size: number) => {
  const width = columns.length;
  const tuples = Array.from({ length: size }, (_, at) => `(${placesFrom(1 + at * width, width)}, ${tells})`);
  return `INSERT INTO usage_rows (${columns.join(', ')}, tells_attempt) VALUES ${tuples.join(', ')} ${onRowThere}`;
};
const insertPlain = statementsBy(insertRows(usageColumns, 'NULL'));
const insertSoleAttempts = statementsBy(insertRows([...usageColumns, ...recordColumns], '1'));
const keyFromEnd = usageColumns.length - usageColumns.indexOf('key_id');

const insertOne = insertPlain(1);

function rowStep(statement: Statement, row: UsageCells): Step {
  const values: SqlValue[] = [];
  usageTable.bind(values, row);
  return { statement, values };
}

const requestOf = (row: UsageCells): string => usageTable.get(row, 'requestId');
const startOf = (row: UsageCells): number => usageTable.get(row, 'atMs');

/** Writes one row, for operations that write it together with other things. */
export function* writeUsage(row: UsageCells): Steps<void> {
  yield rowStep(insertOne, row);
  yield* markLate([startOf(row)]);
}

/** Puts a row in the place of a swept one. Its hour may be another one then, so both are marked. */
export function* replaceSweptUsage(row: UsageCells): Steps<void> {
  yield* markStoredRow(requestOf(row));
  yield* writeSweptUsage(row);
}

/** Writes the row of a lost attempt, or adds to the one that the request has: which may lie in an hour that was summed. */
export function* writeSweptUsage(row: UsageCells): Steps<void> {
  yield rowStep(insertOne, row);
  yield* markStoredRow(requestOf(row));
}

const rewriteOne = statement(
  `INSERT INTO usage_rows (${list}) VALUES (${placesFrom(1, usageColumns.length)})
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
export function* rewriteUsage(row: UsageCells): Steps<void> {
  const requestId = requestOf(row);
  yield* markStoredRow(requestId);
  yield rowStep(rewriteOne, row);
  yield* markStoredRow(requestId);
}

/** Only corrects what a request cost. */
export function* correctUsageCost(requestId: string, differenceNano: bigint, estimated: boolean): Steps<void> {
  yield step(addCost, requestId, differenceNano, estimated ? 1 : 0);
  yield* markStoredRow(requestId);
}

/** Only where the request's own row has not come: that one has the cost already. */
export function* correctSweptCost(requestId: string, differenceNano: bigint): Steps<void> {
  yield step(addSweptCost, requestId, differenceNano);
  yield* markStoredRow(requestId);
}

/** How many rows one statement writes: many where there are many, and few sizes, because each is a prepared statement to keep. */
const chunkSizes = [128, 32, 8, 1] as const;

export const addUsageRows = transaction(function* (rows: readonly UsageCells[]): Steps<null> {
  yield* inChunks(rows, insertPlain, usageTable.bind);
  yield* markLate(startsOf(rows, (row) => row));
  return null;
});

/** A request's row that also records its only attempt, with its key and, where it counted against budgets, these. */
export interface SoleAttemptRow {
  readonly row: UsageCells;
  readonly keyId: string;
  readonly scopes: string | null;
  readonly chargedTokens: bigint | null;
}

export function* addSoleAttemptRows(rows: readonly SoleAttemptRow[]): Steps<null> {
  yield* inChunks(rows, insertSoleAttempts, (values, { row, keyId, scopes, chargedTokens }) => {
    usageTable.bind(values, row);
    // The row of an earlier journal does not name it, its opening does.
    values[values.length - keyFromEnd] = keyId;
    values.push(scopes, chargedTokens);
  });
  yield* markLate(startsOf(rows, ({ row }) => row));
  return null;
}

function* startsOf<Item>(rows: readonly Item[], rowOf: (item: Item) => UsageCells): Generator<number> {
  for (const item of rows) yield startOf(rowOf(item));
}

function* inChunks<Item>(
  rows: readonly Item[],
  insert: (size: number) => Statement,
  add: (values: SqlValue[], row: Item) => void,
): Steps<void> {
  for (let from = 0; from < rows.length; ) {
    const size = chunkSizes.find((most) => most <= rows.length - from) ?? 1;
    const values: SqlValue[] = [];
    for (const row of rows.slice(from, from + size)) add(values, row);
    yield { statement: insert(size), values };
    from += size;
  }
}

/** What a list or a sum is narrowed to, each by its condition; `?` is where the value goes. */
const conditions = {
  tokenId: 'token_id = ?',
  model: 'model = ?',
  provider: 'provider = ?',
  code: 'code = ?',
  requestsMin: 'requests >= ?',
  fromMs: 'at_ms >= ?',
  toMs: 'at_ms < ?',
  ownerId: 'token_id IN (SELECT id FROM tokens WHERE owner_id = ?)',
  seenBy: `token_id IN (${tokensSeenSql('?')})`,
} as const;

type Filter = { readonly [Name in keyof typeof conditions]?: string | number | undefined };

/** The WHERE clause of a filter and its values; places are numbered from `firstPlace`. */
function narrow(filter: Filter, firstPlace: number): { where: string[]; values: SqlValue[] } {
  const where: string[] = [];
  const values: SqlValue[] = [];
  for (const [name, condition] of Object.entries(conditions)) {
    const value = filter[name as keyof Filter];
    if (value === undefined) continue;
    where.push(condition.replaceAll('?', `$${firstPlace + values.length}`));
    values.push(value);
  }
  return { where, values };
}

const clause = (where: readonly string[]): string => (where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`);

/** Keyed by the text itself: there are only as many as there are sets of filters. */
const byText = statementsBy((sql: string) => sql);

export const listUsage = longRead(function* (
  filter: Filter,
  { limit, after }: PageRequest,
): Steps<readonly UsageCells[]> {
  const { where, values } = narrow(filter, 2);
  if (after !== undefined) {
    where.push(`(at_ms, request_id) < ($${values.length + 2}, $${values.length + 3})`);
    values.push(after.atMs, after.id);
  }
  const sql = `SELECT ${list} FROM usage_rows ${clause(where)} ORDER BY at_ms DESC, request_id DESC LIMIT $1`;
  const rows = yield { statement: byText(sql), values: [limit, ...values] };
  return rows.map(usageTable.read);
});

const findOne = statement(`SELECT ${list} FROM usage_rows WHERE request_id = $1`);

export const usageById = read(function* (requestId: string): Steps<UsageCells | null> {
  const row = (yield step(findOne, requestId))[0];
  return row === undefined ? null : usageTable.read(row);
}, 'after-journal');

const groupings = {
  model: 'model',
  token: 'token_id',
  provider: 'provider',
  day: '(at_ms / 86400000) * 86400000',
  hour: '(at_ms / 3600000) * 3600000',
} as const;

export type UsageGrouping = keyof typeof groupings;

const sumsBy = (grouping: UsageGrouping) =>
  selection({ key: [`${groupings[grouping]} AS group_key`, text], ...figuresOfRows });

export const sumUsage = longRead(function* (
  grouping: UsageGrouping,
  filter: Filter,
  limit: number,
): Steps<readonly RowIn<ReturnType<typeof sumsBy>>[]> {
  const { where, values } = narrow(filter, 2);
  const order = grouping === 'day' || grouping === 'hour' ? 'group_key DESC' : 'cost DESC, requests DESC, group_key';
  const selected = sumsBy(grouping);
  const sql = `SELECT ${selected.list}
    FROM usage_rows ${clause(where)} GROUP BY group_key ORDER BY ${order} LIMIT $1`;
  const rows = yield { statement: byText(sql), values: [limit, ...values] };
  return rows.map((row) => selected.read(row));
});
