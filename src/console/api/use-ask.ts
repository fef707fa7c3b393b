/** What a page shows of the admin interface: kept between visits, refreshed quietly, and what was there stays until the new is here. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';

interface UseAskOptions {
  /** Asked again so often while the page is seen. */
  readonly everyMs?: number;
  /** False: not asked yet. */
  readonly when?: boolean;
}

/** The path is the key: pages that ask the same share the answer, and `queryClient.invalidateQueries` takes a path's beginning. */
export function useAsk<Answer>(path: string, { everyMs, when = true }: UseAskOptions = {}): UseQueryResult<Answer> {
  return useQuery<Answer>({
    queryKey: keyOf(path),
    queryFn: ({ signal }) => ask<Answer>(path, { signal }),
    enabled: when,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** By its parts, so that `/console/api/tokens` names one token's answers too. */
export function keyOf(path: string): readonly string[] {
  const [place = '', query = ''] = path.split('?');
  return [...place.split('/').filter((part) => part !== ''), ...(query === '' ? [] : [`?${query}`])];
}
