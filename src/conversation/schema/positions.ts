/** The positions of subschemas in a JSON Schema; everything else in it is a name or a value and is not walked. */

import { isObject } from '../json-tree.ts';
import type { JsonSchema } from '../text-request.ts';

/** Keywords that hold one schema, or a list of them (`items` may hold either). */
const schemaKeywords = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose members have names of the author's choice and are schemas; `dependencies` also holds plain lists. */
const namedSchemaKeywords = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Where a subschema is: below a keyword, as a member of it or not. Most paths are never shown, so only some become a text. */
export interface SchemaPlace {
  readonly outer: SchemaPlace | string;
  readonly keyword: string;
  readonly member: string | number | undefined;
}

type Change = (schema: JsonSchema, keyword: string, member: string | number | undefined) => JsonSchema;

/** Changes the schemas directly inside one; returns the same object where none of them changed. */
export function mapSubschemas(schema: JsonSchema, change: Change): JsonSchema {
  if (typeof schema === 'boolean' || !mayHoldSchemas(schema)) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (schemaKeywords.has(keyword)) {
      return Array.isArray(value)
        ? mapItems(value, (item, index) => changed(item, change, keyword, index))
        : changed(value, change, keyword, undefined);
    }
    if (namedSchemaKeywords.has(keyword) && isObject(value)) {
      return mapMembers(value, (member, name) => changed(member, change, keyword, name));
    }
    return value;
  });
}

/** Most schemas are leaves, which costs them a look at each keyword and no memory. */
function mayHoldSchemas(schema: object): boolean {
  for (const keyword in schema) if (schemaKeywords.has(keyword) || namedSchemaKeywords.has(keyword)) return true;
  return false;
}

export function pathOf(place: SchemaPlace | string): string {
  if (typeof place === 'string') return place;
  const { outer, keyword, member } = place;
  const path = `${pathOf(outer)}.${keyword}`;
  if (member === undefined) return path;
  return typeof member === 'number' ? `${path}[${member}]` : `${path}.${member}`;
}

function changed(value: unknown, change: Change, keyword: string, member: string | number | undefined): unknown {
  return isObject(value) || typeof value === 'boolean' ? change(value, keyword, member) : value;
}

function mapItems(items: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  let after: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const next = change(item, index);
    if (next !== item) after ??= items.slice();
    if (after !== undefined) after[index] = next;
  }
  return after ?? items;
}

/** Most schemas do not change, and are only looked at. */
function mapMembers(
  members: Readonly<Record<string, unknown>>,
  change: (value: unknown, name: string) => unknown,
): Readonly<Record<string, unknown>> {
  let after: Map<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    const value = members[name];
    const next = change(value, name);
    if (next === value) continue;
    after ??= new Map(Object.entries(members));
    after.set(name, next);
  }
  // From entries, because a member may be called `__proto__`.
  return after === undefined ? members : Object.fromEntries(after);
}
