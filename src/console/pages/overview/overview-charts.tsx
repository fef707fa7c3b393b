/** Requests, spend and times over the range, under one crosshair; with a dimension its own charts replace the first two. */

import { useMemo } from 'react';
import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Chart } from '../../charts/chart.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Zoom } from '../../range/use-range.ts';
import { countedOf, overviewSeries } from '../../usage/chart-series.ts';
import { useChartFormats } from '../../usage/use-chart-formats.ts';
import { useWords } from '../../words/use-words.tsx';

/** Charts of the page share their crosshair under this name. */
export const together = 'overview';
const heightPx = 180;
const halves = 'grid min-w-0 gap-4 lg:grid-cols-2';

interface OverviewChartsProps {
  readonly overview: OverviewView | undefined;
  /** Requests and spend are shown by a dimension elsewhere. */
  readonly isGrouped: boolean;
  readonly onZoom: Zoom['into'];
}

export function OverviewCharts({ overview, isGrouped, onZoom }: OverviewChartsProps) {
  const words = useWords().overview;
  const { charts } = words;
  const formats = useChartFormats();
  // Asked again, an answer differs at least in its end; charts are drawn again only where their own figures differ.
  const buckets = overview?.buckets;
  const series = useMemo(
    () => (buckets === undefined ? undefined : overviewSeries({ buckets }, words)),
    [buckets, words],
  );
  const [from, to] = [overview?.from, overview?.to];
  const counted = useMemo(
    () => (from === undefined || to === undefined ? undefined : countedOf({ from, to })),
    [from, to],
  );
  if (series === undefined) {
    const { requests, spend, firstToken, total } = charts;
    return <ChartPlaces titles={isGrouped ? [firstToken, total] : [requests, spend, firstToken, total]} />;
  }
  const { timesS } = series;
  const shape = { timesS, counted, together, heightPx, onZoom };
  return (
    <div className={halves}>
      {!isGrouped && (
        <>
          <Chart {...shape} kind="stack" title={charts.requests} series={series.requests} format={formats.count} />
          <Chart {...shape} kind="stack" title={charts.spend} series={series.spend} format={formats.money} />
        </>
      )}
      <Chart {...shape} title={charts.firstToken} series={series.firstToken} format={formats.duration} />
      <Chart {...shape} title={charts.total} series={series.total} format={formats.duration} />
    </div>
  );
}

interface ChartPlacesProps {
  readonly titles: readonly string[];
  /** How they share the width. */
  readonly shape?: string;
}

/** As high as what comes, so that nothing moves when it does. */
export function ChartPlaces({ titles, shape = halves }: ChartPlacesProps) {
  return (
    <div className={shape}>
      {titles.map((title) => (
        <div key={title} className="grid gap-3 rounded-md border border-line bg-raised p-4">
          <div className="grid h-10 content-start gap-1">
            <span className="font-semibold">{title}</span>
          </div>
          <Skeleton className="h-[180px] w-full" />
        </div>
      ))}
    </div>
  );
}
