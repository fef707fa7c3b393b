/** The range that the URL holds, for every page that shows one, and zooming into it and out of it again. */

import { useCallback, useMemo } from 'react';
import { queryOf, withQuery } from '../router/navigation.ts';
import { useAddress, useNavigation, useQueryWord } from '../router/router.tsx';
import { type ChosenRange, rangeOfText, rangeText, rangeWords, readRange } from './range.ts';

/** The word of the URL that holds the range from before the first zoom. */
const zoomedWord = 'zoomed';

export function useRange(): readonly [ChosenRange, (range: ChosenRange) => void] {
  const navigation = useNavigation();
  const query = queryOf(useAddress());
  const [name, from, to] = [query.get('range') ?? '', query.get('from') ?? '', query.get('to') ?? ''];
  const range = useMemo(() => readRange(new URLSearchParams({ range: name, from, to })), [name, from, to]);
  const choose = useCallback(
    (next: ChosenRange) => navigation.go(withRange(navigation.address(), next, undefined)),
    [navigation],
  );
  return [range, choose];
}

export interface Zoom {
  into(fromMs: number, toMs: number): void;
  /** Absent where nothing is zoomed. */
  readonly reset: (() => void) | undefined;
}

export function useZoom(): Zoom {
  const navigation = useNavigation();
  const [zoomed] = useQueryWord(zoomedWord);
  return useMemo(
    () => ({
      into: (fromMs, toMs) => {
        const address = navigation.address();
        const before = zoomed ?? rangeText(readRange(queryOf(address)));
        navigation.go(withRange(address, { kind: 'between', fromMs, toMs }, before));
      },
      reset:
        zoomed === undefined
          ? undefined
          : () => navigation.go(withRange(navigation.address(), rangeOfText(zoomed), undefined)),
    }),
    [navigation, zoomed],
  );
}

/** A place in the list belongs to the range in which it was found. */
function withRange(address: string, range: ChosenRange, zoomed: string | undefined): string {
  const words = { ...rangeWords(range), [zoomedWord]: zoomed, older: undefined, newer: undefined };
  return withQuery(address, words);
}
