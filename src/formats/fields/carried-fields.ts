/** Which fields of an object the neutral conversation has, as the tables of fields say it beside what the fields can do. */

import type { Tree } from '../../conversation/json-tree.ts';
import { type Carried, type CarriedFields, carried, type FieldTable } from './field-table.ts';

type FieldTables = Readonly<Record<string, FieldTable>>;

interface Others {
  /** Tables of fields that the format's own table has none for: they are opaque to it. */
  readonly inside?: FieldTables;
  readonly keepsOthers?: boolean;
  readonly counts?: boolean;
}

/** These fields, of every object that the table is about. */
export function carries(names: string, { inside = {}, keepsOthers = false, counts = false }: Others = {}): Carried {
  let fields: CarriedFields | undefined;
  return (table) => {
    fields ??= { rows: rowsOf(table, names, inside), keepsOthers, counts, latest: [] };
    return fields;
  };
}

/** The fields of objects that are of several kinds; an object of no kind that is listed stays whole. */
export function carriesByKind(
  kindOf: (object: Tree) => unknown,
  names: Readonly<Record<string, string>>,
  { inside = {}, keepsOthers = false }: Others = {},
): Carried {
  let kinds: Record<string, CarriedFields> | undefined;
  return (table, object) => {
    const kind = kindOf(object);
    if (typeof kind !== 'string') return undefined;
    if (kinds === undefined) {
      kinds = Object.create(null) as Record<string, CarriedFields>;
      for (const [name, listed] of Object.entries(names)) {
        kinds[name] = { rows: rowsOf(table, listed, inside), keepsOthers, latest: [] };
      }
    }
    return kinds[kind];
  };
}

/** What is kept as it is, whatever is in it. */
export const keptWhole: FieldTable = { [carried]: () => undefined };

/** Of tables that do not say it: all their rows. */
const wholeTables = new WeakMap<FieldTable, CarriedFields>();

export function carriedIn(table: FieldTable, object: Tree): CarriedFields | undefined {
  const said = table[carried];
  if (said !== undefined) return said(table, object);
  const known = wholeTables.get(table);
  if (known !== undefined) return known;
  const fields = { rows: rowsOf(table, Object.keys(table).join(' '), {}), keepsOthers: false, latest: [] };
  wholeTables.set(table, fields);
  return fields;
}

const noObject: Tree = {};

/** The fields of a request, or of a reply, that a reader need not keep for its own format. */
export function readFields(table: FieldTable): ReadonlySet<string> {
  return new Set(Object.keys(carriedIn(table, noObject)?.rows ?? {}));
}

/** An object: a walk looks up every field of a request in one, which takes half as long as in a map. */
function rowsOf(table: FieldTable, names: string, inside: FieldTables): CarriedFields['rows'] {
  const rows: Record<string, FieldTable | false> = Object.create(null);
  for (const name of names.split(' ')) {
    const row = Object.hasOwn(inside, name) ? inside[name] : Object.hasOwn(table, name) ? table[name] : undefined;
    rows[name] = typeof row === 'object' ? row : false;
  }
  return rows;
}
