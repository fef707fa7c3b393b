/** Asks for usage by one dimension: the largest groups, and all others in one. */

import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { BreakdownOrder, BreakdownView, Dimension } from '../../admin/contracts/analytics-contract.ts';
import { ask } from '../api/ask.ts';
import { refreshEveryMs } from '../range/range.ts';
import { type QueryWord, questionKey, questionWords, type UsageQuestion } from './question.ts';

const path = '/console/api/usage/breakdown';

interface BreakdownQuestion extends UsageQuestion {
  readonly by: Dimension;
  readonly order: BreakdownOrder;
  readonly limit: number;
  readonly isByDay?: boolean;
}

export function breakdownQuery(question: BreakdownQuestion) {
  const { by, order, limit, isByDay = false } = question;
  const own: QueryWord[] = [
    ['by', by],
    ['order', order],
    ['limit', `${limit}`],
  ];
  if (isByDay) own.push(['bucket', 'day']);
  return queryOptions({
    queryKey: [...questionKey(path, question), new URLSearchParams(own).toString()],
    queryFn: ({ signal }) =>
      ask<BreakdownView>(`${path}?${new URLSearchParams([...questionWords(question), ...own])}`, { signal }),
  });
}

export function useBreakdown(question: BreakdownQuestion): UseQueryResult<BreakdownView> {
  const everyMs = refreshEveryMs(question.range, Date.now());
  return useQuery({
    ...breakdownQuery(question),
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
