/** Usage over time and by its kinds: read from cells where whole hours and days are asked for, from rows at the edges. */

import { longRead } from '../sql/query.ts';
import { asNumber, asText, type Row, type Steps } from '../sql/statement.ts';
import { sumSql, unpricedCountSql } from '../usage/unpriced.ts';
import { dayMs, epochWeekdayOffsetMs, hourMs, weekMs } from '../usage/usage-grains.ts';
import { addDurations, addWrittenBins, type Bins, writeBins } from './durations.ts';
import { binsSql, durationsSql, failureSql } from './usage-cells.ts';
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

/** Start, requests, failures, input, cache reads, output, requests without a price, cost as digits, then the bins of first events and of totals. */
export type BucketCells = readonly [number, number, number, number, number, number, number, string, string, string];

const sumsOfRows = `COUNT(*) AS requests, ${sumSql(failureSql)} AS failures, ${sumSql('input_total')}, ${sumSql('input_cache_read')},
  ${sumSql('output_total')}, ${sumSql(unpricedCountSql)}, ${sumSql('cost_nano')} AS cost`;
const sumsOfCells = `${sumSql('requests')} AS requests, ${sumSql('failures')} AS failures, ${sumSql('input_tokens')},
  ${sumSql('cache_read_tokens')}, ${sumSql('output_tokens')}, ${sumSql('unpriced')}, ${sumSql('cost_nano')} AS cost`;
/** Before the cost. */
const countColumns = 6;

/** Where a segment is read; its first two values are its ends. */
function sourceOf(segment: Segment, conditions: Conditions, names: readonly ConditionName[]) {
  const { and, values } = narrow(conditions, segment.grain === 'row' ? 'rows' : 'cells', 3);
  const from =
    segment.grain === 'row'
      ? `usage_rows WHERE at_ms >= $1 AND at_ms < $2${and}`
      : `usage_cells WHERE view = '${viewFor(names)}' AND grain_ms = ${segment.grain} AND start_ms >= $1 AND start_ms < $2${and}`;
  return { from, values: [segment.fromMs, segment.toMs, ...values] };
}

/** Which stretches of which source answer for a range. */
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

/** Buckets in which nothing happened are left out. */
export const usageSeries = longRead(function* (
  bucket: BucketName,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
): Steps<readonly BucketCells[]> {
  const names = conditions.map(([name]) => name);
  const sums = new Map<number, BucketSum>();
  for (const segment of yield* segmentsFor(bucket, fromMs, toMs, conditions)) {
    const { from, values } = sourceOf(segment, conditions, names);
    const ofRows = segment.grain === 'row';
    const figures = ofRows
      ? `${sumsOfRows}, ${durationsSql('first_event_ms')}, ${durationsSql('total_ms')}`
      : `${sumsOfCells}, ${binsSql('first_events')}, ${binsSql('totals')}`;
    const start = bucketSql[bucket](ofRows ? 'at_ms' : 'start_ms');
    const sql = `SELECT ${start} AS bucket_ms, ${figures} FROM ${from} GROUP BY 1`;
    for (const row of yield { statement: byText(sql), values }) {
      const bucketMs = asNumber(row[0]);
      const sum = sums.get(bucketMs) ?? new BucketSum();
      sums.set(bucketMs, sum);
      sum.add(row, ofRows);
    }
  }
  return [...sums].sort(([a], [b]) => a - b).map(([startMs, sum]) => sum.cells(startMs));
});

class BucketSum {
  readonly #counts = Array.from({ length: countColumns }, () => 0);
  #cost = 0n;
  readonly #first: Bins = new Map();
  readonly #total: Bins = new Map();

  add(row: Row, ofRows: boolean): void {
    for (let at = 0; at < countColumns; at += 1) this.#counts[at] = (this.#counts[at] ?? 0) + asNumber(row[at + 1]);
    this.#cost += BigInt(row[countColumns + 1] ?? 0);
    const addBins = ofRows ? addDurations : addWrittenBins;
    addBins(this.#first, asText(row[countColumns + 2]));
    addBins(this.#total, asText(row[countColumns + 3]));
  }

  cells(startMs: number): BucketCells {
    const [requests = 0, failures = 0, input = 0, cacheRead = 0, output = 0, unpriced = 0] = this.#counts;
    const bins = [writeBins(this.#first), writeBins(this.#total)] as const;
    return [startMs, requests, failures, input, cacheRead, output, unpriced, this.#cost.toString(), ...bins];
  }
}

/** Key, requests, failures, input, cache reads, output, requests without a price, cost as digits. */
export type GroupCells = readonly [string, number, number, number, number, number, number, string];

export type GroupColumn = 'model' | 'provider' | 'token_id' | 'endpoint' | 'code' | 'status_class';
export type GroupOrder = 'cost' | 'requests';

/** What to tell apart, and which of them come first. */
export type GroupWish = readonly [by: GroupColumn, order: GroupOrder];

/** More groups than these are not told apart from each other in one stretch; the ones that are left out are its smallest. */
const groupsPerSegmentMax = 20_000;

type GroupSums = Map<string, { readonly counts: number[]; cost: bigint }>;

/** Several breakdowns from one reading: cells are read once, and what several columns tell apart together is folded here. */
export const usageGroups = longRead(function* (
  wishes: readonly GroupWish[],
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  limit: number,
): Steps<readonly (readonly GroupCells[])[]> {
  const columns = wishes.map(([by]) => by);
  const names = [...conditions.map(([name]) => name), ...columns];
  const sums = wishes.map((): GroupSums => new Map());
  for (const segment of yield* segmentsFor('none', fromMs, toMs, conditions)) {
    const { from, values } = sourceOf(segment, conditions, names);
    const ofRows = segment.grain === 'row';
    const keys = columns.map((by) => (ofRows && by === 'status_class' ? 'status / 100' : by)).join(', ');
    const sql = `SELECT ${keys}, ${ofRows ? sumsOfRows : sumsOfCells} FROM ${from} GROUP BY ${keys}
      ORDER BY cost DESC, requests DESC LIMIT ${groupsPerSegmentMax}`;
    for (const row of yield { statement: byText(sql), values }) {
      for (const [at, sum] of sums.entries()) addGroup(sum, asText(row[at]), row, columns.length);
    }
  }
  return wishes.map(([, order], at) => groupsOf(sums[at] ?? new Map(), order).slice(0, limit));
});

function groupsOf(sums: GroupSums, order: GroupOrder): GroupCells[] {
  const groups = [...sums].map(([key, { counts, cost }]): GroupCells => {
    const [requests = 0, failures = 0, input = 0, cacheRead = 0, output = 0, unpriced = 0] = counts;
    return [key, requests, failures, input, cacheRead, output, unpriced, cost.toString()];
  });
  return groups.sort(order === 'cost' ? byCost : byRequests);
}

function addGroup(sums: GroupSums, key: string, row: Row, firstSum: number): void {
  const sum = sums.get(key) ?? { counts: [], cost: 0n };
  sums.set(key, sum);
  for (let at = 0; at < countColumns; at += 1) sum.counts[at] = (sum.counts[at] ?? 0) + asNumber(row[firstSum + at]);
  sum.cost += BigInt(row[firstSum + countColumns] ?? 0);
}

const byKey = (a: GroupCells, b: GroupCells): number => (a[0] < b[0] ? -1 : 1);
const byCost = (a: GroupCells, b: GroupCells): number => {
  const difference = BigInt(b[7]) - BigInt(a[7]);
  return difference === 0n ? b[1] - a[1] || byKey(a, b) : Number(difference > 0n) * 2 - 1;
};
const byRequests = (a: GroupCells, b: GroupCells): number => {
  const difference = BigInt(b[7]) - BigInt(a[7]);
  return b[1] - a[1] || (difference === 0n ? byKey(a, b) : Number(difference > 0n) * 2 - 1);
};
