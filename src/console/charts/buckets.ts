/** The time that each value of a chart is a sum of: from when to when, and whether the range or the present cuts it. */

export interface Bucket {
  readonly fromS: number;
  readonly toS: number;
  /** The part of it that was counted, which is shorter at the ends of a range. */
  readonly countedFromS: number;
  readonly countedToS: number;
  readonly isPartial: boolean;
}

export interface Span {
  readonly fromS: number;
  readonly toS: number;
}

/** Less than this share of a bucket is missing only because clocks differ a little. */
const missingMax = 0.01;
const stepDefaultS = 60;

/** `startsS` ascend; each bucket ends where the next one starts, and the last is as wide as the one before. */
export function bucketsOf(startsS: readonly number[], counted?: Span | undefined): readonly Bucket[] {
  return startsS.map((fromS, index) => {
    const before = startsS[index - 1];
    const toS = startsS[index + 1] ?? fromS + (before === undefined ? stepFor(fromS, counted) : fromS - before);
    const countedFromS = Math.min(toS, Math.max(fromS, counted?.fromS ?? fromS));
    const countedToS = Math.max(countedFromS, Math.min(toS, counted?.toS ?? toS));
    const missingS = toS - fromS - (countedToS - countedFromS);
    return { fromS, toS, countedFromS, countedToS, isPartial: missingS > (toS - fromS) * missingMax };
  });
}

/** A single bucket says nothing about its width; it covers at least what was counted, in whole minutes. */
function stepFor(fromS: number, counted: Span | undefined): number {
  if (counted === undefined) return stepDefaultS;
  return Math.max(stepDefaultS, Math.ceil((counted.toS - fromS) / stepDefaultS) * stepDefaultS);
}

/** The bucket at a time, or the nearest one. */
export function bucketAt(buckets: readonly Bucket[], atS: number): number | undefined {
  if (buckets.length === 0) return undefined;
  const found = buckets.findIndex(({ toS }) => atS < toS);
  return found === -1 ? buckets.length - 1 : found;
}

export const middleOf = ({ fromS, toS }: Bucket): number => (fromS + toS) / 2;

/** Whole days are named by their days, everything else by its times. */
export function bucketText(bucket: Bucket, tag: string): string {
  const [fromMs, toMs] = [bucket.countedFromS * 1_000, bucket.countedToS * 1_000];
  if (isMidnight(fromMs) && isMidnight(toMs)) {
    const day = new Intl.DateTimeFormat(tag, { weekday: 'short', month: 'short', day: 'numeric' });
    return day.formatRange(fromMs, toMs - 1);
  }
  const options = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(tag, options).formatRange(fromMs, toMs);
}

export function isMidnight(atMs: number): boolean {
  const date = new Date(atMs);
  return date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
}
