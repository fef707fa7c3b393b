/** Changes a body for providers that take a known format with a few fields moved to the path or a header. */

import type { Tree } from '../conversation/json-tree.ts';

export interface BodyEdits {
  /** Top-level fields that the provider refuses, because its URL has them. */
  readonly remove?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
  /** Fields that carry what elsewhere is a header: the list of its comma-separated words, unless the body has the field. */
  readonly listFromHeader?: Readonly<Record<string, string>>;
}

/** A JSON text for a field to set, `undefined` for one to leave out: what a body's bytes are edited with. */
type TextEdits = ReadonlyMap<string, string | undefined>;

type Headers = Readonly<Record<string, string>> | undefined;

/** The edits that are the same for every request, made once for each row of data. */
const constant = new WeakMap<BodyEdits, TextEdits>();

/** As edits of the body's text, for the lanes that keep its bytes. */
export function textEdits(edits: BodyEdits, tree: Tree, headers: Headers): TextEdits {
  let known = constant.get(edits);
  if (known === undefined) {
    known = new Map<string, string | undefined>([
      ...(edits.remove ?? []).map((name): [string, undefined] => [name, undefined]),
      ...Object.entries(edits.set ?? {}).map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
    ]);
    constant.set(edits, known);
  }
  const lists = headerLists(edits, tree, headers);
  if (lists.length === 0) return known;
  return new Map([...known, ...lists.map(([name, words]): [string, string] => [name, JSON.stringify(words)])]);
}

/** As a new tree that shares everything below the top level, for a body that was just written. */
export function editedTree(edits: BodyEdits, tree: Tree, headers: Headers): Tree {
  const edited: Record<string, unknown> = { ...tree, ...edits.set };
  for (const [name, words] of headerLists(edits, tree, headers)) edited[name] = words;
  for (const name of edits.remove ?? []) delete edited[name];
  return edited;
}

function headerLists(edits: BodyEdits, tree: Tree, headers: Headers): [string, string[]][] {
  if (edits.listFromHeader === undefined || headers === undefined) return [];
  return Object.entries(edits.listFromHeader).flatMap(([field, header]): [string, string[]][] => {
    const words = (headers[header] ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    return words.length === 0 || Object.hasOwn(tree, field) ? [] : [[field, words]];
  });
}
