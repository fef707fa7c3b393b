/** Asks for the sums of a range, kept under the range's name so that pages which show the same share them. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf } from '../../api/use-ask.ts';
import { type ChosenRange, rangeKey, rangeQuery, refreshEveryMs } from '../../range/range.ts';

const path = '/console/api/usage/overview';

interface UseOverviewOptions {
  /** False: not asked yet. */
  readonly when?: boolean;
  /** Asked again by itself, as often as the range is worth. */
  readonly again?: boolean;
}

export function useOverview(
  range: ChosenRange,
  { when = true, again = false }: UseOverviewOptions = {},
): UseQueryResult<OverviewView> {
  const everyMs = again ? refreshEveryMs(range) : undefined;
  return useQuery<OverviewView>({
    queryKey: [...keyOf(path), rangeKey(range)],
    queryFn: ({ signal }) => {
      const words = new URLSearchParams(rangeQuery(range, Date.now()).map(([...pair]) => pair));
      return ask<OverviewView>(`${path}?${words}`, { signal });
    },
    enabled: when,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
