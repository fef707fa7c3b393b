/** The rows of a table: every row reachable by j, k and the arrow keys, Enter to open one, Space to mark it. */

import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import { useWords } from '../../words/use-words.tsx';
import type { Column, NarrowRow } from './column.ts';
import { type Selection, withToggled } from './selection.ts';
import { edgeOf } from './table-head.tsx';

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  readonly openKey: string | undefined;
  readonly onOpen: ((row: Row) => void) | undefined;
  /** Present where rows have two lines in the place of columns. */
  readonly narrow: ((row: Row) => NarrowRow) | undefined;
  readonly selection: Selection<Row> | undefined;
  readonly pinned: boolean;
}

export function Rows<Row>(props: RowsProps<Row>) {
  const { rows, keyOf, openKey, onOpen, selection } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState<string>();
  const marked = useRef<string>(undefined);
  const keys = rows.map(keyOf);
  // Rows come and go under a live list: the focus follows its row, and begins anew where that is gone.
  const place = Math.max(0, keys.indexOf(current ?? openKey ?? ''));
  const rowAt = (index: number) => body.current?.rows[Math.max(0, Math.min(rows.length - 1, index))];
  const focusRow = (index: number) => {
    rowAt(index)?.focus();
    rowAt(index)?.scrollIntoView({ block: 'nearest' });
  };
  const isInside = () => body.current?.contains(document.activeElement) === true;
  const step = (by: 1 | -1) => {
    if (isInside()) return focusRow(place + by);
    const open = keys.indexOf(openKey ?? '');
    const next = rows[open + by];
    // While a panel is open, the keys move to the next one in it.
    if (open === -1 || onOpen === undefined || !isInPanel()) return focusRow(place);
    if (next === undefined) return undefined;
    setCurrent(keys[open + by]);
    rowAt(open + by)?.scrollIntoView({ block: 'nearest' });
    return onOpen(next);
  };
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  const toggle = (index: number, asRange: boolean) => {
    const from = asRange ? keys.indexOf(marked.current ?? '') : -1;
    selection?.change(withToggled(selection.selected, keys, index, from === -1 ? undefined : from));
    marked.current = keys[index];
  };
  const press = (event: KeyboardEvent<HTMLTableRowElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget) return;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target !== undefined) focusRow(target);
    else if (event.key === 'Enter' && onOpen !== undefined) onOpen(row);
    else if (event.key === ' ' && selection !== undefined) toggle(index, event.shiftKey);
    else return;
    event.preventDefault();
  };
  return (
    <tbody ref={body} onPointerOver={nameWhatIsCut}>
      {rows.map((row, index) => {
        const key = keys[index] ?? '';
        return (
          <tr
            key={key}
            data-row=""
            data-selected={selection?.selected.has(key) === true || undefined}
            tabIndex={index === place ? 0 : -1}
            aria-current={key === openKey ? 'true' : undefined}
            onFocus={() => setCurrent(key)}
            onKeyDown={(event) => press(event, index, row)}
            onClick={onOpen === undefined ? undefined : () => onOpen(row)}
            className={
              'group scroll-mt-9 bg-raised aria-[current]:bg-wash data-[selected]:bg-wash ' +
              (onOpen === undefined ? '' : 'cursor-pointer hover:bg-sunken')
            }
          >
            <Cells {...props} row={row} isFocusable={index === place} onToggle={(asRange) => toggle(index, asRange)} />
          </tr>
        );
      })}
    </tbody>
  );
}

const isInPanel = (): boolean => document.activeElement?.closest('[role=dialog]') != null;

/** A text that was cut is shown whole on hover. */
function nameWhatIsCut({ target }: PointerEvent<HTMLElement>): void {
  const box = target instanceof Element ? target.closest('td')?.firstElementChild : undefined;
  if (!(box instanceof HTMLElement) || box.dataset['cut'] === undefined) return;
  box.title = box.scrollWidth > box.clientWidth ? (box.textContent ?? '') : '';
}

interface CellsProps<Row> extends RowsProps<Row> {
  readonly row: Row;
  readonly isFocusable: boolean;
  onToggle(asRange: boolean): void;
}

const cellShape = 'border-b border-line px-3 group-last:border-b-0';

function Cells<Row>(props: CellsProps<Row>) {
  const { columns, row, narrow, selection, pinned } = props;
  if (narrow !== undefined) return <NarrowCell {...props} lines={narrow(row)} />;
  return (
    <>
      {selection !== undefined && (
        <td className={`h-9 ${cellShape} ${pinned ? 'sticky left-0 z-[5] bg-inherit' : ''}`}>
          <RowBox {...props} selection={selection} />
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.id}
          className={`h-9 ${cellShape} ${column.align === 'end' ? 'text-right' : 'text-left'} ${edgeOf(
            { index, count: columns.length, pinned, marked: selection !== undefined },
            'body',
          )}`}
        >
          <div data-cut="" className="truncate">
            {column.cell(row)}
          </div>
        </td>
      ))}
    </>
  );
}

function NarrowCell<Row>({ lines, ...props }: CellsProps<Row> & { readonly lines: NarrowRow }) {
  const { selection } = props;
  return (
    <td className={`h-14 ${cellShape} py-2`}>
      <div className="flex items-start gap-3">
        {selection !== undefined && (
          <span className="pt-0.5">
            <RowBox {...props} selection={selection} />
          </span>
        )}
        <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-0.5">
          <div className="flex min-h-5 items-center justify-between gap-3">
            <span className="min-w-0 truncate font-medium">{lines.title}</span>
            <span className="shrink-0">{lines.titleEnd}</span>
          </div>
          <div className="flex min-h-5 items-center justify-between gap-3 text-xs text-quiet">
            <span className="min-w-0 truncate">{lines.detail}</span>
            <span className="shrink-0 text-text">{lines.detailEnd}</span>
          </div>
        </div>
      </div>
    </td>
  );
}

interface RowBoxProps<Row> extends Pick<CellsProps<Row>, 'row' | 'keyOf' | 'isFocusable' | 'onToggle'> {
  readonly selection: Selection<Row>;
}

function RowBox<Row>({ row, keyOf, selection, isFocusable, onToggle }: RowBoxProps<Row>) {
  const words = useWords().parts;
  const withShift = useRef(false);
  return (
    <input
      type="checkbox"
      aria-label={words.selectRow(selection.nameOf(row))}
      tabIndex={isFocusable ? 0 : -1}
      checked={selection.selected.has(keyOf(row))}
      onClick={(event) => {
        event.stopPropagation();
        withShift.current = event.shiftKey;
      }}
      onChange={() => onToggle(withShift.current)}
      className="block size-4 cursor-pointer accent-(--accent)"
    />
  );
}
