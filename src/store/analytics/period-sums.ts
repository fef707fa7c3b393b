/** The cells of one period: an hour is summed from its rows, a day from its hours, a week from its days. */

import { type Cells, packed } from '../sql/packed.ts';
import { longRead } from '../sql/query.ts';
import { asText, moneyCell, type Row, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, money, type RowIn, selection, text, textOf } from '../sql/table.ts';
import { finerThan, type Grain } from '../usage/usage-grains.ts';
import { FigureSum, figuresOfCells, figuresOfRows } from '../usage/usage-sums.ts';
import { type CellView, cellColumns, distinguishes, otherUsers, usersPerPeriodMax } from './cell-views.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { keptSets, otherTags, setsReadMax, tagPattern } from './tag-sets.ts';

/** The durations of many rows as one text: no engine has to know about bins. */
export const durationsSql = (column: string): string => `COALESCE(string_agg(CAST(${column} AS TEXT), ' '), '')`;
/** A request that called no provider says nothing about their speed. */
export const totalsSql = durationsSql('CASE WHEN attempts > 0 THEN total_ms END');
export const binsSql = (column: string): string => `COALESCE(string_agg(${column}, ' '), '')`;

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
  keyId: ['key_id', text],
} as const;
const keyNames = [...Object.keys(keys), 'endUser', 'tags'] as readonly (keyof CellKey)[];

/** Without a user, and with one of those that are kept. */
const noUser = ["'' AS no_user", text] as const;
const keptUserSql = `CASE WHEN kept.name IS NULL THEN '${otherUsers}' ELSE end_user END`;
const keptUser = [keptUserSql, text] as const;
/** The same of sets of tags. */
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
type Summed = RowIn<typeof rowsWithoutUsers>;
type CellKey = { readonly [Name in keyof typeof keys | 'endUser' | 'tags']: Summed[Name] };

/** A cell as it travels between threads: there may be many of a period. */
export const cellTable = packed(
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
    keyId: text,
    endUser: text,
    tags: text,
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
    keyId: key.keyId,
    endUser: key.endUser,
    tags: key.tags,
  }),
);

class CellSum extends FigureSum {
  costNanoMax: bigint | undefined;
  totalMsMax = 0;
  readonly firstEvents: Bins = new Map();
  readonly totals: Bins = new Map();

  addSummed(row: Summed, addBins: typeof addDurations): void {
    this.#addFigures(row);
    addBins(this.firstEvents, row.firstEvents);
    addBins(this.totals, row.totals);
  }

  /** The same row once more, whose durations were read already. */
  addRead(row: Summed, { firstEvents, totals }: CellSum): void {
    this.#addFigures(row);
    addCounts(this.firstEvents, firstEvents, 1);
    addCounts(this.totals, totals, 1);
  }

  copy(): CellSum {
    const copied = new CellSum();
    copied.add(this.figures());
    copied.costNanoMax = this.costNanoMax;
    copied.totalMsMax = this.totalMsMax;
    addCounts(copied.firstEvents, this.firstEvents, 1);
    addCounts(copied.totals, this.totals, 1);
    return copied;
  }

  /** All that another sum has, taken away; the greatest cost and duration stay as upper bounds. */
  without(other: CellSum): void {
    this.requests -= other.requests;
    this.failures -= other.failures;
    this.inputTokens -= other.inputTokens;
    this.cacheReadTokens -= other.cacheReadTokens;
    this.outputTokens -= other.outputTokens;
    this.costNano -= other.costNano;
    this.unpriced -= other.unpriced;
    addCounts(this.firstEvents, other.firstEvents, -1);
    addCounts(this.totals, other.totals, -1);
  }

  #addFigures(row: Summed): void {
    this.add(row);
    const costNanoMax = BigInt(row.costNanoMax);
    if (this.costNanoMax === undefined || costNanoMax > this.costNanoMax) this.costNanoMax = costNanoMax;
    this.totalMsMax = Math.max(this.totalMsMax, row.totalMsMax);
  }
}

function addCounts(to: Bins, from: Bins, sign: 1 | -1): void {
  for (const [bin, count] of from) {
    const sum = (to.get(bin) ?? 0) + sign * count;
    if (sum === 0) to.delete(bin);
    else to.set(bin, sum);
  }
}

const inRows = 'at_ms >= $1 AND at_ms < $2';
const inCells = (view: CellView, grain: Grain): string =>
  `view = '${view}' AND grain_ms = ${grain} AND start_ms >= $1 AND start_ms < $2`;

/** Those users that cost most, joined to where they are found. */
const keptUsers = (source: string, where: string, requests: string): string =>
  `LEFT JOIN (
     SELECT end_user AS name FROM ${source} WHERE ${where} AND end_user <> '' AND end_user <> '${otherUsers}'
     GROUP BY end_user ORDER BY SUM(cost_nano) DESC, ${requests} DESC, end_user LIMIT ${usersPerPeriodMax}
   ) AS kept ON kept.name = end_user`;

const readRows = statement(`SELECT ${rowsWithoutUsers.list} FROM usage_rows WHERE ${inRows} GROUP BY ${rowGroups}`);
const hasUsers = statement(`SELECT 1 FROM usage_rows WHERE ${inRows} AND end_user <> '' LIMIT 1`);
const readUserRows = statement(
  `SELECT ${rowsOfUsers.list} FROM usage_rows ${keptUsers('usage_rows', inRows, 'COUNT(*)')}
   WHERE ${inRows} AND end_user <> '' GROUP BY ${rowGroups}, ${keptUserSql}`,
);
const hasTags = statement(`SELECT 1 FROM usage_rows WHERE ${inRows} AND tags <> '' LIMIT 1`);
const readTagRows = statement(
  `SELECT ${rowsOfTags.list} FROM usage_rows
   LEFT JOIN (
     SELECT tags AS name FROM usage_rows WHERE ${inRows} AND tags <> ''
     GROUP BY tags ORDER BY SUM(cost_nano) DESC, COUNT(*) DESC, tags LIMIT ${setsReadMax}
   ) AS kept ON kept.name = tags
   WHERE ${inRows} AND tags <> '' GROUP BY ${rowGroups}, ${keptTagsSql}`,
);
const readFinerTags = statementsBy(
  (grain: Grain) =>
    `SELECT ${cellsOfTags.list} FROM usage_cells WHERE ${inCells('tag', grain)} GROUP BY ${cellGroups}, tags`,
);
const readFiner = statementsBy(
  (grain: Grain) =>
    `SELECT ${cellsWithoutUsers.list} FROM usage_cells WHERE ${inCells('token', grain)} GROUP BY ${cellGroups}`,
);
const readFinerUsers = statementsBy(
  (grain: Grain) =>
    `SELECT ${cellsOfUsers.list} FROM usage_cells
     ${keptUsers('usage_cells', inCells('user', grain), 'SUM(requests)')}
     WHERE ${inCells('user', grain)} GROUP BY ${cellGroups}, ${keptUserSql}`,
);
const readMarks = statement('SELECT mark FROM usage_marks WHERE grain_ms = $1 AND start_ms = $2 LIMIT $3');
/** A period with more marks than these is summed again and again until they are gone. */
const marksMax = 500;

/** The cells of a period, and the marks that were there before they were read. */
export interface SummedPeriod {
  readonly grain: Grain;
  readonly startMs: number;
  readonly cells: readonly Cells[];
  readonly marks: readonly string[];
}

/** Users and tags are read first: a row that arrives in between is then one without them, until its hour is summed again. */
export const readPeriod = longRead(function* (grain: Grain, startMs: number): Steps<SummedPeriod> {
  const marks = (yield step(readMarks, grain, startMs, marksMax)).map((row) => asText(row[0]));
  const finer = finerThan(grain);
  const ends = [startMs, startMs + grain] as const;
  const period = new PeriodCells();
  if (finer !== undefined) {
    const users = yield step(readFinerUsers(finer), ...ends);
    const tagged = yield step(readFinerTags(finer), ...ends);
    period.add(yield step(readFiner(finer), ...ends), cellsWithoutUsers.read, addWrittenBins);
    period.addUsers(users, cellsOfUsers.read, addWrittenBins);
    period.addTags(tagged, cellsOfTags.read, addWrittenBins);
  } else {
    const any = yield step(hasUsers, ...ends);
    const users = any.length === 0 ? [] : yield step(readUserRows, ...ends);
    const anyTags = yield step(hasTags, ...ends);
    const tagged = anyTags.length === 0 ? [] : yield step(readTagRows, ...ends);
    period.add(yield step(readRows, ...ends), rowsWithoutUsers.read, addDurations);
    period.addUsers(users, rowsOfUsers.read, addDurations);
    period.addTags(tagged, rowsOfTags.read, addDurations);
  }
  return { grain, startMs, cells: period.all(), marks };
});

const wholePeriod: CellKey = {
  ...{ tokenId: '', model: '', provider: '', endpoint: '', code: '', keyId: '', endUser: '', tags: '' },
  ...{ statusClass: -1, stream: -1, estimated: -1 },
};

type ReadSummed = (row: Row) => Summed;

/** Every row counts in a cell of each view; one without a user has none in `user`, and one without tags none in `tag`. */
class PeriodCells {
  readonly #cells: Cells[] = [];
  readonly #whole = new CellSum();
  readonly #views: readonly CellGroups[] = [
    new CellGroups('kind'),
    new CellGroups('by-token'),
    new CellGroups('by-key'),
  ];
  readonly #users = new CellGroups('by-user');
  readonly #tags = new CellGroups('by-tag');

  add(rows: readonly Row[], read: ReadSummed, addBins: typeof addDurations): void {
    for (const row of rows) {
      const summed = read(row);
      const own = this.#packOwn('token', summed, addBins);
      this.#whole.addRead(summed, own);
      for (const view of this.#views) view.add(summed, own);
    }
  }

  addUsers(rows: readonly Row[], read: ReadSummed, addBins: typeof addDurations): void {
    for (const row of rows) {
      const summed = read(row);
      this.#users.add(summed, this.#packOwn('user', summed, addBins));
    }
  }

  /** Cells of sets that become one are one cell. */
  addTags(rows: readonly Row[], read: ReadSummed, addBins: typeof addDurations): void {
    const summed = rows.map((row) => read(row));
    const kept = keptSets(
      summed.map(({ tags, costNano, requests }) => ({ tags, costNano: BigInt(costNano), requests })),
    );
    const cells = new CellGroups('tag');
    for (const row of summed) {
      const own = new CellSum();
      own.addSummed(row, addBins);
      const named = { ...row, tags: kept.get(row.tags) ?? row.tags };
      cells.add(named, own);
      this.#tags.add(named, own);
    }
    for (const { key, sum } of cells.groups.values()) this.#pack('tag', key, sum);
  }

  all(): readonly Cells[] {
    if (this.#whole.requests === 0) return [];
    this.#pack('all', wholePeriod, this.#whole);
    for (const { view, groups } of [...this.#views, this.#users, this.#tags]) {
      for (const { key, sum } of groups.values()) this.#pack(view, key, sum);
    }
    // What is left of the whole had no user, or no tags.
    for (const { view, groups } of [this.#users, this.#tags]) {
      const rest = this.#whole.copy();
      for (const { sum } of groups.values()) rest.without(sum);
      if (rest.requests > 0) this.#pack(view, wholePeriod, rest);
    }
    return this.#cells;
  }

  #packOwn(view: CellView, summed: Summed, addBins: typeof addDurations): CellSum {
    const own = new CellSum();
    own.addSummed(summed, addBins);
    this.#pack(view, summed, own);
    return own;
  }

  #pack(view: CellView, key: CellKey, sum: CellSum): void {
    this.#cells.push(cellTable.pack({ view, key, sum }, undefined));
  }
}

/** The cells of one view, by what it distinguishes. */
class CellGroups {
  readonly view: CellView;
  readonly groups = new Map<string, { readonly key: CellKey; readonly sum: CellSum }>();
  readonly #names: readonly (keyof CellKey)[];

  constructor(view: CellView) {
    this.view = view;
    this.#names = keyNames.filter((_, at) => {
      const column = cellColumns[at];
      return column !== undefined && distinguishes(view, column);
    });
  }

  add(summed: Summed, own: CellSum): void {
    const name = this.#names.map((each) => summed[each]).join('\0');
    let group = this.groups.get(name);
    if (group === undefined) {
      const named = Object.fromEntries(this.#names.map((each) => [each, summed[each]]));
      group = { key: { ...wholePeriod, ...named }, sum: new CellSum() };
      this.groups.set(name, group);
    }
    group.sum.addRead(summed, own);
  }
}
