/** Asks for the sums of a range, kept under the range's name so that pages which show the same share them. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { OverviewView } from '../../admin/contracts/analytics-contract.ts';
import { ask } from '../api/ask.ts';
import { refreshEveryMs } from '../range/range.ts';
import { type QueryWord, questionKey, questionWords, type UsageQuestion } from './question.ts';

const path = '/console/api/usage/overview';

interface UseOverviewOptions {
  /** False: not asked yet. */
  readonly when?: boolean;
  /** Asked again by itself, as often as the range is worth. */
  readonly again?: boolean;
  /** By the day, where the range would be shown by the hour. */
  readonly isByDay?: boolean;
}

export function useOverview(
  question: UsageQuestion,
  { when = true, again = false, isByDay = false }: UseOverviewOptions = {},
): UseQueryResult<OverviewView> {
  const everyMs = again ? refreshEveryMs(question.range, Date.now()) : undefined;
  const bucket: readonly QueryWord[] = isByDay ? [['bucket', 'day']] : [];
  return useQuery<OverviewView>({
    queryKey: [...questionKey(path, question), ...bucket.flat()],
    queryFn: ({ signal }) =>
      ask<OverviewView>(`${path}?${new URLSearchParams([...questionWords(question), ...bucket])}`, { signal }),
    enabled: when,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
