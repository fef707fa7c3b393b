/**
 * Rows on the path of every request. They travel as arrays of cells in the order of their declaration, which is shorter to write and
 * to parse than objects; code that reads or writes a cell names it all the same.
 */

import type { Row, SqlValue } from './statement.ts';
import { asIs, type Codec, columnName } from './table.ts';

/** JSON. */
export type Cell = string | number | boolean | null | Cells;
export type Cells = readonly Cell[];

type PackedColumns = Readonly<Record<string, Codec<Cell>>>;

/** A packed row by the names of its declaration. */
type NamedCells<Declared extends PackedColumns> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Codec<infer Value> ? Value : never;
};

interface Packed<Source, Extra, Declared extends PackedColumns> {
  readonly names: readonly string[];
  readonly columns: readonly string[];
  /** Of each column. */
  readonly types: readonly Codec<unknown>['type'][];
  /** The columns, for a SELECT or an INSERT. */
  readonly list: string;
  pack(source: Source, extra: Extra): Cells;
  get<Name extends keyof Declared & string>(cells: Cells, name: Name): NamedCells<Declared>[Name];
  named(cells: Cells): NamedCells<Declared>;
  /** The cells of a row that has no source. */
  cells(named: NamedCells<Declared>): Cells;
  /** Appends what is bound: one list serves a statement of several rows. */
  bind(values: SqlValue[], cells: Cells): void;
  /** The columns of `list` as either engine returns them. */
  read(result: Row): Cells;
}

/** A column that may be NULL. */
export function nullable<Value extends Cell>({ type, bind, read }: Codec<Value>): Codec<Value | null> {
  return {
    type,
    bind:
      bind === asIs ? (asIs as Codec<Value | null>['bind']) : (value) => (value === null ? null : bind(value as Value)),
    read: (value) => (value === null ? null : read(value)),
  };
}

/** A cell that travels with the others and is no column. */
export const carried = <Value extends Cell>(): Codec<Value> => ({
  type: 'TEXT',
  bind: () => null,
  read: (value) => value as Value,
});

/**
 * A function that names each property, as if written by hand: on the path of every request it takes a third of the time of
 * `Object.values`. The names are those of declarations in this code, never input.
 */
function cellReader(names: readonly string[]): (row: object) => Cells {
  return new Function('row', `return [${names.map((name) => `row.${name}`).join(', ')}]`) as (row: object) => Cells;
}

/**
 * Declares the columns, and the row that is made of a source. `Extra` is what a source does not know of itself. Codecs are compiled into arrays here, once.
 */
export function packed<Source, Extra, Declared extends PackedColumns>(
  declared: Declared,
  rowOf: (source: Source, extra: Extra) => NamedCells<Declared>,
): Packed<Source, Extra, Declared> {
  const names = Object.keys(declared);
  const width = names.length;
  const columns = names.map(columnName);
  const codecs = Object.values(declared);
  const readers = codecs.map((codec) => codec.read.bind(codec));
  const binders = codecs.map((codec) => (codec.bind === asIs ? undefined : codec.bind.bind(codec)));
  const places: Readonly<Record<string, number>> = Object.fromEntries(names.map((name, at) => [name, at]));
  const cellsOf = cellReader(names);

  return {
    names,
    columns,
    types: codecs.map(({ type }) => type),
    list: columns.join(', '),
    pack: (source, extra) => cellsOf(rowOf(source, extra)),
    get: (cells, name) => cells[places[name] ?? -1] as NamedCells<Declared>[typeof name],
    named: (cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])) as NamedCells<Declared>,
    cells: (named) => names.map((name) => (named as Readonly<Record<string, Cell>>)[name] ?? null),
    bind(values, cells) {
      for (let at = 0; at < width; at += 1) {
        const bind = binders[at];
        const cell = cells[at] ?? null;
        values.push(bind === undefined ? (cell as SqlValue) : bind(cell));
      }
    },
    read: (result) => readers.map((read, at) => read(result[at] ?? null)),
  };
}
