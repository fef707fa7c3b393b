/** The order of a table in the address, for lists that the server sorts and for those that are here as a whole. */

import { useCallback, useMemo } from 'react';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import type { Column } from './column.ts';
import { readSort, type Sort, sortedRows, sortText } from './sort.ts';

export interface TableSort {
  readonly current: Sort | undefined;
  change(sort: Sort | undefined): void;
}

/** Another order begins with its first page. */
export function useSort<Row>(columns: readonly Column<Row>[]): TableSort {
  const navigation = useNavigation();
  const [text] = useQueryWord('sort');
  const current = useMemo(() => readSort(text, columns), [text, columns]);
  const change = useCallback(
    (sort: Sort | undefined) =>
      navigation.go(
        withQuery(navigation.address(), { sort: sort === undefined ? undefined : sortText(sort), after: undefined }),
      ),
    [navigation],
  );
  return useMemo(() => ({ current, change }), [current, change]);
}

/** `rows` must be all there are: a page of many must not be sorted as if it were the whole list. */
export function useSortedRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] | undefined,
): { readonly rows: readonly Row[] | undefined; readonly sort: TableSort } {
  const sort = useSort(columns);
  const sorted = useMemo(() => rows && sortedRows(rows, columns, sort.current), [rows, columns, sort]);
  return { rows: sorted, sort };
}
