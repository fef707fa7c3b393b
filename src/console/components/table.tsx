/** Rows of facts: a head that stays, figures aligned, every row reachable by j, k and the arrow keys, and Enter to open one. */

import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useShortcut } from '../keyboard/use-shortcut.tsx';
import { useWords } from '../words/use-words.tsx';
import { Skeleton } from './skeleton.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly head: ReactNode;
  cell(row: Row): ReactNode;
  /** Numbers end where they end. */
  readonly align?: 'start' | 'end';
  /** Of the column, in pixels; absent takes what is left. */
  readonly widthPx?: number;
}

interface TableProps<Row> {
  /** What the table is a list of. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Absent while they are on their way. */
  readonly rows: readonly Row[] | undefined;
  keyOf(row: Row): string;
  /** The row whose details are shown beside the table. */
  readonly openKey?: string | undefined;
  readonly onOpen?: (row: Row) => void;
  /** Stands in place of rows where there are none. */
  readonly empty: ReactNode;
}

const skeletonRows = 6;

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, empty } = props;
  const scroller = useRef<HTMLElement>(null);
  const words = useWords();
  if (rows?.length === 0) return <div className="rounded-md border border-line bg-raised">{empty}</div>;
  return (
    <section
      ref={scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="max-h-[70vh] overflow-auto rounded-md border border-line bg-raised"
      aria-busy={rows === undefined || undefined}
    >
      {rows === undefined && (
        <span role="status" className="sr-only">
          {words.parts.loading}
        </span>
      )}
      <table className="w-full min-w-max border-separate border-spacing-0 text-sm">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                style={column.widthPx === undefined ? undefined : { width: column.widthPx }}
                className={`sticky top-0 z-10 h-9 border-b border-line bg-sunken px-3 text-xs font-medium text-quiet ${alignOf(column)}`}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        {rows === undefined ? <WaitingRows columns={columns} /> : <Rows {...props} rows={rows} />}
      </table>
    </section>
  );
}

function alignOf<Row>({ align }: Column<Row>): string {
  return align === 'end' ? 'text-right' : 'text-left';
}

function WaitingRows<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <tbody>
      {Array.from({ length: skeletonRows }, (_, index) => (
        <tr key={index}>
          {columns.map((column) => (
            <td key={column.id} className="h-9 border-b border-line px-3">
              <Skeleton className={`h-3.5 ${column.align === 'end' ? 'ml-auto w-12' : 'w-3/5 min-w-16'}`} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Rows<Row>({ columns, rows, keyOf, openKey, onOpen }: TableProps<Row> & { readonly rows: readonly Row[] }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState<string>();
  const keys = rows.map(keyOf);
  // Rows come and go under a live list: the focus follows its row, and begins anew where that is gone.
  const place = Math.max(0, keys.indexOf(current ?? openKey ?? ''));
  const focusRow = (index: number) => {
    const row = body.current?.rows[Math.max(0, Math.min(rows.length - 1, index))];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  const isInside = () => body.current?.contains(document.activeElement) === true;
  useShortcut('j', () => focusRow(isInside() ? place + 1 : place));
  useShortcut('k', () => focusRow(isInside() ? place - 1 : place));
  const press = (event: KeyboardEvent<HTMLTableRowElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget) return;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target !== undefined) focusRow(target);
    else if (event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else return;
    event.preventDefault();
  };
  return (
    <tbody ref={body}>
      {rows.map((row, index) => {
        const key = keys[index] ?? '';
        return (
          <tr
            key={key}
            tabIndex={index === place ? 0 : -1}
            aria-current={key === openKey ? 'true' : undefined}
            onFocus={() => setCurrent(key)}
            onKeyDown={(event) => press(event, index, row)}
            onClick={onOpen === undefined ? undefined : () => onOpen(row)}
            className={
              `group scroll-mt-9 focus-visible:outline-offset-[-2px] aria-[current]:bg-wash ` +
              (onOpen === undefined ? '' : 'cursor-pointer hover:bg-sunken')
            }
          >
            {columns.map((column) => (
              <td
                key={column.id}
                className={`h-9 max-w-96 truncate border-b border-line px-3 group-last:border-b-0 ${alignOf(column)}`}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        );
      })}
    </tbody>
  );
}
