/** Filters of SCIM (RFC 7644 section 3.4.2.2): read from text, and applied to resources as JSON. Pure. */

import { ScimError } from './scim-error.ts';

export type Resource = Readonly<Record<string, unknown>>;

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Comparison = (typeof comparisons)[number];

export type Filter =
  | { readonly kind: 'compare'; readonly path: string; readonly by: Comparison; readonly value: unknown }
  | { readonly kind: 'present'; readonly path: string }
  | { readonly kind: 'within'; readonly path: string; readonly filter: Filter; readonly sub: string | undefined }
  | { readonly kind: 'and' | 'or'; readonly all: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter };

const lengthMax = 2_000;
const depthMax = 20;
const lexeme = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

const fault = (detail: string): ScimError => new ScimError(400, detail, 'invalidFilter');

function lexemesOf(text: string): string[] {
  if (text.length > lengthMax) throw fault(`The filter has more than ${lengthMax} characters.`);
  const found: string[] = [];
  lexeme.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = lexeme.lastIndex) {
    const match = lexeme.exec(text);
    if (match === null) throw fault('The filter has a text without an end.');
    found.push(match[0].trimStart());
  }
  return found;
}

/** `and` binds more than `or`. */
export function readFilter(text: string): Filter {
  const words = lexemesOf(text);
  let at = 0;
  const next = (): string => {
    const word = words[at++];
    if (word === undefined) throw fault('The filter ends too early.');
    return word;
  };
  const isNext = (word: string): boolean => words[at]?.toLowerCase() === word;

  const either = (depth: number): Filter => chain('or', depth, () => chain('and', depth, () => single(depth)));
  function chain(kind: 'and' | 'or', depth: number, part: () => Filter): Filter {
    if (depth > depthMax) throw fault('The filter nests too deeply.');
    const all = [part()];
    while (isNext(kind)) {
      at++;
      all.push(part());
    }
    const [only] = all;
    return all.length === 1 && only !== undefined ? only : { kind, all };
  }
  function group(depth: number, end: ')' | ']'): Filter {
    const inner = either(depth + 1);
    if (next() !== end) throw fault(`The filter misses a ${end}.`);
    return inner;
  }
  function single(depth: number): Filter {
    const word = next();
    if (word === '(') return group(depth, ')');
    if (word.toLowerCase() === 'not' && isNext('(')) {
      at++;
      return { kind: 'not', filter: group(depth, ')') };
    }
    if (!attributeShape.test(word)) throw fault(`The filter has ${word.slice(0, 50)} in the place of an attribute.`);
    const path = withoutCoreSchema(word);
    return isNext('[') ? within(path, depth) : comparison(path);
  }
  function within(path: string, depth: number): Filter {
    at++;
    const filter = group(depth, ']');
    const sub = words[at]?.startsWith('.') === true ? next().slice(1) : undefined;
    if (sub === undefined) return { kind: 'within', path, filter, sub };
    const { by, value } = comparisonBy();
    return {
      kind: 'within',
      path,
      filter: { kind: 'and', all: [filter, { kind: 'compare', path: sub, by, value }] },
      sub,
    };
  }
  function comparisonBy(): { by: Comparison; value: unknown } {
    const by = next().toLowerCase() as Comparison;
    if (!comparisons.includes(by)) throw fault(`${by.slice(0, 20)} is not an operator of filters.`);
    return { by, value: literal(next()) };
  }
  function comparison(path: string): Filter {
    if (!isNext('pr')) return { kind: 'compare', path, ...comparisonBy() };
    at++;
    return { kind: 'present', path };
  }

  const filter = either(0);
  if (at < words.length) throw fault(`The filter does not end at ${words[at]?.slice(0, 50)}.`);
  return filter;
}

/** A name, with a sub-attribute, or behind the URN of a schema. */
export const attributeShape = /^(?:urn:[\w.:-]+:)?\$?[A-Za-z][\w$-]*(?:\.\$?[A-Za-z][\w$-]*)?$/i;

const coreSchemas = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
export const withoutCoreSchema = (path: string): string => path.replace(coreSchemas, '');

function literal(word: string): unknown {
  try {
    return JSON.parse(word) as unknown;
  } catch {
    // True and False are also sent with capitals.
    const lower = word.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    throw fault(`${word.slice(0, 50)} is not a value. Texts need double quotes.`);
  }
}

/** Names of attributes do not differ by case. */
export function keyIn(resource: object, name: string): string | undefined {
  if (Object.hasOwn(resource, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(resource).find((key) => key.toLowerCase() === lower);
}

export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function attribute(resource: Resource, name: string): unknown {
  const key = keyIn(resource, name);
  return key === undefined ? undefined : resource[key];
}

/** Every value at a path: of a list, those of its entries. */
function valuesAt(resource: Resource, path: string): readonly unknown[] {
  const schemaEnd = /^urn:/i.test(path) ? path.lastIndexOf(':') : -1;
  const inside = schemaEnd === -1 ? resource : attribute(resource, path.slice(0, schemaEnd));
  let values: readonly unknown[] = [inside];
  for (const name of path.slice(schemaEnd + 1).split('.')) {
    values = values
      .flatMap((value) => (isObject(value) ? [attribute(value, name)] : []))
      .flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
  }
  return values.filter((value) => value !== undefined && value !== null);
}

/** These differ by case; all other texts do not. */
const exactPaths: ReadonlySet<string> = new Set(['id', 'externalid', 'members.value', 'groups.value']);

/** Which of the resources that match are wanted. */
export interface Wanted {
  readonly filter: Filter | undefined;
  /** Of the first, counted from 0. */
  readonly from: number;
  readonly count: number;
}

export interface Listed {
  readonly total: number;
  readonly items: readonly Resource[];
}

/** `finish` adds what only the resources that are shown need. */
export async function listed<Item>(
  items: readonly Item[],
  { filter, from, count }: Wanted,
  resourceOf: (item: Item) => Resource,
  finish: (item: Item) => Promise<Resource>,
): Promise<Listed> {
  const found = filter === undefined ? items : items.filter((item) => matches(filter, resourceOf(item)));
  return { total: found.length, items: await Promise.all(found.slice(from, from + count).map(finish)) };
}

export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.all.every((each) => matches(each, resource));
    case 'or':
      return filter.all.some((each) => matches(each, resource));
    case 'not':
      return !matches(filter.filter, resource);
    case 'present':
      return valuesAt(resource, filter.path).some((value) => value !== '');
    case 'within':
      return valuesAt(resource, filter.path).some((value) => isObject(value) && matches(filter.filter, value));
    case 'compare': {
      const { path, by, value } = filter;
      const isExact = exactPaths.has(path.toLowerCase());
      const found = valuesAt(resource, path).map((each) => (isObject(each) ? attribute(each, 'value') : each));
      if (by === 'ne') return !found.some((each) => compares('eq', each, value, isExact));
      return found.some((each) => compares(by, each, value, isExact));
    }
  }
}

function compares(by: Comparison, given: unknown, wanted: unknown, isExact: boolean): boolean {
  if (typeof given !== 'string' || typeof wanted !== 'string') return by === 'eq' && given === wanted;
  const [left, right] = isExact ? [given, wanted] : [given.toLowerCase(), wanted.toLowerCase()];
  switch (by) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
}
