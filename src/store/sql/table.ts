/** One declaration for each table: column lists, parameters and row readers of every statement follow from it. */

import type { Money, Row, SqlValue } from './statement.ts';
import { storableName, storableText } from './storable-text.ts';

/** How one column is bound and read. Values are JSON, because rows cross to the database's thread as text. */
export interface Codec<Value> {
  /** Of the column, in both engines. */
  readonly type: 'TEXT' | 'BIGINT';
  bind(value: Value): SqlValue;
  /** Both engines return integers as bigint. */
  read(value: SqlValue): Value;
}

/** A column that may be NULL: its property is absent then. */
interface OptionalCodec<Value> extends Codec<Value> {
  readonly isOptional: true;
}

/** What needs no conversion to be bound. */
export const asIs = <Value>(value: Value): Value => value;

export const text: Codec<string> = { type: 'TEXT', bind: asIs, read: (value) => String(value ?? '') };
/** A text that has only values of Weir's own. */
export const textOf = <Word extends string>(): Codec<Word> => text as unknown as Codec<Word>;
export const integer: Codec<number> = { type: 'BIGINT', bind: asIs, read: (value) => Number(value ?? 0) };
/** Milliseconds, from clocks that may give fractions. */
export const time: Codec<number> = { type: 'BIGINT', bind: (value) => Math.round(value), read: integer.read };
export const flag: Codec<boolean> = {
  type: 'BIGINT',
  bind: (value) => (value ? 1 : 0),
  read: (value) => Number(value ?? 0) === 1,
};
/** Nano-USD; read as digits. */
export const money: Codec<Money> = {
  type: 'BIGINT',
  bind: (value) => BigInt(value),
  read: (value) => String(value ?? 0),
};

/** A name from a caller or a provider: cut to a length, and storable in both engines. */
export const name: Codec<string> = { type: 'TEXT', bind: storableName, read: text.read };
/** Any other text from a caller or a provider. */
export const freeText: Codec<string> = { type: 'TEXT', bind: storableText, read: text.read };
/** JSON writes what no text may hold as an escape, so that every object can be kept. */
export const json = <Value>(): Codec<Value> => ({
  type: 'TEXT',
  bind: (value) => JSON.stringify(value),
  read: (value) => JSON.parse(String(value)) as Value,
});

export function optional<Value>({ type, bind, read }: Codec<Value>): OptionalCodec<Value> {
  return { isOptional: true, type, bind, read };
}

type Columns = Readonly<Record<string, Codec<unknown>>>;

type ValueOf<Column> = Column extends Codec<infer Value> ? Value : never;
type OptionalName<Declared extends Columns> = {
  [Name in keyof Declared]: Declared[Name] extends OptionalCodec<unknown> ? Name : never;
}[keyof Declared];

/** A row by the names of its declaration. */
type RowOf<Declared extends Columns> = {
  readonly [Name in Exclude<keyof Declared, OptionalName<Declared>>]: ValueOf<Declared[Name]>;
} & { readonly [Name in OptionalName<Declared>]?: ValueOf<Declared[Name]> };

/** The same to be written: an absent value may be undefined. */
type NewRowOf<Declared extends Columns> = {
  readonly [Name in Exclude<keyof Declared, OptionalName<Declared>>]: ValueOf<Declared[Name]>;
} & { readonly [Name in OptionalName<Declared>]?: ValueOf<Declared[Name]> | undefined };

/** The row that a table or a selection reads. */
export type RowIn<Given extends { read(result: Row): unknown }> = ReturnType<Given['read']>;
export type NewRowIn<Given> = Given extends Table<infer Declared> ? NewRowOf<Declared> : never;

interface Table<Declared extends Columns> {
  readonly name: string;
  readonly columns: Declared;
  /** The columns, for a SELECT or an INSERT. */
  readonly list: string;
  /** The same with a prefix, for a join. */
  listOf(prefix: string): string;
  readonly width: number;
  /** As many `$n` as there are columns. */
  places(first?: number): string;
  /** `INSERT INTO … VALUES …` of one row; its values are those of `values`. */
  readonly insert: string;
  /** The same, which replaces the row that has these columns already. */
  upsert(...keys: readonly (keyof Declared & string)[]): string;
  /** `a = $3, b = $4`, for an UPDATE. */
  assignments(first: number): string;
  /** In the order of `list`. */
  values(row: NewRowOf<Declared>): SqlValue[];
  /** Reads the columns of `list`, which begin at this place of a result. */
  read(result: Row, first?: number): RowOf<Declared>;
  /** Only some of the columns, in this order. */
  pick<Name extends keyof Declared & string>(...names: readonly Name[]): Table<Pick<Declared, Name>>;
}

/** `createdAtMs` is the column `created_at_ms`. */
export const columnName = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `$3, $4, $5`. */
export const placesFrom = (first: number, size: number): string =>
  Array.from({ length: size }, (_, at) => `$${first + at}`).join(', ');

/** Reads columns that follow each other in a result into a row by their names. */
function readerOf(properties: readonly string[], codecs: readonly Codec<unknown>[]) {
  const isOptional = codecs.map((codec) => 'isOptional' in codec);
  return (result: Row, first = 0): Record<string, unknown> => {
    const row: Record<string, unknown> = {};
    for (const [at, codec] of codecs.entries()) {
      const value = result[first + at] ?? null;
      if (value !== null || isOptional[at] !== true) row[properties[at] ?? ''] = codec.read(value);
    }
    return row;
  };
}

export function table<Declared extends Columns>(tableName: string, declared: Declared): Table<Declared> {
  const properties = Object.keys(declared);
  const columns = properties.map(columnName);
  const codecs = Object.values(declared);
  const read = readerOf(properties, codecs);
  const insert = `INSERT INTO ${tableName} (${columns.join(', ')}) VALUES (${placesFrom(1, columns.length)})`;
  return {
    name: tableName,
    columns: declared,
    list: columns.join(', '),
    listOf: (prefix) => columns.map((column) => `${prefix}.${column}`).join(', '),
    width: columns.length,
    places: (first = 1) => placesFrom(first, columns.length),
    insert,
    upsert(...keys) {
      const keyColumns = keys.map(columnName);
      const others = columns.filter((column) => !keyColumns.includes(column));
      const changes = others.map((column) => `${column} = excluded.${column}`);
      return `${insert} ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET ${changes.join(', ')}`;
    },
    assignments: (first) => columns.map((column, at) => `${column} = $${first + at}`).join(', '),
    values(row) {
      const given = row as Readonly<Record<string, unknown>>;
      return codecs.map((codec, at) => {
        const value = given[properties[at] ?? ''];
        return value === undefined ? null : codec.bind(value);
      });
    },
    read: (result, first) => read(result, first) as RowOf<Declared>,
    pick: (...names) =>
      table(
        tableName,
        Object.fromEntries(names.map((each) => [each, declared[each]])) as Pick<Declared, (typeof names)[number]>,
      ),
  };
}

type Selected = Readonly<Record<string, readonly [sql: string, codec: Codec<unknown>]>>;
type CodecsOf<Declared extends Selected> = { readonly [Name in keyof Declared]: Declared[Name][1] };

interface Selection<Found> {
  /** The expressions, for a SELECT. */
  readonly list: string;
  readonly width: number;
  read(result: Row, first?: number): Found;
}

/** What a SELECT computes: an expression and a codec for each name. */
export function selection<Declared extends Selected>(declared: Declared): Selection<RowOf<CodecsOf<Declared>>> {
  const expressions = Object.values(declared).map(([sql]) => sql);
  const read = readerOf(
    Object.keys(declared),
    Object.values(declared).map(([, codec]) => codec),
  );
  return {
    list: expressions.join(', '),
    width: expressions.length,
    read: (result, first) => read(result, first) as RowOf<CodecsOf<Declared>>,
  };
}
