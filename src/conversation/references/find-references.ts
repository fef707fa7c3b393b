/**
 * Finds what a request refers to by id or URL. The whole body is searched by field names, so that a field that moves or
 * is added later is found as well; only what belongs to the application (schemas, arguments, metadata) is skipped.
 */

import type { Tree } from '../json-tree.ts';
import type { Outbound, Reference, ReferenceKind, References } from './references.ts';

type Path = readonly (string | number)[];

export interface ReferenceRules {
  /** Fields that hold an id, a list of ids, or an object with an `id`. */
  readonly ids: ReadonlyMap<string, ReferenceKind>;
  /** Fields whose content belongs to the application: it is not searched. */
  readonly opaque: ReadonlySet<string>;
  /** Fields that hold a server's URL or a connector's name. */
  readonly outbound: ReadonlySet<string>;
  /** Is the field used in the meaning that its name has in these rules? Absent: every field of the name counts. */
  means?(field: string, value: unknown, path: Path): boolean;
  /** An object that refers to something as a whole. */
  refers?(object: Tree, path: Path): ReferenceKind | undefined;
}

/** A request that names more is searched no further: one lookup each would be too much work for the database. */
export const referencesMax = 1_000;

/** What the rules say of one field: one lookup for each field of a body. */
interface FieldRule {
  readonly kind: ReferenceKind | undefined;
  readonly isOutbound: boolean;
  readonly isOpaque: boolean;
}

function fieldRules({ ids, outbound, opaque }: ReferenceRules): ReadonlyMap<string, FieldRule> {
  const names = new Set([...ids.keys(), ...outbound, ...opaque]);
  return new Map(
    Array.from(names, (name) => [
      name,
      { kind: ids.get(name), isOutbound: outbound.has(name), isOpaque: opaque.has(name) },
    ]),
  );
}

/** Finds what a body names by these rules; undefined where that is nothing. */
export function referenceFinder(rules: ReferenceRules): (tree: Tree) => References | undefined {
  const fields = fieldRules(rules);
  return (tree) => {
    const search = new Search(rules, fields);
    search.object(tree);
    return search.found;
  };
}

class Search {
  readonly #rules: ReferenceRules;
  readonly #fields: ReadonlyMap<string, FieldRule>;
  readonly #path: (string | number)[] = [];
  #ids: Reference[] | undefined;
  #outbound: Outbound[] | undefined;

  constructor(rules: ReferenceRules, fields: ReadonlyMap<string, FieldRule>) {
    this.#rules = rules;
    this.#fields = fields;
  }

  get found(): References | undefined {
    if (this.#ids === undefined && this.#outbound === undefined) return undefined;
    return { ids: this.#ids ?? [], outbound: this.#outbound ?? [] };
  }

  object(object: Tree): void {
    const { refers } = this.#rules;
    const whole = refers?.(object, this.#path);
    if (whole !== undefined) this.#add(whole, object['id']);
    for (const field in object) {
      const value = object[field];
      if (typeof value === 'string') {
        const rule = this.#fields.get(field);
        if (rule !== undefined) this.#field(rule, field, value);
      } else if (typeof value === 'object' && value !== null) {
        const rule = this.#fields.get(field);
        if (rule?.isOpaque === true) continue;
        if (rule !== undefined) this.#field(rule, field, value);
        this.#path.push(field);
        this.#inside(value);
        this.#path.pop();
      }
    }
  }

  #inside(value: object): void {
    if (!Array.isArray(value)) {
      this.object(value as Tree);
      return;
    }
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (typeof each !== 'object' || each === null) continue;
      this.#path.push(index);
      this.#inside(each);
      this.#path.pop();
    }
  }

  #field({ kind, isOutbound }: FieldRule, field: string, value: unknown): void {
    if (kind === undefined && !isOutbound) return;
    if (this.#rules.means?.(field, value, this.#path) === false) return;
    this.#path.push(field);
    if (kind !== undefined) this.#take(kind, value);
    else if (typeof value === 'string') {
      this.#outbound ??= [];
      if (this.#outbound.length < referencesMax) this.#outbound.push({ target: value, param: this.#param });
    }
    this.#path.pop();
  }

  #take(kind: ReferenceKind, value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#add(kind, each);
    else if (typeof value === 'object' && value !== null) this.#add(kind, (value as Tree)['id']);
    else this.#add(kind, value);
  }

  #add(kind: ReferenceKind, id: unknown): void {
    if (typeof id !== 'string' || id === '') return;
    this.#ids ??= [];
    if (this.#ids.length <= referencesMax) this.#ids.push({ kind, id, param: this.#param });
  }

  get #param(): string {
    return this.#path.reduce<string>(
      (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
      '',
    );
  }
}
