/** What happened lately, at one glance: four numbers, their course, who used what, what needs a look, and what comes in now. */

import { useMemo } from 'react';
import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Time } from '../../components/amounts.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { Condition } from '../../filter/filter.ts';
import { useFilter } from '../../filter/use-filter.ts';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import type { ChosenRange } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { useRange, useZoom } from '../../range/use-range.ts';
import { useInterval } from '../../usage/use-interval.ts';
import { useOverview } from '../../usage/use-overview.ts';
import { useWords } from '../../words/use-words.tsx';
import { isSandboxOnly } from '../requests/sandbox-only.ts';
import { Breakdown } from './breakdown/breakdown.tsx';
import { useGroupBy } from './breakdown/group-by.tsx';
import { EndingModels } from './ending-models.tsx';
import { Figures } from './figures.tsx';
import { useFirstHour } from './first-hour/use-first-hour.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NoMatch } from './no-match.tsx';
import { OverviewCharts } from './overview-charts.tsx';
import { OverviewTools } from './overview-tools.tsx';
import { Rankings } from './rankings.tsx';
import { Tail } from './tail.tsx';
import { Troubles } from './troubles.tsx';
import { Unpriced, useUnpriced } from './unpriced.tsx';

const widest: ChosenRange = { kind: 'last', name: '1y' };
const noConditions: readonly Condition[] = [];

export function Page() {
  const [range, choose] = useRange();
  const filter = useFilter(range);
  const { conditions } = filter;
  const zoom = useZoom();
  useShortcut('Escape', zoom.reset);
  const [by, setBy] = useGroupBy();
  const interval = useInterval(range);
  const { isByDay } = interval;
  const question = useMemo(() => ({ range, conditions }), [range, conditions]);
  const { data, error, isFetching, refetch } = useOverview(question, { again: true, isByDay });
  const isEmpty = data !== undefined && data.total.requests === 0;
  const isNarrow = conditions.length > 0;
  // Nothing lately and nothing ever are different things, and only the second one needs first steps.
  const ever = useOverview({ range: widest, conditions: noConditions }, { when: isEmpty && !isNarrow });
  const hasEarlier = (ever.data?.total.requests ?? 0) > 0;
  const firstHour = useFirstHour(isEmpty && !isNarrow && ever.data?.total.requests === 0);
  const unpriced = useUnpriced();
  const isKnown = data !== undefined && !unpriced.isPending && !(isEmpty && !isNarrow && ever.isPending);
  const isSandbox = isSandboxOnly((data?.providers ?? []).map(({ key }) => key));
  // What is below comes with the rest: what is above it may turn out much shorter.
  const below = isKnown && (
    <>
      <Unpriced view={unpriced.data} />
      <Troubles overview={data} question={question} />
      <EndingModels />
      <RowsFrom overview={data} />
      <Tail isQuiet={isEmpty} conditions={conditions} />
    </>
  );
  return (
    <>
      <PageTools>
        <span className="grow max-sm:hidden">{isSandbox && <SandboxBadge />}</span>
        <span className="grow sm:hidden" />
        <RangePicker range={range} onChoose={choose} isBusy={isFetching} onRefresh={() => void refetch()} />
      </PageTools>
      <div className="grid min-w-0 gap-4">
        {isSandbox && (
          <div className="sm:hidden">
            <SandboxBadge />
          </div>
        )}
        {(!isEmpty || isNarrow || hasEarlier) && (
          <OverviewTools question={question} filter={filter} by={by} onGroup={setBy} interval={interval} zoom={zoom} />
        )}
        {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
        {isEmpty && isNarrow && <NoMatch onClear={() => filter.set([])} />}
        {isEmpty && !isNarrow && firstHour === null && !ever.isPending && (
          <FirstSteps hasEarlier={hasEarlier} onEarlier={() => choose(widest)} />
        )}
        {!isEmpty && (
          <>
            <Figures overview={data} />
            {by !== undefined && <Breakdown by={by} question={question} isByDay={isByDay} onZoom={zoom.into} />}
            <OverviewCharts overview={data} isGrouped={by !== undefined} onZoom={zoom.into} />
            {by === undefined && <Rankings overview={data} question={question} />}
          </>
        )}
        {firstHour === null ? below : firstHour(below)}
      </div>
    </>
  );
}

function RowsFrom({ overview }: { readonly overview: OverviewView | undefined }) {
  const words = useWords().overview;
  if (overview?.rowsFrom === undefined || overview.rowsFrom <= overview.from) return null;
  return (
    <p className="text-xs text-quiet">
      {words.rowsFrom} <Time at={overview.rowsFrom} />
    </p>
  );
}
