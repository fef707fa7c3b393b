/**
 * What a server really takes of a format that it copied from another vendor. Such servers answer 200 and drop the rest in
 * silence, so a request that uses more is translated to a format that has it, or what is dropped is named.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Loss } from '../../conversation/parts.ts';

/**
 * `true`: whatever it is. `false`: dropped. A list: these values alone. A table: the fields of an object, or of each object
 * of a list; other values in their place are the short form of one.
 */
type Taken = boolean | readonly (string | number | boolean)[] | TakenFields;

/** `*` is the row of every field that has none; without it such a field is dropped. */
export interface TakenFields {
  readonly [name: string]: Taken;
}

export interface CopiedFormat {
  readonly takes: TakenFields;
  /** Where it was read or tried. */
  readonly source: string;
  /** The day of it: `2026-11-20`. */
  readonly checked: string;
}

/** More names do not tell more. */
const namedMax = 20;

/** What of the request the server would drop: paths without numbers, each once. */
export function droppedBy({ takes }: CopiedFormat, tree: Tree): readonly Loss[] {
  const paths = new Set<string>();
  collect(tree, takes, '', paths);
  return [...paths].map((what) => ({ what, why: 'is dropped by this server in its copy of the format' }));
}

function collect(tree: Tree, takes: TakenFields, path: string, into: Set<string>): void {
  for (const name in tree) {
    const value = tree[name];
    if (value === undefined || value === null) continue;
    const taken = Object.hasOwn(takes, name) ? takes[name] : takes['*'];
    if (taken === true) continue;
    judge(value, taken ?? false, path === '' ? name : `${path}.${name}`, into);
    if (into.size >= namedMax) return;
  }
}

function judge(value: unknown, taken: Taken, path: string, into: Set<string>): void {
  if (taken === true) return;
  if (Array.isArray(value)) {
    // An empty list asks for nothing.
    for (const each of value) judge(each, taken, path, into);
  } else if (taken === false) into.add(path);
  else if (isList(taken)) {
    if (!taken.some((one) => one === value)) into.add(typeof value === 'object' ? path : `${path} ${String(value)}`);
  } else if (isObject(value)) collect(value, taken, path, into);
}

function isList(taken: Taken): taken is readonly (string | number | boolean)[] {
  return Array.isArray(taken);
}
