/**
 * The statements that sum a period slice by slice: an hour in slices of so many rows, days and weeks in slices of
 * so many cells. Each is short, however many rows an hour has.
 */

import { longRead } from '../../sql/query.ts';
import {
  asNumber,
  asText,
  type Row,
  type SqlValue,
  type Statement,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../../sql/statement.ts';
import { integer, money, type RowIn, selection, text } from '../../sql/table.ts';
import { finerThan, type Grain } from '../../usage/usage-grains.ts';
import { figuresOfCells, figuresOfRows, requestsSql, sumSql } from '../../usage/usage-sums.ts';
import { type CellView, cellColumns, otherUsers } from '../cell-views.ts';
import { binsSql, durationsSql, totalsSql } from '../duration-sums.ts';
import { otherTags, tagPattern } from '../tag-sets.ts';
import { byText, padded } from '../usage-narrowing.ts';
import type { NameShare } from './kept-names.ts';
import { binsOfDurations } from './written-bins.ts';

/** What distinguishes cells of one view and period, beside its users and tags. */
export const keys = {
  tokenId: ['token_id', text],
  model: ['model', text],
  provider: ['provider', text],
  endpoint: ['endpoint', text],
  code: ['code', text],
  statusClass: ['status_class', integer],
  stream: ['stream', integer],
  estimated: ['estimated', integer],
  keyId: ['key_id', text],
} as const;

const noUser = ["'' AS no_user", text] as const;
const keptUserSql = `CASE WHEN kept.name IS NULL THEN '${otherUsers}' ELSE end_user END`;
const keptUser = [keptUserSql, text] as const;
const noTags = ["'' AS no_tags", text] as const;
const keptTagsSql = `CASE WHEN kept.name IS NULL THEN '${tagPattern(otherTags)}' ELSE tags END`;
const keptTags = [keptTagsSql, text] as const;

const ofRows = {
  ...figuresOfRows,
  costNanoMax: ['MAX(cost_nano)', money],
  totalMsMax: ['MAX(total_ms)', integer],
  firstEvents: [durationsSql('first_event_ms'), text],
  totals: [totalsSql, text],
} as const;
const ofCells = {
  ...figuresOfCells,
  costNanoMax: ['MAX(cost_nano_max)', money],
  totalMsMax: ['MAX(total_ms_max)', integer],
  firstEvents: [binsSql('first_events'), text],
  totals: [binsSql('totals'), text],
} as const;

/** Rows from before keys were written down have none. */
const rowKeys = {
  ...keys,
  statusClass: ['status / 100 AS status_class', integer],
  keyId: ["COALESCE(key_id, '') AS key_name", text],
} as const;
const rowGroups = 'token_id, model, provider, endpoint, code, status / 100, stream, estimated, key_id';
const cellGroups = cellColumns.filter((column) => column !== 'end_user' && column !== 'tags').join(', ');

const rowsWithoutUsers = selection({ ...rowKeys, endUser: noUser, tags: noTags, ...ofRows });
const rowsOfUsers = selection({ ...rowKeys, endUser: keptUser, tags: noTags, ...ofRows });
const rowsOfTags = selection({ ...rowKeys, endUser: noUser, tags: keptTags, ...ofRows });
const cellsWithoutUsers = selection({ ...keys, endUser: noUser, tags: noTags, ...ofCells });
const cellsOfUsers = selection({ ...keys, endUser: keptUser, tags: noTags, ...ofCells });
const cellsOfTags = selection({ ...keys, endUser: noUser, tags: ['tags', text], ...ofCells });

/** Rows of a slice that are one in a view, their durations as bins. */
export type Summed = RowIn<typeof rowsWithoutUsers>;

/** From a place in the order of time and id on, before another one. Cells have no ids. */
export interface Slice {
  readonly fromMs: number;
  readonly fromId: string;
  readonly toMs: number;
  readonly toId: string;
}

const inRows = '(at_ms, request_id) >= ($1, $2) AND (at_ms, request_id) < ($3, $4)';
const rowPlaces = ({ fromMs, fromId, toMs, toId }: Slice): SqlValue[] => [fromMs, fromId, toMs, toId];
const inCells = (view: CellView, grain: Grain): string =>
  `view = '${view}' AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2`;
const cellPlaces = ({ fromMs, toMs }: Slice): SqlValue[] => [fromMs, toMs];

/** Names that one slice may add to a tally; those that cost least beyond these are others. */
const namesPerSliceMax = 20_000;

const shares = (column: string, source: string, requests: string): string =>
  `SELECT ${column}, ${sumSql('cost_nano')} AS cost, ${requests} AS requests FROM ${source} AND ${column} <> ''
   GROUP BY ${column} ORDER BY cost DESC, requests DESC, ${column} LIMIT ${namesPerSliceMax}`;
const rowUsers = statement(shares('end_user', `usage_rows WHERE ${inRows}`, requestsSql));
const rowTags = statement(shares('tags', `usage_rows WHERE ${inRows}`, requestsSql));
const cellUsers = statementsBy((grain: Grain) =>
  shares(
    'end_user',
    `usage_cells WHERE ${inCells('by-user', grain)} AND end_user <> '${otherUsers}'`,
    sumSql('requests'),
  ),
);
const cellTags = statementsBy((grain: Grain) =>
  shares('tags', `usage_cells WHERE ${inCells('by-tag', grain)}`, sumSql('requests')),
);
/** By the index alone. */
const rowAfter = statement(
  `SELECT at_ms, request_id FROM usage_rows WHERE (at_ms, request_id) >= ($1, $2) AND at_ms < $3
   ORDER BY at_ms, request_id LIMIT 1 OFFSET $4`,
);

/** The first period of cells that so many cells of a view come before; what this period holds is never cut. */
const cellsAfter = statementsBy((grain: Grain) => {
  const views = (['token', 'user', 'tag'] as const).map(
    (view) =>
      `SELECT start_ms FROM (SELECT start_ms FROM usage_cells WHERE ${inCells(view, grain)}
       ORDER BY start_ms LIMIT 1 OFFSET $3) AS of_${view}`,
  );
  return `SELECT MIN(start_ms) FROM (${views.join(' UNION ALL ')}) AS after_some`;
});

export interface TalliedSlice {
  readonly slice: Slice;
  readonly users: readonly NameShare[];
  readonly tags: readonly NameShare[];
}

/** The next slice of a period, of at most so many rows, and what its users and tags cost. */
export const tallySlice = longRead(function* (
  grain: Grain,
  fromMs: number,
  fromId: string,
  endMs: number,
  rows: number,
): Steps<TalliedSlice> {
  const finer = finerThan(grain);
  if (finer !== undefined) {
    const after = (yield step(cellsAfter(finer), fromMs, endMs, rows))[0]?.[0] ?? null;
    const toMs = after === null ? endMs : Math.max(asNumber(after), fromMs + finer);
    const slice = { fromMs, fromId, toMs, toId: '' };
    return yield* tallied(slice, cellUsers(finer), cellTags(finer), cellPlaces(slice));
  }
  const after = (yield step(rowAfter, fromMs, fromId, endMs, rows))[0];
  const to = after === undefined ? { toMs: endMs, toId: '' } : { toMs: asNumber(after[0]), toId: asText(after[1]) };
  const slice = { fromMs, fromId, ...to };
  return yield* tallied(slice, rowUsers, rowTags, rowPlaces(slice));
});

function* tallied(slice: Slice, users: Statement, tags: Statement, places: readonly SqlValue[]): Steps<TalliedSlice> {
  const ofUsers = yield step(users, ...places);
  const ofTags = yield step(tags, ...places);
  return { slice, users: ofUsers.map(shareOf), tags: ofTags.map(shareOf) };
}

const shareOf = (row: Row): NameShare => [asText(row[0]), asText(row[1]), asNumber(row[2])];

/** Names as a table; a list is padded with its last one. */
const keptNames = (first: number, size: number): string =>
  `(SELECT DISTINCT column1 AS name FROM (VALUES ${Array.from(
    { length: size },
    (_, at) => `(CAST($${first + at} AS TEXT))`,
  ).join(', ')}) AS given) AS kept`;

const readRows = statement(`SELECT ${rowsWithoutUsers.list} FROM usage_rows WHERE ${inRows} GROUP BY ${rowGroups}`);
const readUserRows = (size: number): string =>
  `SELECT ${rowsOfUsers.list} FROM usage_rows LEFT JOIN ${keptNames(5, size)} ON kept.name = end_user
   WHERE ${inRows} AND end_user <> '' GROUP BY ${rowGroups}, ${keptUserSql}`;
const readTagRows = statement(
  `SELECT ${rowsOfTags.list} FROM usage_rows
   LEFT JOIN (
     SELECT tags AS name FROM usage_rows WHERE ${inRows} AND tags <> ''
     GROUP BY tags ORDER BY SUM(cost_nano) DESC, COUNT(*) DESC, tags LIMIT ${namesPerSliceMax}
   ) AS kept ON kept.name = tags
   WHERE ${inRows} AND tags <> '' GROUP BY ${rowGroups}, ${keptTagsSql}`,
);
const readFiner = statementsBy(
  (grain: Grain) =>
    `SELECT ${cellsWithoutUsers.list} FROM usage_cells WHERE ${inCells('token', grain)} GROUP BY ${cellGroups}`,
);
const readFinerUsers = (grain: Grain, size: number): string =>
  `SELECT ${cellsOfUsers.list} FROM usage_cells LEFT JOIN ${keptNames(3, size)} ON kept.name = end_user
   WHERE ${inCells('user', grain)} GROUP BY ${cellGroups}, ${keptUserSql}`;
const readFinerTags = statementsBy(
  (grain: Grain) =>
    `SELECT ${cellsOfTags.list} FROM usage_cells WHERE ${inCells('tag', grain)} GROUP BY ${cellGroups}, tags`,
);

/** How a slice is read, and its rows. */
interface SliceReads {
  readonly whole: Statement;
  /** With so many names of users behind the places of the slice. */
  readonly users: (names: number) => string;
  readonly tags: Statement;
  readWhole(row: Row): Summed;
  readUser(row: Row): Summed;
  readTag(row: Row): Summed;
}

const inBins = (summed: Summed): Summed => ({
  ...summed,
  firstEvents: binsOfDurations(summed.firstEvents),
  totals: binsOfDurations(summed.totals),
});

const ofRowSlices: SliceReads = {
  ...{ whole: readRows, users: readUserRows, tags: readTagRows },
  readWhole: (row) => inBins(rowsWithoutUsers.read(row)),
  readUser: (row) => inBins(rowsOfUsers.read(row)),
  readTag: (row) => inBins(rowsOfTags.read(row)),
};

const ofCellSlices = (finer: Grain): SliceReads => ({
  ...{ whole: readFiner(finer), users: (names) => readFinerUsers(finer, names), tags: readFinerTags(finer) },
  readWhole: (row) => cellsWithoutUsers.read(row),
  readUser: (row) => cellsOfUsers.read(row),
  readTag: (row) => cellsOfTags.read(row),
});

/** The rows of a slice as they are in the cells `token`, `user` and `tag`. */
export interface SummedSlice {
  readonly whole: readonly Summed[];
  readonly users: readonly Summed[];
  readonly tags: readonly Summed[];
}

/** Users and tags are read first: a row that arrives in between is then one without them, until its hour is summed again. */
export const readSlice = longRead(function* (
  grain: Grain,
  slice: Slice,
  keptUsers: readonly string[],
  hasTags: boolean,
): Steps<SummedSlice> {
  const finer = finerThan(grain);
  const [reads, places] =
    finer === undefined ? [ofRowSlices, rowPlaces(slice)] : [ofCellSlices(finer), cellPlaces(slice)];
  const names = padded(keptUsers);
  const users =
    keptUsers.length === 0 ? [] : yield { statement: byText(reads.users(names.length)), values: [...places, ...names] };
  const tags = hasTags ? yield step(reads.tags, ...places) : [];
  const whole = yield step(reads.whole, ...places);
  return {
    whole: whole.map((row) => reads.readWhole(row)),
    users: users.map((row) => reads.readUser(row)),
    tags: tags.map((row) => reads.readTag(row)),
  };
});

const marks = statement('SELECT mark FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 LIMIT $3');
/** A period with more marks than these is summed again and again until they are gone. */
const marksMax = 500;

/** Read before the rows: what changes while they are read leaves a mark of its own. */
export const marksOf = longRead(function* (grain: Grain, startMs: number): Steps<readonly string[]> {
  return (yield step(marks, grain, startMs, marksMax)).map((row) => asText(row[0]));
});
