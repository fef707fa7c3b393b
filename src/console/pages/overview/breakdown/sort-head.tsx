/** The head of a column that sorts its table; it says which way the rows are sorted. */

import { Icon } from '../../../components/icon.tsx';
import { nextSort, type Sort, type SortColumn } from './sort.ts';

interface SortHeadProps {
  readonly column: SortColumn;
  readonly label: string;
  readonly sort: Sort;
  onSort(sort: Sort): void;
  readonly className: string;
}

export function SortHead({ column, label, sort, onSort, className }: SortHeadProps) {
  const isSorted = sort.column === column;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isUp ? 'ascending' : 'descending') : 'none'}
      className={`h-9 border-b border-line bg-sunken px-1 ${column === 'name' ? 'text-left' : 'text-right'} ${className}`}
    >
      <button
        type="button"
        onClick={() => onSort(nextSort(sort, column))}
        className={`inline-flex h-7 cursor-pointer items-center gap-1 rounded-sm px-2 text-xs font-medium hover:text-text ${isSorted ? 'text-text' : 'text-quiet'}`}
      >
        {label}
        {isSorted && <Icon name="chevron" className={`size-3 ${sort.isUp ? 'rotate-180' : ''}`} />}
      </button>
    </th>
  );
}
