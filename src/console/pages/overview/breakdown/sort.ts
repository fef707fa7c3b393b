/** How the table of groups is sorted: as the URL says it, as the server is asked, and among the rows that are shown. */

import type { BreakdownItem, BreakdownOrder } from '../../../../admin/contracts/analytics-contract.ts';
import { errorShare } from '../../../usage/change.ts';

export const sortColumns = ['name', 'requests', 'errors', 'tokens', 'spend'] as const;
export type SortColumn = (typeof sortColumns)[number];

export interface Sort {
  readonly column: SortColumn;
  readonly isUp: boolean;
}

const sortDefault: Sort = { column: 'spend', isUp: false };
const upEnd = '-up';

export function readSort(text: string | undefined): Sort {
  const isUp = text?.endsWith(upEnd) === true;
  const name = isUp ? text?.slice(0, -upEnd.length) : text;
  const column = sortColumns.find((one) => one === name);
  return column === undefined ? sortDefault : { column, isUp };
}

/** The usual order needs no word. */
export function sortWord({ column, isUp }: Sort): string | undefined {
  if (column === sortDefault.column && isUp === sortDefault.isUp) return undefined;
  return isUp ? `${column}${upEnd}` : column;
}

/** Names are sorted upwards at first, numbers downwards; a second press turns it around. */
export function nextSort(current: Sort, column: SortColumn): Sort {
  return current.column === column ? { column, isUp: !current.isUp } : { column, isUp: column === 'name' };
}

/** Which groups are the largest: the server knows all of them, the page only those that are shown. */
export function orderFor({ column }: Sort): BreakdownOrder {
  return column === 'requests' || column === 'tokens' ? column : 'cost';
}

export const tokensOf = ({ inputTokens, outputTokens }: Pick<BreakdownItem, 'inputTokens' | 'outputTokens'>): number =>
  inputTokens + outputTokens;

export function sorted(
  items: readonly BreakdownItem[],
  { column, isUp }: Sort,
  nameOf: (item: BreakdownItem) => string,
): readonly BreakdownItem[] {
  const sizes: Readonly<Record<Exclude<SortColumn, 'name'>, (item: BreakdownItem) => number>> = {
    requests: ({ requests }) => requests,
    errors: errorShare,
    tokens: tokensOf,
    // What has no known cost is below what costs nothing.
    spend: ({ costNano }) => (costNano === null ? -1 : Number(costNano)),
  };
  const compare = (a: BreakdownItem, b: BreakdownItem) =>
    column === 'name' ? nameOf(a).localeCompare(nameOf(b)) : sizes[column](a) - sizes[column](b);
  return items.toSorted((a, b) => (isUp ? compare(a, b) : compare(b, a)));
}
