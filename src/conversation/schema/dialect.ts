/** Narrows a JSON Schema to what a provider supports: inlines references, removes and reports unsupported keywords. */

import { isObject } from '../json-tree.ts';
import type { LossList } from '../loss-list.ts';
import type { JsonSchema } from '../text-request.ts';
import { mapSubschemas } from './positions.ts';

type SchemaObject = Exclude<JsonSchema, boolean>;

/** References within references can double at every step; no honest schema is this large when inlined. */
const expandedNodesMax = 20_000;
const nestedReferencesMax = 100;

interface InlinedSchema {
  readonly schema: JsonSchema;
  /** A reference is recursive or grows beyond the limit and was not inlined; it accepts any value of its type. */
  readonly recursive: boolean;
}

/** Inlines every reference into the schema itself. References to other documents, or to nothing, stay as they are. */
export function inlineRefs(schema: JsonSchema): InlinedSchema {
  const inlining = new Inlining(schema);
  return { schema: inlining.inlined(schema), recursive: inlining.recursive };
}

/** Removes keywords outside `allowed`, each reported by its path. Names of properties are no keywords. */
export function keepKeywords(
  schema: JsonSchema,
  allowed: ReadonlySet<string>,
  path: string,
  losses: LossList,
): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const entries = Object.entries(schema);
  const kept = entries.filter(([keyword]) => {
    if (allowed.has(keyword)) return true;
    losses.add(`${path}.${keyword}`, 'is a schema keyword that the target does not support');
    return false;
  });
  const narrowed: SchemaObject = kept.length === entries.length ? schema : Object.fromEntries(kept);
  return mapSubschemas(narrowed, path, (inner, innerPath) => keepKeywords(inner, allowed, innerPath, losses));
}

class Inlining {
  recursive = false;
  readonly #root: JsonSchema;
  /** The references that are being inlined, outermost first. */
  readonly #within = new Set<string>(['#']);
  #nodes = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  inlined(schema: JsonSchema): JsonSchema {
    if (typeof schema === 'boolean') return schema;
    this.#nodes += 1;
    const isExpansion = this.#within.size > 1;
    if (isExpansion && this.#nodes > expandedNodesMax) return this.#widened(schema);
    const { $ref: reference } = schema;
    const own = withoutDefinitions(schema);
    if (typeof reference !== 'string') return mapSubschemas(own, '', (inner) => this.inlined(inner));
    const target = targetOf(this.#root, reference);
    if (target === undefined) return mapSubschemas(own, '', (inner) => this.inlined(inner));
    const { $ref: _, ...rest } = own;
    const siblings = mapSubschemas(rest, '', (inner) => this.inlined(inner)) as SchemaObject;
    return merged(this.#expanded(reference, target), siblings);
  }

  #expanded(reference: string, target: JsonSchema): JsonSchema {
    if (this.#within.has(reference) || this.#within.size > nestedReferencesMax) return this.#widened(target);
    this.#within.add(reference);
    const expanded = this.inlined(target);
    this.#within.delete(reference);
    return expanded;
  }

  /** Accepts at least everything that the schema accepts. */
  #widened(schema: JsonSchema): JsonSchema {
    this.recursive = true;
    if (typeof schema === 'boolean') return schema;
    return Object.fromEntries(
      Object.entries(schema).filter(([name]) => ['type', 'title', 'description'].includes(name)),
    );
  }
}

/** Nothing refers to them any more. */
function withoutDefinitions(schema: SchemaObject): SchemaObject {
  if (!isObject(schema['$defs']) && !isObject(schema['definitions'])) return schema;
  const { $defs: _, definitions: __, ...rest } = schema;
  return rest;
}

/** What a JSON pointer within the document points at, as RFC 6901 spells it in a URI fragment. */
function targetOf(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decoded(step);
    if (typeof place !== 'object' || place === null || name === undefined || !Object.hasOwn(place, name)) {
      return undefined;
    }
    place = (place as Readonly<Record<string, unknown>>)[name];
  }
  return isObject(place) || typeof place === 'boolean' ? place : undefined;
}

function decoded(step: string): string | undefined {
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

/** The keywords beside a reference apply as well: what both sides constrain is kept apart in `allOf`. */
function merged(target: JsonSchema, siblings: SchemaObject): JsonSchema {
  const entries = Object.entries(siblings);
  if (entries.length === 0 || target === false) return target;
  if (target === true) return siblings;
  const result = new Map<string, unknown>(Object.entries(target));
  const clashing: [string, unknown][] = [];
  for (const [keyword, value] of entries) {
    if (annotations.has(keyword) || !result.has(keyword)) {
      result.set(keyword, value);
      continue;
    }
    const both = joined(keyword, result.get(keyword), value);
    if (both === undefined) clashing.push([keyword, value]);
    else result.set(keyword, both);
  }
  if (clashing.length > 0) {
    const others = result.get('allOf');
    result.set('allOf', [...(Array.isArray(others) ? others : []), Object.fromEntries(clashing)]);
  }
  return Object.fromEntries(result);
}

/** Both constraints as one, where that is plain. */
function joined(keyword: string, one: unknown, other: unknown): unknown {
  if (one === other) return one;
  if ((keyword === 'required' || keyword === 'allOf') && Array.isArray(one) && Array.isArray(other)) {
    return [...new Set([...one, ...other])];
  }
  if (keyword === 'properties' && isObject(one) && isObject(other)) {
    return Object.keys(other).some((name) => Object.hasOwn(one, name)) ? undefined : { ...one, ...other };
  }
  return undefined;
}
