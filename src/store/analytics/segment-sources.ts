/** Where the parts of a range are read: cells where whole hours, days and weeks are asked for, rows at the edges. */

import type { SqlValue, Steps } from '../sql/statement.ts';
import { dayMs, epochWeekdayOffsetMs, hourMs, weekMs } from '../usage/usage-grains.ts';
import { type ConditionName, type Conditions, isOfCells, narrow, viewFor, viewSql } from './usage-narrowing.ts';
import { rollupState } from './usage-rollup.ts';
import { type Segment, segmentsOf } from './usage-segments.ts';
import { zoneSegments } from './usage-zones.ts';

const minuteMs = 60_000;

/** The start of the bucket that a time lies in, always in UTC. */
export const bucketSql = {
  minute: (time: string) => `${time} - ${time} % ${minuteMs}`,
  hour: (time: string) => `${time} - ${time} % ${hourMs}`,
  day: (time: string) => `${time} - ${time} % ${dayMs}`,
  week: (time: string) => `${time} - (${time} + ${epochWeekdayOffsetMs}) % ${weekMs}`,
  none: () => 'CAST(0 AS BIGINT)',
} as const;

export type BucketName = keyof typeof bucketSql;

interface Source {
  /** What follows FROM. */
  readonly from: string;
  readonly values: readonly SqlValue[];
}

/** Where a segment is read; its first two values are its ends. `names` is all that is asked about, the conditions included. */
export function sourceOf(segment: Segment, conditions: Conditions, names: readonly ConditionName[]): Source {
  const { and, values } = narrow(conditions, segment.grain === 'row' ? 'rows' : 'cells', 3);
  const from =
    segment.grain === 'row'
      ? `usage_rows WHERE at_ms >= $1 AND at_ms < $2${and}`
      : `usage_cells WHERE ${viewSql(viewFor(names), conditions)} AND grain_ms = ${segment.grain} AND start_ms >= $1 AND start_ms < $2${and}`;
  return { from, values: [segment.fromMs, segment.toMs, ...values] };
}

/** Which segments of which source cover a range. */
export function* segmentsFor(
  bucket: BucketName,
  fromMs: number,
  toMs: number,
  conditions: Conditions,
  columns: readonly ConditionName[] = [],
): Steps<readonly Segment[]> {
  const state = yield* rollupState.steps();
  if (isOfCells(conditions, columns)) return segmentsOf(fromMs, toMs, bucket, state);
  return yield* zoneSegments(fromMs, toMs, conditions, state);
}
