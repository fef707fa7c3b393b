/** How much a model was used in the chosen range, with the way to those requests. */

import { useMemo } from 'react';
import { Count, Money } from '../../components/amounts.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Part } from '../../components/part.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { requestsPath } from '../../filter/filter.ts';
import { Figure } from '../../health/health-figures.tsx';
import { rangeWords } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { useRange } from '../../range/use-range.ts';
import { Link } from '../../router/router.tsx';
import { shareText } from '../../texts/number.ts';
import { useOverview } from '../../usage/use-overview.ts';
import { useSpeech } from '../../words/use-words.tsx';

export function ModelUsage({ id }: { readonly id: string }) {
  const { words: all, tag } = useSpeech();
  const words = all.models.panel;
  const [range, setRange] = useRange();
  const question = useMemo(() => ({ range, conditions: [{ kind: 'model' as const, value: id }] }), [range, id]);
  const { data, error, isFetching, refetch } = useOverview(question, { again: true });
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
          to={requestsPath(question.conditions, rangeWords(range))}
          className="text-sm text-accent underline-offset-2 hover:underline"
        >
          {words.toRequests}
        </Link>
      </p>
    </Part>
  );
}
