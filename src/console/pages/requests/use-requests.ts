/** Asks for one page of requests and, where it is live, goes on asking for what is newer. */

import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CountView, RequestsView } from '../../../admin/contracts/analytics-contract.ts';
import { ask } from '../../api/ask.ts';
import { questionKey, questionWords, type UsageQuestion } from '../../usage/question.ts';
import { cursorFor, type LivePage, withArrived } from './live-rows.ts';

export const pageRows = 50;
const liveEveryMs = 2_000;

export interface Place {
  readonly direction: 'older' | 'newer';
  readonly cursor: string;
}

interface RequestsQuery extends UsageQuestion {
  /** Absent for the newest. */
  readonly place?: Place | undefined;
  readonly limit?: number;
  readonly live?: boolean;
  /** Those that cost or took the most, in the place of the newest. */
  readonly top?: 'cost' | 'total' | undefined;
}

const requestsPath = '/console/api/usage/requests';

export function useRequests(query: RequestsQuery): UseQueryResult<LivePage> {
  const { place, limit = pageRows, live = false, top } = query;
  const queries = useQueryClient();
  const key = [
    ...questionKey(requestsPath, query),
    `${place?.direction ?? ''} ${place?.cursor ?? ''}`,
    `${limit} ${top ?? ''}`,
  ];
  return useQuery<LivePage>({
    queryKey: key,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const page = async (at: Place | undefined) => {
        const words = new URLSearchParams([...questionWords(query), ['limit', `${limit}`]]);
        if (top !== undefined) words.set('top', top);
        if (at !== undefined) for (const [name, value] of Object.entries(at)) words.set(name, value);
        return ask<RequestsView>(`${requestsPath}?${words}`, { signal });
      };
      const before = live && place === undefined ? queries.getQueryData<LivePage>(key) : undefined;
      const cursor = cursorFor(before);
      if (before !== undefined && cursor !== undefined) {
        const grown = withArrived(before, await page({ direction: 'newer', cursor }), limit);
        if (grown !== undefined) return grown;
      }
      return { ...(await page(place)), asked: 0 };
    },
    ...(live && place === undefined && { refetchInterval: liveEveryMs }),
  });
}

export function useCount(query: UsageQuestion): UseQueryResult<CountView> {
  const path = '/console/api/usage/count';
  return useQuery<CountView>({
    queryKey: questionKey(path, query),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask<CountView>(`${path}?${new URLSearchParams(questionWords(query))}`, { signal }),
  });
}
