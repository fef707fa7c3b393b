/** What happened lately, at one glance: four numbers, their course, who used what, what needs a look, and what comes in now. */

import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Time } from '../../components/amounts.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import type { ChosenRange } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { useRange } from '../../range/use-range.ts';
import { useWords } from '../../words/use-words.tsx';
import { isSandboxOnly } from '../requests/sandbox-only.ts';
import { EndingModels } from './ending-models.tsx';
import { Figures } from './figures.tsx';
import { useFirstHour } from './first-hour/use-first-hour.tsx';
import { FirstSteps } from './first-steps.tsx';
import { OverviewCharts } from './overview-charts.tsx';
import { Rankings } from './rankings.tsx';
import { Tail } from './tail.tsx';
import { Troubles } from './troubles.tsx';
import { Unpriced, useUnpriced } from './unpriced.tsx';
import { useOverview } from './use-overview.ts';

const widest: ChosenRange = { kind: 'last', name: '1y' };

export function Page() {
  const [range, choose] = useRange();
  const { data, error, isFetching, refetch } = useOverview(range, { again: true });
  const isEmpty = data !== undefined && data.total.requests === 0;
  // Nothing lately and nothing ever are different things, and only the second one needs first steps.
  const ever = useOverview(widest, { when: isEmpty });
  const firstHour = useFirstHour(isEmpty && ever.data?.total.requests === 0);
  const unpriced = useUnpriced();
  const isSandbox = isSandboxOnly((data?.providers ?? []).map(({ key }) => key));
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
        {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
        {firstHour}
        {isEmpty ? (
          firstHour === null &&
          !ever.isPending && (
            <FirstSteps hasEarlier={(ever.data?.total.requests ?? 0) > 0} onEarlier={() => choose(widest)} />
          )
        ) : (
          <>
            <Figures overview={data} />
            <OverviewCharts overview={data} />
            <Rankings overview={data} range={range} />
          </>
        )}
        {/* What stands below comes with the rest: what is above it may turn out much shorter. */}
        {data !== undefined && !unpriced.isPending && (
          <>
            <Unpriced view={unpriced.data} />
            <Troubles overview={data} range={range} />
            <EndingModels />
            <RowsFrom overview={data} />
            <Tail isQuiet={isEmpty} />
          </>
        )}
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
