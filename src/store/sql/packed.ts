/**
 * Rows on the path of every request. They travel as arrays of cells in the order of their declaration, which is shorter to write and
 * to parse than objects; code that reads or writes a cell names it all the same.
 */

import type { Row, SqlValue } from './statement.ts';
import { asIs, type Codec, columnName } from './table.ts';

/** JSON. */
export type Cell = string | number | boolean | null | Cells;
export type Cells = readonly Cell[];

/** A column, and where its source has the value. `Extra` is what the source does not know of itself. */
export interface PackedColumn<Source, Extra, Value extends Cell> {
  readonly codec: Codec<Value>;
  readonly of: (source: Source, extra: Extra) => Value;
}

export type PackedColumns<Source, Extra> = Readonly<Record<string, PackedColumn<Source, Extra, Cell>>>;

export type CellOf<Column> = Column extends { readonly codec: Codec<infer Value> } ? Value : never;

export interface Packed<Source, Extra, Declared> {
  readonly names: readonly string[];
  readonly columns: readonly string[];
  /** The columns, for a SELECT or an INSERT. */
  readonly list: string;
  pack(source: Source, extra: Extra): Cells;
  get<Name extends keyof Declared & string>(cells: Cells, name: Name): CellOf<Declared[Name]>;
  named(cells: Cells): { readonly [Name in keyof Declared]: CellOf<Declared[Name]> };
  /** The cells of a row that has no source. */
  cells(named: { readonly [Name in keyof Declared]: CellOf<Declared[Name]> }): Cells;
  /** Appends what is bound: one list serves a statement of several rows. */
  bind(values: SqlValue[], cells: Cells): void;
  /** The columns of `list` as either engine returns them. */
  read(result: Row): Cells;
}

export const column = <Source, Extra, Value extends Cell>(
  codec: Codec<Value>,
  of: (source: Source, extra: Extra) => Value,
): PackedColumn<Source, Extra, Value> => ({ codec, of });

/** A column that may be NULL. */
export function nullable<Value extends Cell>({ bind, read }: Codec<Value>): Codec<Value | null> {
  return {
    bind:
      bind === asIs ? (asIs as Codec<Value | null>['bind']) : (value) => (value === null ? null : bind(value as Value)),
    read: (value) => (value === null ? null : read(value)),
  };
}

/** A cell that travels with the others and is no column. */
export const carried = <Value extends Cell>(): Codec<Value> => ({ bind: () => null, read: (value) => value as Value });

/** Codecs are compiled into arrays here, once: a row costs one call for each cell and no look-up by name. */
export const packed =
  <Source, Extra = undefined>() =>
  <Declared extends PackedColumns<Source, Extra>>(declared: Declared): Packed<Source, Extra, Declared> => {
    const names = Object.keys(declared);
    const width = names.length;
    const columns = names.map(columnName);
    const declarations = Object.values(declared);
    const sources = declarations.map(({ of }) => of);
    const readers = declarations.map(({ codec }) => codec.read.bind(codec));
    const binders = declarations.map(({ codec }) => (codec.bind === asIs ? undefined : codec.bind.bind(codec)));
    const places: Readonly<Record<string, number>> = Object.fromEntries(names.map((name, at) => [name, at]));
    type Named = { readonly [Name in keyof Declared]: CellOf<Declared[Name]> };
    return {
      names,
      columns,
      list: columns.join(', '),
      pack: (source, extra) => sources.map((of) => of(source, extra)),
      get: (cells, name) => cells[places[name] ?? -1] as CellOf<Declared[typeof name]>,
      named: (cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])) as Named,
      cells: (named) => names.map((name) => named[name] as Cell),
      bind(values, cells) {
        for (let at = 0; at < width; at += 1) {
          const bind = binders[at];
          const cell = cells[at] ?? null;
          values.push(bind === undefined ? (cell as SqlValue) : bind(cell));
        }
      },
      read: (result) => readers.map((read, at) => read(result[at] ?? null)),
    };
  };
