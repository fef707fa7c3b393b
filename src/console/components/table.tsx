/** Rows of facts: a head that stays and sorts, as many columns as fit, two lines for each row on a phone. */

import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useWords } from '../words/use-words.tsx';
import { Skeleton } from './skeleton.tsx';
import type { Column, NarrowRow } from './tables/column.ts';
import { fitColumns } from './tables/fit.ts';
import type { Selection } from './tables/selection.ts';
import { type Marking, NarrowHead, TableHead } from './tables/table-head.tsx';
import { Rows } from './tables/table-rows.tsx';
import type { TableSort } from './tables/use-sort.ts';
import { useWidth } from './tables/use-width.ts';

export type { Column } from './tables/column.ts';

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
  /** Absent where the rows have one order only. */
  readonly sort?: TableSort | undefined;
  /** Absent where nothing is done with many rows at once. */
  readonly selection?: Selection<Row> | undefined;
  /** A row on a phone; absent where its columns are few. */
  readonly narrow?: (row: Row) => NarrowRow;
}

const skeletonRows = 6;
/** Below this, columns are too few to say anything. */
const narrowPxMax = 600;
const boxPx = 40;

export function Table<Row>(props: TableProps<Row>) {
  if (props.rows?.length === 0) {
    return <div className="rounded-md border border-line bg-raised">{props.empty}</div>;
  }
  return <FilledTable {...props} />;
}

function FilledTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, sort, selection } = props;
  const scroller = useRef<HTMLElement>(null);
  const words = useWords();
  const widthPx = useWidth(scroller);
  const narrow = widthPx !== undefined && widthPx < narrowPxMax ? props.narrow : undefined;
  const marksPx = selection === undefined ? 0 : boxPx;
  const fitted = fitColumns(columns, widthPx === undefined ? Number.POSITIVE_INFINITY : widthPx - marksPx);
  const marking = selection && rows && markingOf(selection, rows.map(keyOf));
  const tellMore = useMoreMarks(scroller, fitted.overflows && narrow === undefined);
  const neededPx = fitted.widthsPx.reduce((sum, each) => sum + each, marksPx);
  return (
    <section
      ref={scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      onScroll={tellMore}
      className="max-h-[70vh] overflow-auto rounded-md border border-line bg-raised"
      aria-busy={rows === undefined || undefined}
    >
      {rows === undefined && (
        <span role="status" className="sr-only">
          {words.parts.loading}
        </span>
      )}
      {widthPx !== undefined && (
        <table
          className="w-full table-fixed border-separate border-spacing-0 text-sm"
          style={narrow === undefined && fitted.overflows ? { width: neededPx } : undefined}
        >
          {narrow === undefined ? (
            <>
              <colgroup>
                {selection !== undefined && <col style={{ width: boxPx }} />}
                {fitted.columns.map(({ id }, index) => (
                  <col key={id} style={{ width: fitted.widthsPx[index] }} />
                ))}
              </colgroup>
              <TableHead columns={fitted.columns} sort={sort} marking={marking} pinned={fitted.overflows} />
            </>
          ) : (
            <NarrowHead columns={columns} sort={sort} marking={marking} label={label} />
          )}
          {rows === undefined ? (
            <WaitingRows columns={fitted.columns} isNarrow={narrow !== undefined} hasBoxes={selection !== undefined} />
          ) : (
            <Rows
              columns={fitted.columns}
              rows={rows}
              keyOf={keyOf}
              openKey={props.openKey}
              onOpen={props.onOpen}
              narrow={narrow}
              selection={selection}
              pinned={fitted.overflows}
            />
          )}
        </table>
      )}
    </section>
  );
}

function markingOf<Row>(selection: Selection<Row>, keys: readonly string[]): Marking {
  const count = keys.filter((key) => selection.selected.has(key)).length;
  return {
    all: count === 0 ? 'none' : count === keys.length ? 'all' : 'some',
    toggleAll: () => selection.change(new Set(count === keys.length ? [] : keys)),
  };
}

/** Says by a shade at which edge there is more; the element is changed and not the component, which need not be drawn again. */
function useMoreMarks(scroller: { readonly current: HTMLElement | null }, overflows: boolean): () => void {
  const tell = () => {
    const { current } = scroller;
    if (current === null) return;
    const restPx = current.scrollWidth - current.clientWidth - current.scrollLeft;
    current.toggleAttribute('data-more-start', overflows && current.scrollLeft > 1);
    current.toggleAttribute('data-more-end', overflows && restPx > 1);
  };
  useLayoutEffect(tell);
  return tell;
}

interface WaitingProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly isNarrow: boolean;
  readonly hasBoxes: boolean;
}

function WaitingRows<Row>({ columns, isNarrow, hasBoxes }: WaitingProps<Row>) {
  return (
    <tbody>
      {Array.from({ length: skeletonRows }, (_, index) => (
        <tr key={index}>
          {hasBoxes && !isNarrow && <td className="border-b border-line" />}
          {isNarrow ? (
            <td className="h-14 border-b border-line px-3">
              <Skeleton className="h-3.5 w-3/5" />
            </td>
          ) : (
            columns.map((column) => (
              <td key={column.id} className="h-9 border-b border-line px-3">
                <Skeleton className={`h-3.5 ${column.align === 'end' ? 'ml-auto w-12' : 'w-3/5 min-w-16'}`} />
              </td>
            ))
          )}
        </tr>
      ))}
    </tbody>
  );
}
