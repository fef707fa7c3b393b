/** The head of a table: names of columns that sort it, or on a phone one list of the same orders. */

import { useLayoutEffect, useRef } from 'react';
import { useWords } from '../../words/use-words.tsx';
import { Icon } from '../icon.tsx';
import { type Column, headText } from './column.ts';
import { nextSort, readSort, type Sort, sortText } from './sort.ts';
import type { TableSort } from './use-sort.ts';

const headShape = 'sticky top-0 h-9 border-b border-line bg-sunken text-xs font-medium text-quiet';

export interface Marking {
  readonly all: 'none' | 'some' | 'all';
  toggleAll(): void;
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: TableSort | undefined;
  readonly marking: Marking | undefined;
  readonly pinned: boolean;
}

export function TableHead<Row>({ columns, sort, marking, pinned }: HeadProps<Row>) {
  return (
    <thead>
      <tr>
        {marking !== undefined && (
          <th scope="col" className={`${headShape} left-0 z-20 px-3 text-left`}>
            <AllBox marking={marking} />
          </th>
        )}
        {columns.map((column, index) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={
              sort === undefined || column.sortBy === undefined ? undefined : sortedAs(column.id, sort.current)
            }
            className={`${headShape} ${edgeOf({ index, count: columns.length, pinned, marked: marking !== undefined })} ${
              column.align === 'end' ? 'text-right' : 'text-left'
            } ${sort !== undefined && column.sortBy !== undefined ? 'px-1' : 'px-3'}`}
          >
            {sort !== undefined && column.sortBy !== undefined ? (
              <SortButton column={column} sort={sort} />
            ) : (
              <div className="truncate">{column.head}</div>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function sortedAs(id: string, current: Sort | undefined): 'ascending' | 'descending' | 'none' {
  if (current?.by !== id) return 'none';
  return current.descending ? 'descending' : 'ascending';
}

interface Edge {
  readonly index: number;
  readonly count: number;
  readonly pinned: boolean;
  /** A column of boxes is before the first one. */
  readonly marked: boolean;
}

/** The first and the last column stay in sight while the others scroll. */
export function edgeOf({ index, count, pinned, marked }: Edge, layer: 'head' | 'body' = 'head'): string {
  const usual = layer === 'head' ? 'z-10' : '';
  if (!pinned) return usual;
  const above = layer === 'head' ? 'z-20' : 'z-[5] sticky bg-inherit';
  if (index === 0) return `${above} ${marked ? 'left-10' : 'left-0'} pin-start`;
  return index === count - 1 ? `${above} right-0 pin-end` : usual;
}

function SortButton<Row>({ column, sort }: { readonly column: Column<Row>; readonly sort: TableSort }) {
  const isSorted = sort.current?.by === column.id;
  const isUp = isSorted ? sort.current?.descending === false : column.align !== 'end';
  // Where it sorts nothing yet, the mark takes no room from the name.
  const markShape = isSorted
    ? 'text-accent'
    : `absolute top-1.5 bg-sunken opacity-0 group-hover/sort:opacity-100 ${column.align === 'end' ? 'left-0' : 'right-0'}`;
  return (
    <button
      type="button"
      onClick={() => sort.change(nextSort(column, sort.current))}
      className={`group/sort relative inline-flex h-7 max-w-full cursor-pointer items-center gap-0.5 rounded-sm px-2 font-medium hover:text-text ${
        column.align === 'end' ? 'flex-row-reverse' : ''
      } ${isSorted ? 'text-text' : ''}`}
    >
      <span className="truncate">{column.head}</span>
      <Icon name="chevron" className={`shrink-0 ${markShape} ${isUp ? 'rotate-180' : ''}`} />
    </button>
  );
}

/** Names of columns have no place above rows of two lines. */
export function NarrowHead<Row>({ columns, sort, marking, label }: Omit<HeadProps<Row>, 'pinned'> & { label: string }) {
  const words = useWords().parts;
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  if (marking === undefined && (sort === undefined || sortable.length === 0)) {
    return (
      <thead className="sr-only">
        <tr>
          <th scope="col">{label}</th>
        </tr>
      </thead>
    );
  }
  return (
    <thead>
      <tr>
        <th scope="col" className={`${headShape} z-10 px-3 text-left`}>
          <div className="flex items-center justify-between gap-3">
            {marking !== undefined && <AllBox marking={marking} />}
            {sort !== undefined && sortable.length > 0 && (
              <select
                aria-label={words.sortBy}
                value={sort.current === undefined ? '' : sortText(sort.current)}
                onChange={({ target }) => sort.change(readSort(target.value, columns))}
                className="ml-auto h-7 max-w-48 cursor-pointer rounded-sm bg-sunken text-xs font-medium"
              >
                <option value="">{words.ownOrder}</option>
                {sortable.flatMap((column) =>
                  ordersOf(column).map((descending) => (
                    <option key={`${descending}`} value={sortText({ by: column.id, descending })}>
                      {(descending ? words.descending : words.ascending)(headText(column))}
                    </option>
                  )),
                )}
              </select>
            )}
          </div>
        </th>
      </tr>
    </thead>
  );
}

/** Whether each is descending; the usual one first. */
function ordersOf<Row>({ align, greatestFirst = false }: Column<Row>): readonly boolean[] {
  if (greatestFirst) return [true];
  return align === 'end' ? [true, false] : [false, true];
}

function AllBox({ marking: { all, toggleAll } }: { readonly marking: Marking }) {
  const words = useWords().parts;
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = all === 'some';
  }, [all]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={words.selectAll}
      checked={all === 'all'}
      onChange={toggleAll}
      className="block size-4 cursor-pointer accent-(--accent)"
    />
  );
}
