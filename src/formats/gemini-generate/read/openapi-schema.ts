/**
 * Reads the format's older schemas, a subset of OpenAPI with types in capitals, as the JSON Schemas of all other
 * formats.
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { JsonSchema } from '../../../conversation/text-request.ts';
import { enumWord, schemaTypes } from '../enum-words.ts';

/** The wire carries these as 64-bit numbers, which its JSON may spell as texts. */
const counts: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

const camelNames: ReadonlyMap<string, string> = new Map(
  [...counts, 'anyOf', 'propertyOrdering', 'additionalProperties', 'prefixItems'].map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name,
  ]),
);

const depthMax = 64;

export function readOpenApiSchema(value: unknown): JsonSchema | undefined {
  if (typeof value === 'boolean') return value;
  return isObject(value) ? readSchema(value, 0) : undefined;
}

function readSchema(schema: Tree, depth: number): Tree {
  if (depth > depthMax) return schema;
  const entries: [string, unknown][] = [];
  for (const [spelled, value] of Object.entries(schema)) {
    const name = camelNames.get(spelled) ?? spelled;
    if (name === 'nullable' || value === null) continue;
    if (name === 'type') {
      const type = readType(value, schema.nullable === true);
      if (type !== undefined) entries.push([name, type]);
    } else {
      entries.push([name, readKeyword(name, value, depth)]);
    }
  }
  return Object.fromEntries(entries);
}

function readKeyword(name: string, value: unknown, depth: number): unknown {
  if (counts.has(name)) return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  switch (name) {
    case 'properties':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readInner(inner, depth)]))
        : value;
    case 'items':
    case 'additionalProperties':
      return readInner(value, depth);
    case 'anyOf':
    case 'prefixItems':
      return Array.isArray(value) ? value.map((inner) => readInner(inner, depth)) : value;
    default:
      return value;
  }
}

function readInner(value: unknown, depth: number): unknown {
  return isObject(value) ? readSchema(value, depth + 1) : value;
}

function readType(given: unknown, nullable: boolean): unknown {
  const value = enumWord(given, schemaTypes);
  if (typeof value !== 'string') return value;
  if (value === 'TYPE_UNSPECIFIED') return undefined;
  const type = value.toLowerCase();
  return nullable && type !== 'null' ? [type, 'null'] : type;
}
