/** Spend, requests and tokens by one dimension: stacked over time, and every group as a row. */

import { useMemo } from 'react';
import type { BreakdownView, Dimension } from '../../../../admin/contracts/analytics-contract.ts';
import { Chart } from '../../../charts/chart.tsx';
import { coloursOf } from '../../../charts/key-colours.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import type { Zoom } from '../../../range/use-range.ts';
import { useQueryWord } from '../../../router/router.tsx';
import { countedOf } from '../../../usage/chart-series.ts';
import type { UsageQuestion } from '../../../usage/question.ts';
import { useBreakdown } from '../../../usage/use-breakdown.ts';
import { useChartFormats } from '../../../usage/use-chart-formats.ts';
import { useWords } from '../../../words/use-words.tsx';
import { ChartPlaces, together } from '../overview-charts.tsx';
import { breakdownSeries, chartedMax } from './breakdown-series.ts';
import { BreakdownTable } from './breakdown-table.tsx';
import { orderFor, readSort, sortWord } from './sort.ts';

interface BreakdownProps {
  readonly by: Dimension;
  readonly question: UsageQuestion;
  readonly isByDay: boolean;
  readonly onZoom: Zoom['into'];
}

/** As many as the server gives at once. */
const allMax = 100;
const heightPx = 180;
/** Money is what a group is looked at for: it has the whole width. */
const chartsShape = 'grid min-w-0 gap-4 lg:grid-cols-2 lg:*:first:col-span-2';

export function Breakdown({ by, question, isByDay, onZoom }: BreakdownProps) {
  const { dimensions, charts, chartBy } = useWords().usage;
  const [sortText, setSort] = useQueryWord('sort', { replace: true });
  const [all, setAll] = useQueryWord('all', { replace: true });
  const sort = useMemo(() => readSort(sortText), [sortText]);
  const limit = all === undefined ? chartedMax : allMax;
  const { data, error, refetch } = useBreakdown({ ...question, by, order: orderFor(sort), limit, isByDay });
  // The answer to another question stays until the new one is here, but not under another dimension's name.
  const view = data?.by === by ? data : undefined;
  const colours = useMemo(() => coloursOf((view?.items ?? []).slice(0, chartedMax).map(({ key }) => key)), [view]);
  if (error !== null && view === undefined) return <ErrorNotice error={error} onAgain={() => void refetch()} />;
  if (view === undefined) {
    const titles = Object.values(charts).map((figure) => chartBy(figure, dimensions[by].by));
    return <ChartPlaces titles={titles} shape={chartsShape} />;
  }
  return (
    <>
      <BreakdownCharts view={view} colours={colours} onZoom={onZoom} />
      <BreakdownTable
        view={view}
        question={question}
        colours={colours}
        sort={sort}
        onSort={(next) => setSort(sortWord(next))}
        isAll={all !== undefined}
        onAll={(isAll) => setAll(isAll ? '1' : undefined)}
      />
    </>
  );
}

interface BreakdownChartsProps {
  readonly view: BreakdownView;
  readonly colours: ReadonlyMap<string, number>;
  readonly onZoom: Zoom['into'];
}

function BreakdownCharts({ view, colours, onZoom }: BreakdownChartsProps) {
  const { dimensions, charts, chartBy, others } = useWords().usage;
  const formats = useChartFormats();
  const { by: name, none } = dimensions[view.by];
  const series = useMemo(() => breakdownSeries(view, { none, others }, colours), [view, none, others, colours]);
  const counted = useMemo(() => countedOf(view), [view]);
  const shape = { timesS: series.timesS, counted, together, heightPx, onZoom, kind: 'stack' } as const;
  return (
    <div className={chartsShape}>
      <Chart {...shape} title={chartBy(charts.spend, name)} series={series.spend} format={formats.money} />
      <Chart {...shape} title={chartBy(charts.requests, name)} series={series.requests} format={formats.count} />
      <Chart {...shape} title={chartBy(charts.tokens, name)} series={series.tokens} format={formats.count} />
    </div>
  );
}
