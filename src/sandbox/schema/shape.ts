/** Resolves the references and combinations of a schema into one plain schema and the remaining choices. */

import type { JsonSchema } from '../../conversation/text-request.ts';

export type SchemaObject = { readonly [key: string]: unknown };

interface Shape {
  /** No reference and no combination left. */
  readonly base: SchemaObject;
  /** One branch of each list must hold. */
  readonly choices: readonly (readonly JsonSchema[])[];
  /** Nothing can satisfy it. */
  readonly impossible: boolean;
}

const nestingMax = 64;

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value);
}

export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

/** References into the same schema only; any other accepts anything. */
export function resolveReference(root: JsonSchema, reference: unknown): JsonSchema {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return true;
  let at: unknown = root;
  for (const step of reference.split('/').slice(1, nestingMax)) {
    const key = decodeStep(step);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true;
    at = (at as Record<string, unknown>)[key];
  }
  return isSchema(at) ? at : true;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

const combinations: ReadonlySet<string> = new Set(['$ref', 'allOf', 'anyOf', 'oneOf']);

export function shapeOf(schema: JsonSchema, root: JsonSchema, nesting = 0): Shape {
  if (typeof schema === 'boolean') return { base: {}, choices: [], impossible: !schema };
  if (nesting > nestingMax) return { base: {}, choices: [], impossible: true };
  if (!Object.keys(schema).some((key) => combinations.has(key)))
    return { base: schema, choices: [], impossible: false };
  const plain = Object.fromEntries(Object.entries(schema).filter(([key]) => !combinations.has(key)));
  const parts: JsonSchema[] = schemaList(schema.allOf).slice();
  if (schema.$ref !== undefined) parts.unshift(resolveReference(root, schema.$ref));
  let base: SchemaObject = plain;
  let impossible = false;
  const choices: (readonly JsonSchema[])[] = [];
  for (const part of parts) {
    const shape = shapeOf(part, root, nesting + 1);
    base = merge(base, shape.base);
    choices.push(...shape.choices);
    impossible ||= shape.impossible;
  }
  for (const branches of [schemaList(schema.anyOf), schemaList(schema.oneOf)]) {
    if (branches.length > 0) choices.push(branches);
  }
  return { base, choices, impossible };
}

const lowerBounds = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const upperBounds = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** A value that satisfies the result satisfies both. Keywords that cannot be merged are left to the check. */
function merge(left: SchemaObject, right: SchemaObject): SchemaObject {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, theirs] of Object.entries(right)) {
    merged[key] = key in merged ? mergeKeyword(key, merged[key], theirs) : theirs;
  }
  const closed = [left, right].filter((side) => side.additionalProperties === false);
  if (closed.length > 0 && isSchemaObject(merged.properties)) {
    const allowed = (name: string) => closed.every((side) => ownProperty(side.properties, name) !== undefined);
    merged.properties = Object.fromEntries(Object.entries(merged.properties).filter(([name]) => allowed(name)));
  }
  return merged;
}

export function ownProperty(properties: unknown, name: string): JsonSchema | undefined {
  if (!isSchemaObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const found = properties[name];
  return isSchema(found) ? found : true;
}

function mergeKeyword(key: string, ours: unknown, theirs: unknown): unknown {
  if (lowerBounds.has(key)) return Math.max(Number(ours), Number(theirs));
  if (upperBounds.has(key)) return Math.min(Number(ours), Number(theirs));
  switch (key) {
    case 'required':
      return [...new Set([...textList(ours), ...textList(theirs)])];
    case 'properties':
    case 'patternProperties':
      return mergeProperties(ours, theirs);
    case 'type':
      return mergeTypes(asList(ours), asList(theirs));
    case 'enum': {
      const allowed = new Set(asList(theirs).map((member) => JSON.stringify(member)));
      return asList(ours).filter((member) => allowed.has(JSON.stringify(member)));
    }
    case 'additionalProperties':
    case 'items':
      if (ours === false || theirs === false) return false;
      return isSchema(ours) && isSchema(theirs) ? { allOf: [ours, theirs] } : theirs;
    case 'uniqueItems':
      return ours === true || theirs === true;
    default:
      return ours;
  }
}

function mergeProperties(ours: unknown, theirs: unknown): unknown {
  if (!isSchemaObject(ours) || !isSchemaObject(theirs)) return ours;
  // No prototype: a property may be called `__proto__`.
  const merged: Record<string, unknown> = Object.assign(Object.create(null), ours);
  for (const [name, schema] of Object.entries(theirs)) {
    const known = ownProperty(ours, name);
    merged[name] = known === undefined || !isSchema(schema) ? schema : { allOf: [known, schema] };
  }
  return merged;
}

function mergeTypes(ours: readonly unknown[], theirs: readonly unknown[]): unknown[] {
  const both = ours.filter((type) => theirs.includes(type));
  const integers = (from: readonly unknown[], to: readonly unknown[]) =>
    from.includes('integer') && to.includes('number');
  if (!both.includes('integer') && (integers(ours, theirs) || integers(theirs, ours))) both.push('integer');
  return both;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
