/** What a chart says about the bucket that someone points at: from when to when, and every value with its name. */

import { useSpeech } from '../words/use-words.tsx';
import { type Bucket, bucketText } from './buckets.ts';
import { colourOf, type Series } from './chart-data.ts';

interface ChartTipProps {
  readonly bucket: Bucket;
  readonly index: number;
  readonly series: readonly Series[];
  readonly isStack: boolean;
  format(value: number): string;
  /** The place of the bucket, and the width of the chart. */
  readonly leftPx: number;
  readonly widthPx: number;
}

const distancePx = 14;
const widestPx = 300;
/** More than these need no lines of zeros. */
const allShownMax = 3;

export function ChartTip({ bucket, index, series, isStack, format, leftPx, widthPx }: ChartTipProps) {
  const { words, tag } = useSpeech();
  const shown = series
    .map((one) => ({ one, value: one.values[index] }))
    .filter(({ value }) => series.length <= allShownMax || (value !== undefined && value !== 0));
  const sum = series.reduce((total, { values }) => total + (values[index] ?? 0), 0);
  const roomPx = Math.max(leftPx, widthPx - leftPx) - distancePx;
  const side = leftPx < widthPx / 2 ? { left: leftPx + distancePx } : { right: widthPx - leftPx + distancePx };
  return (
    <div
      aria-hidden="true"
      data-tip=""
      className="pointer-events-none absolute top-1 z-10 grid gap-1 rounded-md border border-line bg-raised px-2.5 py-2 text-xs shadow-float"
      style={{ ...side, maxWidth: Math.min(widestPx, roomPx) }}
    >
      <p className="font-medium">{bucketText(bucket, tag)}</p>
      {bucket.isPartial && <p className="text-quiet">{words.usage.chart.partial}</p>}
      {/* The top of the stack first. */}
      {(isStack ? shown.toReversed() : shown).map(({ one, value }) => (
        <p key={one.name} className="flex items-center gap-1.5">
          <span className="size-2 shrink-0 rounded-sm" style={{ background: `var(--series-${colourOf(one)})` }} />
          <span className="min-w-0 grow truncate text-quiet">{one.name}</span>
          <span className="pl-3 font-mono tabular-nums">{value === undefined ? words.parts.gap : format(value)}</span>
        </p>
      ))}
      {isStack && series.length > 1 && (
        <p className="flex gap-1.5 border-t border-line pt-1">
          <span className="grow">{words.usage.chart.total}</span>
          <span className="pl-3 font-mono tabular-nums">{format(sum)}</span>
        </p>
      )}
    </div>
  );
}
