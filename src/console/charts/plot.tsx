/** The drawn part of a chart: bars or lines, axes, the crosshair, and the part that is being selected. */

import { memo, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Skeleton } from '../components/skeleton.tsx';
import { useSpeech } from '../words/use-words.tsx';
import { type Bucket, bucketAt, bucketText, middleOf } from './buckets.ts';
import { colourOf, plain, rangeOf, type Series, stacked } from './chart-data.ts';
import { ChartTip } from './chart-tip.tsx';
import { useCrosshair } from './crosshair.ts';
import { Axes, Bars, Lines, type Place } from './drawing.tsx';
import { type Selection, selectedSpan, usePointing } from './use-pointing.ts';

interface PlotProps {
  readonly title: string;
  readonly kind: 'lines' | 'stack';
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  readonly heightPx: number;
  /** Without values at the side and without lines across. */
  readonly bare: boolean;
  /** Charts with the same one share their crosshair. */
  readonly together?: string | undefined;
  readonly zoomOnClick?: boolean;
  format(value: number): string;
  readonly onZoom?: ((fromMs: number, toMs: number) => void) | undefined;
}

const edges = { left: 56, right: 20, top: 8, bottom: 28 } as const;
const bareEdges = { left: 0, right: 0, top: 4, bottom: 20 } as const;

export function Plot(props: PlotProps) {
  const { heightPx } = props;
  const host = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const measure = () => setWidthPx(element.clientWidth);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={host} className="relative overflow-x-clip" style={{ height: heightPx }}>
      {widthPx === 0 ? <Skeleton className="size-full" /> : <Drawn {...props} widthPx={widthPx} />}
    </div>
  );
}

function Drawn(props: PlotProps & { readonly widthPx: number }) {
  const {
    title,
    kind,
    buckets,
    series,
    heightPx,
    widthPx,
    bare,
    together,
    zoomOnClick = false,
    format,
    onZoom,
  } = props;
  const { words, tag } = useSpeech();
  const hintId = useId();
  const rows = useMemo(() => (kind === 'stack' ? stacked(series) : plain(series)), [kind, series]);
  const place = useMemo(
    () => placeOf(buckets, rows, widthPx, heightPx, bare),
    [buckets, rows, widthPx, heightPx, bare],
  );
  const [atS, point] = useCrosshair(together);
  const current = atS === undefined ? undefined : bucketAt(buckets, atS);
  const pointing = usePointing({ buckets, current, timeAt: place.timeAt, point, onZoom, zoomOnClick });
  const { selection, isActive } = pointing;
  const bucket = current === undefined ? undefined : buckets[current];
  return (
    <>
      <svg aria-hidden="true" width={widthPx} height={heightPx} className="absolute inset-0 block overflow-visible">
        <Painted kind={kind} buckets={buckets} series={series} rows={rows} place={place} format={format} bare={bare} />
        {bucket !== undefined && (
          <Crosshair kind={kind} bucket={bucket} index={current ?? 0} series={series} rows={rows} place={place} />
        )}
        {selection !== undefined && <Selected buckets={buckets} selection={selection} place={place} />}
      </svg>
      <div
        data-plot=""
        role="slider"
        tabIndex={0}
        aria-label={words.usage.chart.label(title)}
        aria-describedby={onZoom === undefined ? undefined : hintId}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, buckets.length - 1)}
        aria-valuenow={current ?? Math.max(0, buckets.length - 1)}
        aria-valuetext={bucket === undefined ? words.usage.chart.none : spoken(bucket, current ?? 0)}
        className={`absolute touch-pan-y rounded-sm focus-visible:outline-offset-[-2px] ${onZoom === undefined ? '' : 'cursor-crosshair'}`}
        style={{ left: place.left, top: place.top, width: place.width, height: place.height }}
        {...pointing.handlers}
      />
      {onZoom !== undefined && (
        <span id={hintId} className="sr-only">
          {words.usage.chart.keys}
        </span>
      )}
      {isActive && bucket !== undefined && (
        <ChartTip
          bucket={bucket}
          index={current ?? 0}
          series={series}
          isStack={kind === 'stack'}
          format={format}
          leftPx={place.x(middleOf(bucket))}
          widthPx={widthPx}
        />
      )}
    </>
  );

  function spoken(shown: Bucket, index: number): string {
    const values = series.map(({ name, values: all }) => {
      const value = all[index];
      return `${name} ${value === undefined ? words.parts.gap : format(value)}`;
    });
    return `${bucketText(shown, tag)}: ${values.join(', ')}`;
  }
}

type PaintedProps = Pick<PlotProps, 'kind' | 'buckets' | 'series' | 'format' | 'bare'> & {
  readonly rows: readonly (readonly (number | null)[])[];
  readonly place: Place;
};

/** Drawn once for its data, however often the crosshair moves. */
const Painted = memo(function Painted({ kind, buckets, series, rows, place, format, bare }: PaintedProps) {
  return (
    <>
      <Axes place={place} format={format} bare={bare} />
      {kind === 'stack' ? (
        <Bars buckets={buckets} series={series} rows={rows} place={place} />
      ) : (
        <Lines buckets={buckets} series={series} rows={rows} place={place} />
      )}
    </>
  );
});

interface CrosshairProps {
  readonly kind: PlotProps['kind'];
  readonly bucket: Bucket;
  readonly index: number;
  readonly series: readonly Series[];
  readonly rows: readonly (readonly (number | null)[])[];
  readonly place: Place;
}

function Crosshair({ kind, bucket, index, series, rows, place }: CrosshairProps) {
  const { x, y, top, height } = place;
  const middle = x(middleOf(bucket));
  if (kind === 'stack') {
    const width = x(bucket.toS) - x(bucket.fromS);
    return <rect x={x(bucket.fromS)} y={top} width={width} height={height} className="fill-text opacity-10" />;
  }
  return (
    <>
      <line x1={middle} x2={middle} y1={top} y2={top + height} className="stroke-line-strong" />
      {series.map((one, at) => {
        const value = rows[at]?.[index] ?? null;
        if (value === null) return null;
        const style = { fill: `var(--series-${colourOf(one)})` };
        return <circle key={one.name} cx={middle} cy={y(value)} r={3.5} style={style} />;
      })}
    </>
  );
}

interface SelectedProps {
  readonly buckets: readonly Bucket[];
  readonly selection: Selection;
  readonly place: Place;
}

function Selected({ buckets, selection, place }: SelectedProps) {
  const span = selectedSpan(buckets, selection);
  if (span === undefined) return null;
  const left = place.x(span.fromS);
  const width = place.x(span.toS) - left;
  return (
    <rect
      data-selected=""
      x={left}
      y={place.top}
      width={width}
      height={place.height}
      className="fill-accent/15 stroke-accent"
    />
  );
}

function placeOf(
  buckets: readonly Bucket[],
  rows: readonly (readonly (number | null)[])[],
  widthPx: number,
  heightPx: number,
  bare: boolean,
): Place {
  const edge = bare ? bareEdges : edges;
  const width = Math.max(1, widthPx - edge.left - edge.right);
  const height = Math.max(1, heightPx - edge.top - edge.bottom);
  const fromS = buckets[0]?.fromS ?? 0;
  const toS = buckets.at(-1)?.toS ?? 1;
  const [, highest] = rangeOf(rows);
  return {
    left: edge.left,
    top: edge.top,
    width,
    height,
    fromS,
    toS,
    highest,
    x: (atS) => edge.left + ((atS - fromS) / (toS - fromS)) * width,
    y: (value) => edge.top + height - (value / highest) * height,
    timeAt: (share) => fromS + share * (toS - fromS),
  };
}
