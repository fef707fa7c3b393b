/** The range that the address holds, for every page that shows one. */

import { useCallback, useMemo } from 'react';
import { queryOf, withQuery } from '../router/navigation.ts';
import { useAddress, useNavigation } from '../router/router.tsx';
import { type ChosenRange, rangeWords, readRange } from './range.ts';

export function useRange(): readonly [ChosenRange, (range: ChosenRange) => void] {
  const navigation = useNavigation();
  const query = queryOf(useAddress());
  const [name, from, to] = [query.get('range') ?? '', query.get('from') ?? '', query.get('to') ?? ''];
  const range = useMemo(() => readRange(new URLSearchParams({ range: name, from, to })), [name, from, to]);
  const choose = useCallback(
    // A place in the list belongs to the range in which it was found.
    (next: ChosenRange) =>
      navigation.go(withQuery(navigation.address(), { ...rangeWords(next), older: undefined, newer: undefined })),
    [navigation],
  );
  return [range, choose];
}
