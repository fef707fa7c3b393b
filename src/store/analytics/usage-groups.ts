/** Usage by its kinds: sums of a range, and of each of its buckets. */

import { longRead } from '../sql/query.ts';
import { asNumber, asText, type SqlValue, type Steps } from '../sql/statement.ts';
import { selection } from '../sql/table.ts';
import { FigureSum, type Figures, figuresOfCells, figuresOfRows } from '../usage/usage-sums.ts';
import type { CellView } from './cell-views.ts';
import { type BucketName, bucketSql, segmentsFor, sourceOf } from './segment-sources.ts';
import { byText, type Conditions, keySql, viewFor } from './usage-narrowing.ts';
import type { Segment } from './usage-segments.ts';

/** What rows and cells can be grouped by, as SQL over either. */
const groupColumns = {
  model: 'model',
  provider: 'provider',
  token_id: 'token_id',
  end_user: 'end_user',
  tags: 'tags',
  endpoint: 'endpoint',
  key: keySql,
  code: 'code',
  status_class: 'status_class',
} as const;
export type GroupColumn = keyof typeof groupColumns;

const columnSql = (column: GroupColumn, ofRows: boolean): string =>
  ofRows && column === 'status_class' ? 'status / 100' : groupColumns[column];

export type GroupOrder = 'cost' | 'requests' | 'tokens';

/** What to group by, and which groups come first. */
export interface Breakdown {
  readonly by: GroupColumn;
  /** By cost where absent. */
  readonly order?: GroupOrder | undefined;
}

interface GroupRow extends Figures {
  readonly key: string;
}

/** By several columns together: a key for each. */
interface JointRow extends Figures {
  readonly keys: readonly string[];
}

/** Of one segment; the smallest ones beyond these are left out. */
const groupsPerSegmentMax = 20_000;

const figures = { rows: selection(figuresOfRows), cells: selection(figuresOfCells) };

interface JointQuery {
  readonly bucket: BucketName;
  readonly columns: readonly GroupColumn[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly conditions: Conditions;
}

type SeeSum = (startMs: number, keys: readonly string[], read: Figures) => void;

/** Sums by all columns together; those of one group come once for each segment of the range. */
function* readSums(query: JointQuery, see: SeeSum): Steps<void> {
  const { bucket, columns, fromMs, toMs, conditions } = query;
  const unnamed = unnamedIn(query);
  for (const segment of yield* segmentsFor(bucket, fromMs, toMs, conditions, columns)) {
    if (unnamed !== undefined && segment.grain !== 'row') yield* readWithUnnamed(query, segment, unnamed, see);
    else yield* readSegment(query, segment, see);
  }
}

/** Views that have only requests with a user, or with tags. */
const partialViews: Readonly<Partial<Record<CellView, 'end_user' | 'tags'>>> = { user: 'end_user', tag: 'tags' };

/** The column by which the view of the query has only those requests that name one. */
function unnamedIn({ columns, conditions }: JointQuery): 'end_user' | 'tags' | undefined {
  const narrowed = conditions.map(([name]) => (name === 'tag' ? 'tags' : name));
  const column = partialViews[viewFor([...narrowed, ...columns])];
  return column !== undefined && columns.includes(column) && !narrowed.includes(column) ? column : undefined;
}

function* readSegment({ bucket, columns, conditions }: JointQuery, segment: Segment, see: SeeSum): Steps<void> {
  const names = [...conditions.map(([name]) => name), ...columns];
  const { from, values } = sourceOf(segment, conditions, names);
  const ofRows = segment.grain === 'row';
  const selected = figures[ofRows ? 'rows' : 'cells'];
  const keys = [bucketSql[bucket](ofRows ? 'at_ms' : 'start_ms'), ...columns.map((by) => columnSql(by, ofRows))];
  const most = bucket === 'none' ? ` ORDER BY cost DESC, requests DESC LIMIT ${groupsPerSegmentMax}` : '';
  const sql = `SELECT ${keys.join(', ')}, ${selected.list} FROM ${from} GROUP BY ${keys.map((_, at) => at + 1).join(', ')}${most}`;
  for (const row of yield { statement: byText(sql), values }) {
    const found = columns.map((_, at) => asText(row[at + 1]));
    see(asNumber(row[0]), found, selected.read(row, keys.length));
  }
}

/** Requests without a user, or without tags, are what remains of all when those with one are taken away. */
function* readWithUnnamed(query: JointQuery, segment: Segment, unnamed: 'end_user' | 'tags', see: SeeSum): Steps<void> {
  const place = query.columns.indexOf(unnamed);
  const remains = new Map<string, { readonly startMs: number; readonly keys: readonly string[]; sum: FigureSum }>();
  const nameOf = (startMs: number, others: readonly string[]): string => [startMs, ...others].join('\0');
  const others = { ...query, columns: query.columns.filter((column) => column !== unnamed) };
  yield* readSegment(others, segment, (startMs, keys, read) => {
    const sum = new FigureSum();
    sum.add(read);
    remains.set(nameOf(startMs, keys), { startMs, keys: keys.toSpliced(place, 0, ''), sum });
  });
  yield* readSegment(query, segment, (startMs, keys, read) => {
    remains.get(nameOf(startMs, keys.toSpliced(place, 1)))?.sum.add(negative(read));
    see(startMs, keys, read);
  });
  for (const { startMs, keys, sum } of remains.values()) if (sum.requests > 0) see(startMs, keys, sum.figures());
}

const negative = (read: Figures): Figures => ({
  requests: -read.requests,
  failures: -read.failures,
  inputTokens: -read.inputTokens,
  cacheReadTokens: -read.cacheReadTokens,
  outputTokens: -read.outputTokens,
  costNano: (-BigInt(read.costNano)).toString(),
  unpriced: -read.unpriced,
});

/** Adds up what comes under one name. */
class GroupSums {
  readonly groups = new Map<string, { readonly keys: readonly string[]; readonly sum: FigureSum }>();

  add(keys: readonly string[], read: Figures): void {
    const name = keys.join('\0');
    const group = this.groups.get(name) ?? { keys, sum: new FigureSum() };
    this.groups.set(name, group);
    group.sum.add(read);
  }

  sorted(order: GroupOrder): readonly { readonly keys: readonly string[]; readonly sum: FigureSum }[] {
    const byCost = (one: FigureSum, other: FigureSum): number =>
      one.costNano === other.costNano ? 0 : one.costNano < other.costNano ? 1 : -1;
    const byRequests = (one: FigureSum, other: FigureSum): number => other.requests - one.requests;
    const byTokens = (one: FigureSum, other: FigureSum): number => tokensOf(other) - tokensOf(one);
    const [first, ...rest] = { cost: [byCost, byRequests], requests: [byRequests, byCost], tokens: [byTokens, byCost] }[
      order
    ];
    return [...this.groups]
      .sort(([a, { sum: one }], [b, { sum: other }]) => {
        const found = first?.(one, other) || rest.map((compare) => compare(one, other)).find((each) => each !== 0);
        return found || (a < b ? -1 : 1);
      })
      .map(([, group]) => group);
  }
}

const tokensOf = ({ inputTokens, outputTokens }: FigureSum): number => inputTokens + outputTokens;

/** Several breakdowns from one reading: cells are read once by all columns together, and summed by each column here. */
export const usageGroups = longRead(function* (
  breakdowns: readonly Breakdown[],
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  limit: number,
): Steps<readonly (readonly GroupRow[])[]> {
  const columns = breakdowns.map(({ by }) => by);
  const sums = breakdowns.map(() => new GroupSums());
  yield* readSums({ bucket: 'none', columns, fromMs, toMs, conditions }, (_, keys, read) => {
    for (const [at, groups] of sums.entries()) groups.add([keys[at] ?? ''], read);
  });
  return breakdowns.map(({ order = 'cost' }, at) => {
    const sorted = sums[at]?.sorted(order).slice(0, limit) ?? [];
    return sorted.map(({ keys, sum }) => ({ key: keys[0] ?? '', ...sum.figures() }));
  });
});

/** By all columns together; the most expensive first. */
export const usageJointSums = longRead(function* (
  columns: readonly GroupColumn[],
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  limit: number,
): Steps<readonly JointRow[]> {
  const sums = new GroupSums();
  yield* readSums({ bucket: 'none', columns, fromMs, toMs, conditions }, (_, keys, read) => sums.add(keys, read));
  return sums
    .sorted('cost')
    .slice(0, limit)
    .map(({ keys, sum }) => ({ keys, ...sum.figures() }));
});

/** A group, and the lines of a chart that it counts in. */
export type GroupLines = readonly [key: string, lines: readonly number[]];

/** One bucket of one line. */
interface LineRow extends Figures {
  readonly line: number;
  readonly startMs: number;
}

/** So many groups are looked for at once: all buckets of theirs are in memory together. */
const groupsPerReading = 1_000;
type LineOf = readonly [key: string, line: number];
/** A statement has few lengths, each a power of four, and at most this one. */
const pairsPerReading = 1_024;

/** The buckets of some groups, folded into lines; buckets in which nothing happened are left out. */
export const usageLines = longRead(function* (
  bucket: BucketName,
  by: GroupColumn,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  groups: readonly GroupLines[],
  foldedBy: 'database' | 'reader',
): Steps<readonly LineRow[]> {
  const linesOf = new Map(groups);
  const sums = new Map<string, LineSum>();
  const add = (line: number, startMs: number, read: Figures): void => {
    const name = `${line} ${startMs}`;
    const found = sums.get(name) ?? { line, startMs, sum: new FigureSum() };
    sums.set(name, found);
    found.sum.add(read);
  };
  const see: SeeSum = (startMs, [key = ''], read) => {
    for (const line of linesOf.get(key) ?? []) add(line, startMs, read);
  };
  const query: JointQuery = { bucket, columns: [by], fromMs, toMs, conditions };
  // Requests without a user or tags are what all others leave, so that all others must be read.
  if ((by === 'end_user' || by === 'tags') && linesOf.has('') && conditions.length > 0) {
    yield* readSums(query, see);
    return linesIn(sums.values());
  }
  for (let first = 0; foldedBy === 'reader' && first < groups.length; first += groupsPerReading) {
    const some = groups.slice(first, first + groupsPerReading).map(([key]) => key);
    yield* readSums({ ...query, conditions: [...conditions, [by, some]] }, see);
  }
  if (foldedBy === 'reader') return linesIn(sums.values());
  const pairs = groups.flatMap(([key, lines]) => lines.map((line): LineOf => [key, line]));
  for (let first = 0; first < pairs.length; first += pairsPerReading) {
    const some = pairs.slice(first, first + pairsPerReading);
    yield* readLines(query, some, add);
  }
  return linesIn(sums.values());
});

/**
 * Folded by the database, because a label may have thousands of tokens, and each of them a row in every bucket. Only where rows
 * cross a network: SQLite joins without a hash, which takes longer than reading the rows.
 */
function* readLines(
  { bucket, columns, fromMs, toMs, conditions }: JointQuery,
  pairs: readonly LineOf[],
  add: (line: number, startMs: number, read: Figures) => void,
): Steps<void> {
  const [by = 'model'] = columns;
  const narrowed: Conditions = [...conditions, [by, [...new Set(pairs.map(([key]) => key))]]];
  const names = narrowed.map(([name]) => name);
  let size = 1;
  while (size < pairs.length) size *= 4;
  const bound = Array.from({ length: size }, (_, at): readonly SqlValue[] => pairs[at] ?? [null, 0]);
  for (const segment of yield* segmentsFor(bucket, fromMs, toMs, narrowed)) {
    const { from, values } = sourceOf(segment, narrowed, names);
    const ofRows = segment.grain === 'row';
    const selected = figures[ofRows ? 'rows' : 'cells'];
    const start = bucketSql[bucket](ofRows ? 'at_ms' : 'start_ms');
    const places = bound.map((_, at) => {
      const place = values.length + 1 + 2 * at;
      return `(CAST($${place} AS TEXT), CAST($${place + 1} AS BIGINT))`;
    });
    const sql = `SELECT ${start}, lines.column2, ${selected.list} FROM (SELECT * FROM ${from}) AS found
      JOIN (VALUES ${places.join(', ')}) AS lines ON lines.column1 = ${columnSql(by, ofRows)} GROUP BY 1, 2`;
    for (const row of yield { statement: byText(sql), values: [...values, ...bound.flat()] })
      add(asNumber(row[1]), asNumber(row[0]), selected.read(row, 2));
  }
}

interface LineSum {
  readonly line: number;
  readonly startMs: number;
  readonly sum: FigureSum;
}

const linesIn = (sums: Iterable<LineSum>): readonly LineRow[] =>
  Array.from(sums, ({ line, startMs, sum }) => ({ line, startMs, ...sum.figures() }));
