/** Inlines the references of a request's schemas: each schema once, all of them together within one count of added nodes. */

import { isObject } from '../json-tree.ts';
import type { JsonSchema } from '../text-request.ts';
import { mapSubschemas } from './positions.ts';

type SchemaObject = Exclude<JsonSchema, boolean>;

/**
 * Nodes that inlining may add to those that were sent, in all schemas of a request together. References within references
 * double at every step; what is merely long adds nothing.
 */
export const addedNodesMax = 10_000;
/** So much text counts as a node: a long description is printed again wherever it is inlined. */
const charactersPerNode = 64;
const nestedReferencesMax = 100;
/** Most references have a description beside them, and their targets a few keywords. */
const mergedKeywordsFree = 8;
const depthMax = 512;
const pointerCharactersMax = 2_048;
/** Of all pointers of a request, each as often as it is followed. */
const followedCharactersMax = 2_000_000;

export interface InlinedSchema {
  readonly schema: JsonSchema;
  /** A reference is recursive or beyond the limits and was not inlined; it accepts any value of its type. */
  readonly isCut: boolean;
}

interface Count {
  added: number;
  followed: number;
}

/** Shared by everything that is written for one request, to whichever target. */
export class InlinedSchemas {
  readonly #known = new Map<SchemaObject, InlinedSchema>();
  readonly #count: Count = { added: 0, followed: 0 };

  /** Nodes that were added so far. */
  get added(): number {
    return this.#count.added;
  }

  /** Every reference into the schema itself is inlined. References to other documents, or to nothing, stay as they are. */
  of(schema: JsonSchema): InlinedSchema {
    if (typeof schema === 'boolean') return { schema, isCut: false };
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const inlining = new Inlining(schema, this.#count);
    const inlined = { schema: inlining.inlined(schema), isCut: inlining.isCut };
    this.#known.set(schema, inlined);
    return inlined;
  }
}

class Inlining {
  isCut = false;
  readonly #root: SchemaObject;
  readonly #count: Count;
  /** What is being inlined, outermost first. By itself and not by its reference, which has many spellings. */
  readonly #within: Set<JsonSchema>;
  #depth = 0;
  readonly #targets = new Map<string, JsonSchema>();
  readonly #sizes = new Map<object, number>();
  readonly #keywords = new Map<object, number>();
  /** The document's definitions that were not inlined yet: the first time they only move. */
  readonly #unmoved: Set<unknown>;

  constructor(root: SchemaObject, count: Count) {
    this.#root = root;
    this.#within = new Set([root]);
    this.#unmoved = new Set(
      [root['$defs'], root['definitions']].flatMap((all) => (isObject(all) ? Object.values(all) : [])),
    );
    this.#count = count;
  }

  inlined(schema: JsonSchema): JsonSchema {
    if (typeof schema === 'boolean') return schema;
    if (this.#depth >= depthMax) return this.#widened(schema);
    this.#depth += 1;
    const inlined = this.#inlinedObject(schema);
    this.#depth -= 1;
    return inlined;
  }

  #inlinedObject(schema: SchemaObject): JsonSchema {
    const { $ref: reference } = schema;
    const own = withoutDefinitions(schema);
    if (typeof reference !== 'string') return mapSubschemas(own, (inner) => this.inlined(inner));
    if (!this.#mayFollow(reference)) return {};
    const target = this.#targetOf(reference);
    if (target === undefined) return mapSubschemas(own, (inner) => this.inlined(inner));
    const expanded = this.#expanded(target);
    if (isAlone(own)) return expanded;
    const { $ref: _, ...rest } = own;
    return this.#merged(expanded, mapSubschemas(rest, (inner) => this.inlined(inner)) as SchemaObject);
  }

  /** Beyond the bound a reference accepts anything. */
  #mayFollow(reference: string): boolean {
    this.#count.followed += reference.length;
    if (this.#count.followed <= followedCharactersMax) return true;
    this.isCut = true;
    return false;
  }

  #expanded(target: JsonSchema): JsonSchema {
    if (typeof target === 'boolean') return target;
    const isNested = this.#within.has(target) || this.#within.size > nestedReferencesMax;
    if (isNested || !this.#affords(target)) return this.#widened(target);
    this.#within.add(target);
    const expanded = this.inlined(target);
    this.#within.delete(target);
    return expanded;
  }

  /** A definition that is used once is as large as before. */
  #affords(target: SchemaObject): boolean {
    if (this.#unmoved.delete(target)) return true;
    return this.#count.added < addedNodesMax && this.#spend(this.#sizeOf(target));
  }

  #spend(nodes: number): boolean {
    if (this.#count.added + nodes > addedNodesMax) return false;
    this.#count.added += nodes;
    return true;
  }

  /** Everything that it holds, measured once. */
  #sizeOf(value: unknown): number {
    if (typeof value === 'string') return 1 + value.length / charactersPerNode;
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    if (Array.isArray(value)) for (const item of value) size += this.#sizeOf(item);
    else
      for (const [name, inner] of Object.entries(value)) size += name.length / charactersPerNode + this.#sizeOf(inner);
    this.#sizes.set(value, size);
    return size;
  }

  /** Accepts at least everything that the schema accepts. */
  #widened(schema: SchemaObject): JsonSchema {
    this.isCut = true;
    const { type, title, description } = schema;
    const widened: Record<string, unknown> = isPlainType(type) ? { type } : {};
    for (const [name, text] of [['title', title] as const, ['description', description] as const])
      if (typeof text === 'string' && this.#spend(this.#sizeOf(text))) widened[name] = text;
    return widened;
  }

  /** What a JSON pointer within the document points at, as RFC 6901 spells it in a URI fragment. */
  #targetOf(reference: string): JsonSchema | undefined {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    const target = targetOf(this.#root, reference);
    if (target !== undefined) this.#targets.set(reference, target);
    return target;
  }

  /** The keywords beside a reference apply as well: what both sides constrain is kept apart in `allOf`. */
  #merged(target: JsonSchema, siblings: SchemaObject): JsonSchema {
    const entries = Object.entries(siblings);
    if (entries.length === 0 || target === false) return target;
    if (target === true) return siblings;
    if (!this.#spend(Math.max(0, this.#keywordsOf(target) - mergedKeywordsFree))) {
      this.isCut = true;
      return target;
    }
    const result = new Map<string, unknown>(Object.entries(target));
    const clashing: [string, unknown][] = [];
    for (const [keyword, value] of entries) {
      if (annotations.has(keyword) || !result.has(keyword)) {
        result.set(keyword, value);
        continue;
      }
      const both = this.#joined(keyword, result.get(keyword), value);
      if (both === undefined) clashing.push([keyword, value]);
      else result.set(keyword, both);
    }
    if (clashing.length > 0) {
      const apart = [Object.fromEntries(clashing)];
      const others = result.get('allOf');
      result.set('allOf', Array.isArray(others) ? (this.#union(others, apart) ?? others) : apart);
    }
    return Object.fromEntries(result);
  }

  #keywordsOf(schema: SchemaObject): number {
    const known = this.#keywords.get(schema) ?? Object.keys(schema).length;
    this.#keywords.set(schema, known);
    return known;
  }

  /** Both constraints as one, where that is plain. */
  #joined(keyword: string, one: unknown, other: unknown): unknown {
    if (one === other) return one;
    if ((keyword === 'required' || keyword === 'allOf') && Array.isArray(one) && Array.isArray(other)) {
      return this.#union(one, other);
    }
    if (keyword === 'properties' && isObject(one) && isObject(other)) {
      if (Object.keys(other).some((name) => Object.hasOwn(one, name))) return undefined;
      return this.#spend(Object.keys(one).length) ? { ...one, ...other } : undefined;
    }
    return undefined;
  }

  /** A chain of references copies a long list at each of its links: beyond the count its constraints are left out. */
  #union(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] | undefined {
    if (this.#spend(one.length)) return [...new Set([...one, ...other])];
    this.isCut = true;
    return undefined;
  }
}

/** Nothing is beside the reference. */
function isAlone(schema: SchemaObject): boolean {
  for (const keyword in schema) if (keyword !== '$ref') return false;
  return true;
}

const typesMax = 7;

function isPlainType(type: unknown): boolean {
  return typeof type === 'string' || (Array.isArray(type) && type.length <= typesMax);
}

/** Nothing refers to them any more. */
function withoutDefinitions(schema: SchemaObject): SchemaObject {
  if (!isObject(schema['$defs']) && !isObject(schema['definitions'])) return schema;
  const { $defs: _, definitions: __, ...rest } = schema;
  return rest;
}

function targetOf(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference.length > pointerCharactersMax || (reference !== '#' && !reference.startsWith('#/'))) return undefined;
  let place: unknown = root;
  for (let start = reference.indexOf('/'); start >= 0; ) {
    const end = reference.indexOf('/', start + 1);
    const name = decoded(reference.slice(start + 1, end < 0 ? undefined : end));
    start = end;
    if (typeof place !== 'object' || place === null || name === undefined || !Object.hasOwn(place, name)) {
      return undefined;
    }
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return isObject(place) || typeof place === 'boolean' ? place : undefined;
}

function decoded(step: string): string | undefined {
  if (!/[%~]/.test(step)) return step;
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** Annotates a schema without narrowing it: the annotations beside the reference are the more precise ones. */
const annotations = new Set([
  '$comment',
  '$id',
  '$schema',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);
