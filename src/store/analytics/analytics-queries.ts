/** Usage over time and by its kinds: read from cells where whole hours and days are asked for, from rows at the edges. */

import { longRead } from '../sql/query.ts';
import { asText, type Steps } from '../sql/statement.ts';
import { integer, selection, text } from '../sql/table.ts';
import { dayMs, epochWeekdayOffsetMs, hourMs, weekMs } from '../usage/usage-grains.ts';
import { FigureSum, type Figures, figuresOfCells, figuresOfRows } from '../usage/usage-sums.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { binsSql, durationsSql, totalsSql } from './usage-cells.ts';
import { byText, type ConditionName, type Conditions, isOfCells, narrow, viewFor } from './usage-narrowing.ts';
import { rollupState } from './usage-rollup.ts';
import { type Segment, segmentsOf } from './usage-segments.ts';
import { zoneSegments } from './usage-zones.ts';

const minuteMs = 60_000;

/** The start of the bucket that a time lies in, always in UTC. */
const bucketSql = {
  minute: (time: string) => `${time} - ${time} % ${minuteMs}`,
  hour: (time: string) => `${time} - ${time} % ${hourMs}`,
  day: (time: string) => `${time} - ${time} % ${dayMs}`,
  week: (time: string) => `${time} - (${time} + ${epochWeekdayOffsetMs}) % ${weekMs}`,
  none: () => 'CAST(0 AS BIGINT)',
} as const;

export type BucketName = keyof typeof bucketSql;

/** Where a segment is read; its first two values are its ends. */
function sourceOf(segment: Segment, conditions: Conditions, names: readonly ConditionName[]) {
  const { and, values } = narrow(conditions, segment.grain === 'row' ? 'rows' : 'cells', 3);
  const from =
    segment.grain === 'row'
      ? `usage_rows WHERE at_ms >= $1 AND at_ms < $2${and}`
      : `usage_cells WHERE view = '${viewFor(names)}' AND grain_ms = ${segment.grain} AND start_ms >= $1 AND start_ms < $2${and}`;
  return { from, values: [segment.fromMs, segment.toMs, ...values] };
}

/** Which segments of which source cover a range. */
function* segmentsFor(
  bucket: BucketName,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
): Steps<readonly Segment[]> {
  const state = yield* rollupState.steps();
  if (isOfCells(conditions)) return segmentsOf(fromMs, toMs, bucket, state);
  return yield* zoneSegments(fromMs, toMs, conditions, state);
}

/** The durations of a source, as text that `addBins` understands. */
const durationsOf = {
  rows: { firstEvents: [durationsSql('first_event_ms'), text], totals: [totalsSql, text] },
  cells: { firstEvents: [binsSql('first_events'), text], totals: [binsSql('totals'), text] },
} as const;

const bucketsOf = {
  rows: (bucket: BucketName) =>
    selection({ startMs: [bucketSql[bucket]('at_ms'), integer], ...figuresOfRows, ...durationsOf.rows }),
  cells: (bucket: BucketName) =>
    selection({ startMs: [bucketSql[bucket]('start_ms'), integer], ...figuresOfCells, ...durationsOf.cells }),
};

/** Its figures, and the bins of first events and of total durations as text. */
export interface BucketRow extends Figures {
  readonly startMs: number;
  readonly firstEvents: string;
  readonly totals: string;
}

/** Buckets in which nothing happened are left out. */
export const usageSeries = longRead(function* (
  bucket: BucketName,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
): Steps<readonly BucketRow[]> {
  const names = conditions.map(([name]) => name);
  const sums = new Map<number, BucketSum>();
  for (const segment of yield* segmentsFor(bucket, fromMs, toMs, conditions)) {
    const { from, values } = sourceOf(segment, conditions, names);
    const ofRows = segment.grain === 'row';
    const selected = bucketsOf[ofRows ? 'rows' : 'cells'](bucket);
    const sql = `SELECT ${selected.list} FROM ${from} GROUP BY 1`;
    for (const result of yield { statement: byText(sql), values }) {
      const row = selected.read(result);
      const sum = sums.get(row.startMs) ?? new BucketSum();
      sums.set(row.startMs, sum);
      sum.addBucket(row, ofRows ? addDurations : addWrittenBins);
    }
  }
  return [...sums].sort(([a], [b]) => a - b).map(([startMs, sum]) => sum.row(startMs));
});

class BucketSum extends FigureSum {
  readonly #firstEvents: Bins = new Map();
  readonly #totals: Bins = new Map();

  addBucket(row: BucketRow, addBins: typeof addDurations): void {
    this.add(row);
    addBins(this.#firstEvents, row.firstEvents);
    addBins(this.#totals, row.totals);
  }

  row(startMs: number): BucketRow {
    const bins = { firstEvents: writeBins(this.#firstEvents), totals: writeBins(this.#totals) };
    return { startMs, ...this.figures(), ...bins };
  }
}

export interface GroupRow extends Figures {
  readonly key: string;
}

export type GroupColumn = 'model' | 'provider' | 'token_id' | 'endpoint' | 'code' | 'status_class';
export type GroupOrder = 'cost' | 'requests';

/** What to group by, and which groups come first. */
export interface Breakdown {
  readonly by: GroupColumn;
  /** By cost where absent. */
  readonly order?: GroupOrder | undefined;
}

/** Of one segment; the smallest ones beyond these are left out. */
const groupsPerSegmentMax = 20_000;

const figures = { rows: selection(figuresOfRows), cells: selection(figuresOfCells) };

type GroupSums = Map<string, FigureSum>;

/** Several breakdowns from one reading: cells are read once by all columns together, and summed by each column here. */
export const usageGroups = longRead(function* (
  breakdowns: readonly Breakdown[],
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  limit: number,
): Steps<readonly (readonly GroupRow[])[]> {
  const columns = breakdowns.map(({ by }) => by);
  const names = [...conditions.map(([name]) => name), ...columns];
  const sums = breakdowns.map((): GroupSums => new Map());
  for (const segment of yield* segmentsFor('none', fromMs, toMs, conditions)) {
    const { from, values } = sourceOf(segment, conditions, names);
    const ofRows = segment.grain === 'row';
    const selected = figures[ofRows ? 'rows' : 'cells'];
    const keys = columns.map((by) => (ofRows && by === 'status_class' ? 'status / 100' : by)).join(', ');
    const sql = `SELECT ${keys}, ${selected.list} FROM ${from} GROUP BY ${keys}
      ORDER BY cost DESC, requests DESC LIMIT ${groupsPerSegmentMax}`;
    for (const row of yield { statement: byText(sql), values }) {
      const read = selected.read(row, columns.length);
      for (const [at, groups] of sums.entries()) addGroup(groups, asText(row[at]), read);
    }
  }
  return breakdowns.map(({ order }, at) => groupsOf(sums[at] ?? new Map(), order ?? 'cost').slice(0, limit));
});

function addGroup(groups: GroupSums, key: string, read: Figures): void {
  const sum = groups.get(key) ?? new FigureSum();
  groups.set(key, sum);
  sum.add(read);
}

function groupsOf(groups: GroupSums, order: GroupOrder): GroupRow[] {
  const sorted = [...groups].sort(([a, one], [b, other]) => {
    const byCost = one.costNano === other.costNano ? 0 : one.costNano < other.costNano ? 1 : -1;
    const byRequests = other.requests - one.requests;
    return (order === 'cost' ? byCost || byRequests : byRequests || byCost) || (a < b ? -1 : 1);
  });
  return sorted.map(([key, sum]) => ({ key, ...sum.figures() }));
}
