/** The order of a table as the address holds it: `cost` or `-cost`, and rows in that order. */

export interface Sort {
  /** Id of a column. */
  readonly by: string;
  readonly descending: boolean;
}

/** A row without a value comes last, whatever the direction. */
export type SortValue = string | number | bigint | null | undefined;

interface SortableColumn<Row> {
  readonly id: string;
  readonly align?: 'start' | 'end';
  readonly sortBy?: 'server' | ((row: Row) => SortValue);
  readonly greatestFirst?: boolean;
}

/** Undefined where the address names no column that can be sorted by. */
export function readSort<Row>(text: string | undefined, columns: readonly SortableColumn<Row>[]): Sort | undefined {
  const by = text?.replace(/^-/, '');
  const descending = text?.startsWith('-') === true;
  const column = columns.find(({ id, sortBy }) => id === by && sortBy !== undefined);
  return column === undefined || (column.greatestFirst === true && !descending)
    ? undefined
    : { by: column.id, descending };
}

export const sortText = ({ by, descending }: Sort): string => (descending ? `-${by}` : by);

/** Numbers begin with the largest, names with A; then the other way round, then the list's own order again. */
export function nextSort<Row>(column: SortableColumn<Row>, current: Sort | undefined): Sort | undefined {
  const { id, align, greatestFirst = false } = column;
  const first = align === 'end';
  if (current?.by !== id) return { by: id, descending: first };
  if (greatestFirst) return undefined;
  return current.descending === first ? { by: id, descending: !first } : undefined;
}

export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.by)?.sortBy;
  if (sort === undefined || sortBy === undefined || sortBy === 'server') return rows;
  return rows
    .map((row) => ({ row, value: sortBy(row) ?? undefined }))
    .sort((one, other) => compareValues(one.value, other.value, sort.descending))
    .map(({ row }) => row);
}

type Value = Exclude<SortValue, null>;

function compareValues(one: Value, other: Value, descending: boolean): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  const order =
    typeof one === 'string' && typeof other === 'string' ? compare(one, other) : one < other ? -1 : one > other ? 1 : 0;
  return descending ? -order : order;
}

/** The tenth comes after the second, and a capital letter does not matter. */
const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
