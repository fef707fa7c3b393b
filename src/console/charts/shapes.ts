/** What a chart draws, as paths: stacked bars as wide as their buckets, and lines that leave gaps where nothing was measured. */

import { type Bucket, middleOf } from './buckets.ts';
import { lonely } from './chart-data.ts';

/** From times and values to pixels. */
export interface Plane {
  x(atS: number): number;
  y(value: number): number;
}

interface BarPaths {
  readonly whole: string;
  /** Of buckets that are cut by the range or not over yet. */
  readonly partial: string;
}

interface LinePaths {
  readonly solid: string;
  /** Leads to a bucket that is not over yet. */
  readonly dashed: string;
  /** Values with a gap on either side, as places. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

const gapPxMax = 2;
const barPxMin = 1;
const decimal = (px: number): string => (Math.round(px * 10) / 10).toString();

/** `sums` are the heights of a series on top of those below it; `lower` are those of the series below. */
export function barPaths(
  buckets: readonly Bucket[],
  sums: readonly (number | null)[],
  lower: readonly (number | null)[] | undefined,
  { x, y }: Plane,
): BarPaths {
  const paths = { whole: '', partial: '' };
  for (const [index, bucket] of buckets.entries()) {
    const [top, bottom] = [sums[index] ?? 0, lower?.[index] ?? 0];
    if (top <= bottom) continue;
    const slotPx = x(bucket.toS) - x(bucket.fromS);
    const gapPx = Math.min(gapPxMax, slotPx / 5);
    const widthPx = Math.max(barPxMin, slotPx - gapPx);
    const [left, high, low] = [x(bucket.fromS) + gapPx / 2, y(top), y(bottom)];
    paths[bucket.isPartial ? 'partial' : 'whole'] +=
      `M${decimal(left)} ${decimal(low)}V${decimal(high)}h${decimal(widthPx)}V${decimal(low)}Z`;
  }
  return paths;
}

/** The range may cut its first bucket as well, but what is measured there is measured; only the present is unfinished. */
export function linePaths(buckets: readonly Bucket[], values: readonly (number | null)[], { x, y }: Plane): LinePaths {
  const place = (index: number): readonly [number, number] | undefined => {
    const [bucket, value] = [buckets[index], values[index] ?? null];
    return bucket === undefined || value === null ? undefined : [x(middleOf(bucket)), y(value)];
  };
  const text = ([left, top]: readonly [number, number]) => `${decimal(left)} ${decimal(top)}`;
  const paths = { solid: '', dashed: '' };
  for (const [index, bucket] of buckets.entries()) {
    const [here, before] = [place(index), place(index - 1)];
    if (here === undefined || before === undefined) continue;
    const isUnfinished = bucket.isPartial && index === buckets.length - 1;
    paths[isUnfinished ? 'dashed' : 'solid'] += `M${text(before)}L${text(here)}`;
  }
  const points = lonely(values)
    .map(place)
    .filter((one) => one !== undefined);
  return { ...paths, points };
}
