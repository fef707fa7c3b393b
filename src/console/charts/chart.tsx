/** A chart that can also be read without seeing it: stacked bars or lines over time, a legend, and a table with every value. */

import { memo, useId, useMemo } from 'react';
import { exactTimeText } from '../texts/time.ts';
import { useSpeech, useWords } from '../words/use-words.tsx';
import { bucketAt, bucketsOf, type Span } from './buckets.ts';
import { colourOf, type Series } from './chart-data.ts';
import { useCrosshair } from './crosshair.ts';
import { Plot } from './plot.tsx';

interface ChartProps {
  readonly title: string;
  readonly kind?: 'lines' | 'stack';
  /** Where each bucket starts, in seconds since 1970, ascending. */
  readonly timesS: readonly number[];
  readonly series: readonly Series[];
  /** What was counted; it may cut the first and the last bucket. */
  readonly counted?: Span | undefined;
  readonly heightPx?: number;
  readonly together?: string;
  /** Only the plot: a small one that needs no legend. */
  readonly bare?: boolean;
  readonly zoomOnClick?: boolean;
  format(value: number): string;
  readonly onZoom?: (fromMs: number, toMs: number) => void;
}

const heightDefaultPx = 200;
/** So many values have room beside their names. */
const valuesInLegendMax = 3;

export function Chart(props: ChartProps) {
  const { title, kind = 'lines', series, timesS, counted, format, heightPx = heightDefaultPx, bare = false } = props;
  const heading = useId();
  const buckets = useMemo(() => bucketsOf(timesS, counted), [timesS, counted]);
  const [atS] = useCrosshair(props.together);
  const moment = atS === undefined ? undefined : bucketAt(buckets, atS);
  const plot = (
    <Plot
      title={title}
      kind={kind}
      buckets={buckets}
      series={series}
      heightPx={heightPx}
      bare={bare}
      together={props.together}
      zoomOnClick={props.zoomOnClick ?? false}
      format={format}
      onZoom={props.onZoom}
    />
  );
  const table = <DataTable title={title} series={series} timesS={timesS} format={format} />;
  if (bare) {
    return (
      <figure aria-label={title} className="relative min-w-0">
        {plot}
        {table}
      </figure>
    );
  }
  return (
    <figure aria-labelledby={heading} className="relative min-w-0 rounded-md border border-line bg-raised p-4">
      <figcaption className="grid gap-1 pb-3">
        <span id={heading} className="font-semibold">
          {title}
        </span>
        <Legend kind={kind} series={series} moment={moment} format={format} />
      </figcaption>
      {plot}
      {table}
    </figure>
  );
}

interface LegendProps {
  readonly kind: 'lines' | 'stack';
  readonly series: readonly Series[];
  readonly moment: number | undefined;
  format(value: number): string;
}

function Legend({ kind, series, moment, format }: LegendProps) {
  const words = useWords().parts;
  const hasValues = moment !== undefined && series.length <= valuesInLegendMax;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-quiet">
      {series.map((one) => {
        const value = hasValues ? one.values[moment] : undefined;
        return (
          <li key={one.name} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden="true"
              className={`shrink-0 rounded-sm ${kind === 'stack' ? 'size-2' : 'h-0.5 w-3'}`}
              style={{ background: `var(--series-${colourOf(one)})` }}
            />
            <span className="max-w-56 truncate" title={one.name}>
              {one.name}
            </span>
            {hasValues && (
              <span className="font-mono text-text tabular-nums">
                {value === undefined ? words.gap : format(value)}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type DataTableProps = Pick<ChartProps, 'title' | 'series' | 'timesS' | 'format'>;

const DataTable = memo(function DataTable({ title, series, timesS, format }: DataTableProps) {
  const { tag, words } = useSpeech();
  return (
    // A table cannot be made small by itself; its wrapper can.
    <div className="sr-only">
      <table>
        <caption>{words.parts.chartTable(title)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.parts.chartTime}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {timesS.map((at, moment) => (
            <tr key={at}>
              <th scope="row">{exactTimeText(at * 1_000, tag)}</th>
              {series.map(({ name, values }) => {
                const value = values[moment];
                return <td key={name}>{value === undefined ? words.parts.gap : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});
