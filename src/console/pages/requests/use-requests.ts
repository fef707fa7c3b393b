/** Asks for one page of requests and, where it is live, goes on asking for what is newer. */

import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CountView, RequestsView } from '../../../admin/contracts/analytics-contract.ts';
import { ask } from '../../api/ask.ts';
import { keyOf } from '../../api/use-ask.ts';
import { type ChosenRange, rangeKey, rangeQuery } from '../../range/range.ts';
import { askedWords, type Condition } from './filter.ts';
import { cursorFor, type LivePage, withArrived } from './live-rows.ts';

export const pageRows = 50;
const liveEveryMs = 2_000;

export interface Place {
  readonly direction: 'older' | 'newer';
  readonly cursor: string;
}

interface RequestsQuery {
  readonly range: ChosenRange;
  readonly conditions: readonly Condition[];
  /** Absent for the newest. */
  readonly place?: Place | undefined;
  readonly limit?: number;
  readonly live?: boolean;
  /** Those that cost or took the most, in the place of the newest. */
  readonly top?: 'cost' | 'total' | undefined;
}

export function usageWords({ range, conditions }: Pick<RequestsQuery, 'range' | 'conditions'>): [string, string][] {
  return [...rangeQuery(range, Date.now()), ...askedWords(conditions)].map(([name, value]) => [name, value]);
}

/** The range by its name and not by its moments, so that another visit finds what the last one saw. */
function keyFor(path: string, { range, conditions }: Pick<RequestsQuery, 'range' | 'conditions'>): readonly string[] {
  return [
    ...keyOf(path),
    rangeKey(range),
    new URLSearchParams(askedWords(conditions).map(([...pair]) => pair)).toString(),
  ];
}

const requestsPath = '/console/api/usage/requests';

export function useRequests(query: RequestsQuery): UseQueryResult<LivePage> {
  const { place, limit = pageRows, live = false, top } = query;
  const queries = useQueryClient();
  const key = [
    ...keyFor(requestsPath, query),
    `${place?.direction ?? ''} ${place?.cursor ?? ''}`,
    `${limit} ${top ?? ''}`,
  ];
  return useQuery<LivePage>({
    queryKey: key,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const page = async (at: Place | undefined) => {
        const words = new URLSearchParams([...usageWords(query), ['limit', `${limit}`]]);
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

export function useCount(query: Pick<RequestsQuery, 'range' | 'conditions'>): UseQueryResult<CountView> {
  const path = '/console/api/usage/count';
  return useQuery<CountView>({
    queryKey: keyFor(path, query),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask<CountView>(`${path}?${new URLSearchParams(usageWords(query))}`, { signal }),
  });
}
