/** The totals of the requests that the filter leaves, and when they were: a small histogram in which a click or a drag zooms in. */

import { type ReactNode, useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { Count, Duration, Money } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Zoom } from '../../range/use-range.ts';
import { shareText } from '../../texts/number.ts';
import { errorShare } from '../../usage/change.ts';
import { countedOf, overviewSeries } from '../../usage/chart-series.ts';
import type { UsageQuestion } from '../../usage/question.ts';
import { useChartFormats } from '../../usage/use-chart-formats.ts';
import { useOverview } from '../../usage/use-overview.ts';
import { useSpeech } from '../../words/use-words.tsx';

interface RequestTotalsProps {
  readonly question: UsageQuestion;
  readonly zoom: Zoom;
  /** Totals of a list that grows by itself grow with it. */
  readonly isLive: boolean;
}

const heightPx = 64;

export function RequestTotals({ question, zoom, isLive }: RequestTotalsProps) {
  const { words, tag } = useSpeech();
  const own = words.usage.sums;
  const formats = useChartFormats();
  const { data, error } = useOverview(question, { again: isLive });
  const buckets = data?.buckets;
  const series = useMemo(
    () => (buckets === undefined ? undefined : overviewSeries({ buckets }, words.overview)),
    [buckets, words],
  );
  const [from, to] = [data?.from, data?.to];
  const counted = useMemo(
    () => (from === undefined || to === undefined ? undefined : countedOf({ from, to })),
    [from, to],
  );
  // The list below says what is wrong.
  if (error !== null && data === undefined) return null;
  const total = data?.total;
  const tokens = total === undefined ? undefined : total.inputTokens + total.outputTokens;
  return (
    <section
      aria-label={own.label}
      className="grid min-w-0 items-center gap-x-8 gap-y-3 rounded-md border border-line bg-raised px-4 py-3 lg:grid-cols-[auto_minmax(0,1fr)]"
    >
      <dl className="flex flex-wrap gap-x-6 gap-y-2">
        <Total name={own.requests} isKnown={total !== undefined}>
          <Count value={total?.requests} />
        </Total>
        <Total name={own.errors} isKnown={total !== undefined}>
          <span className={`font-mono tabular-nums ${(total?.failures ?? 0) > 0 ? 'text-bad' : ''}`}>
            {total === undefined ? '' : shareText(errorShare(total), tag)}
          </span>
        </Total>
        <Total name={own.tokens} isKnown={total !== undefined}>
          <Count value={tokens} />
        </Total>
        <Total name={own.spend} isKnown={total !== undefined}>
          <Money nano={total?.costNano} />
        </Total>
        <Total name={own.p95} isKnown={total !== undefined}>
          <Duration ms={total?.totalP95Ms} />
        </Total>
        {zoom.reset !== undefined && (
          <Button size="small" className="self-center" onClick={zoom.reset}>
            {words.usage.resetZoom}
          </Button>
        )}
      </dl>
      {series === undefined ? (
        <Skeleton className="h-16 w-full" />
      ) : (
        <Chart
          bare
          zoomOnClick
          kind="stack"
          title={own.histogram}
          timesS={series.timesS}
          counted={counted}
          series={series.requests}
          heightPx={heightPx}
          format={formats.count}
          onZoom={zoom.into}
        />
      )}
    </section>
  );
}

function Total({
  name,
  isKnown,
  children,
}: {
  readonly name: string;
  readonly isKnown: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-xs whitespace-nowrap text-quiet">{name}</dt>
      <dd className="min-h-5 text-sm font-medium">{isKnown ? children : <Skeleton className="h-4 w-12" />}</dd>
    </div>
  );
}
