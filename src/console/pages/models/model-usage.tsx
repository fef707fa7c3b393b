/** How much a model was used in the chosen range, with the way to those requests. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf } from '../../api/use-ask.ts';
import { Count, Money } from '../../components/amounts.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Part } from '../../components/part.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Figure } from '../../health/health-figures.tsx';
import { type ChosenRange, rangeKey, rangeQuery, rangeWords, refreshEveryMs } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { useRange } from '../../range/use-range.ts';
import { Link } from '../../router/router.tsx';
import { shareText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { requestsPath } from '../requests/filter.ts';

const path = '/console/api/usage/overview';

function useModelUsage(id: string, range: ChosenRange) {
  const everyMs = refreshEveryMs(range);
  return useQuery<OverviewView>({
    queryKey: [...keyOf(path), id, rangeKey(range)],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams(rangeQuery(range, Date.now()).map(([...pair]) => pair));
      query.set('model', id);
      return ask<OverviewView>(`${path}?${query}`, { signal });
    },
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

export function ModelUsage({ id }: { readonly id: string }) {
  const { words: all, tag } = useSpeech();
  const words = all.models.panel;
  const [range, setRange] = useRange();
  const { data, error, isFetching, refetch } = useModelUsage(id, range);
  const total = data?.total;
  return (
    <Part
      divided
      title={words.usage}
      tools={<RangePicker range={range} onChoose={setRange} isBusy={isFetching} onRefresh={() => void refetch()} />}
    >
      {error !== null && <ErrorNotice error={error} />}
      {error === null && total === undefined && <Skeleton className="h-10" />}
      {total !== undefined && (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-sm sm:grid-cols-3">
          <Figure name={all.overview.figures.requests}>
            <Count value={total.requests} />
          </Figure>
          <Figure name={all.overview.figures.spend}>
            <Money nano={total.costNano} />
          </Figure>
          <Figure name={words.failedRequests}>
            {total.requests === 0 ? all.parts.none : shareText(total.failures / total.requests, tag)}
          </Figure>
        </dl>
      )}
      <p>
        <Link
          to={requestsPath({ kind: 'model', value: id }, rangeWords(range))}
          className="text-sm text-accent underline-offset-2 hover:underline"
        >
          {words.toRequests}
        </Link>
      </p>
    </Part>
  );
}
