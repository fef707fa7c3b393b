/** How a range is cut into buckets, in UTC. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Range } from '../../store/analytics/analytics-store.ts';
import { analyticsBounds, type BucketName } from '../contracts/analytics-contract.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;
const mondayOffsetMs = 3 * dayMs;

interface Bucket {
  readonly widthMs: number;
  /** The longest range that it is chosen for. */
  readonly rangeMsMax: number;
}

/** Enough points for a line, and not more than a screen has room for. */
const buckets: Readonly<Record<BucketName, Bucket>> = {
  minute: { widthMs: minuteMs, rangeMsMax: 2 * hourMs },
  hour: { widthMs: hourMs, rangeMsMax: 8 * dayMs },
  day: { widthMs: dayMs, rangeMsMax: 100 * dayMs },
  week: { widthMs: weekMs, rangeMsMax: Number.POSITIVE_INFINITY },
};

/** The bucket that a query names, or the one that fits its range. */
export function bucketFor(range: Range, named?: BucketName): BucketName {
  const lengthMs = range.toMs - range.fromMs;
  if (named === undefined) {
    const names = Object.keys(buckets) as BucketName[];
    return names.find((name) => lengthMs <= buckets[name].rangeMsMax) ?? 'week';
  }
  const { bucketsMax } = analyticsBounds;
  if (lengthMs / buckets[named].widthMs > bucketsMax || startsOf(range, named).length > bucketsMax) {
    const rule = `must give at most ${bucketsMax} buckets; choose a longer one or a shorter range`;
    throw new GatewayError('field_invalid', `bucket: ${rule}`, { param: 'bucket' });
  }
  return named;
}

/** Where the buckets of a range begin; the first and the last are cut by it. */
export function startsOf({ fromMs, toMs }: Range, name: BucketName): readonly number[] {
  const { widthMs } = buckets[name];
  const offsetMs = name === 'week' ? mondayOffsetMs : 0;
  const starts: number[] = [];
  for (let at = Math.floor((fromMs + offsetMs) / widthMs) * widthMs - offsetMs; at < toMs; at += widthMs)
    starts.push(at);
  return starts;
}
