/** Resolves the references and combinations of a schema into one plain schema and the remaining choices. */

import type { JsonSchema } from '../../conversation/text-request.ts';
import type { Budget } from './budget.ts';

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
const charactersPerStep = 8;

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
export function resolveReference(root: JsonSchema, reference: unknown, budget: Budget): JsonSchema {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return true;
  budget.take(reference.length / charactersPerStep);
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

/** Throws when the budget is spent: references in combinations double at every step. */
export function shapeOf(schema: JsonSchema, root: JsonSchema, budget: Budget, nesting = 0): Shape {
  budget.take(1);
  if (typeof schema === 'boolean') return { base: {}, choices: [], impossible: !schema };
  if (nesting > nestingMax) return { base: {}, choices: [], impossible: true };
  if (!Object.keys(schema).some((key) => combinations.has(key)))
    return { base: schema, choices: [], impossible: false };
  budget.take(widthOf(schema));
  const plain = Object.fromEntries(Object.entries(schema).filter(([key]) => !combinations.has(key)));
  const parts: JsonSchema[] = schemaList(schema.allOf).slice();
  if (schema.$ref !== undefined) parts.unshift(resolveReference(root, schema.$ref, budget));
  let base: SchemaObject = plain;
  let impossible = false;
  const choices: (readonly JsonSchema[])[] = [];
  for (const part of parts) {
    const shape = shapeOf(part, root, budget, nesting + 1);
    base = merge(base, shape.base, budget);
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
function merge(left: SchemaObject, right: SchemaObject, budget: Budget): SchemaObject {
  budget.take(widthOf(left) + widthOf(right));
  const merged: Record<string, unknown> = { ...left };
  for (const [key, theirs] of Object.entries(right)) {
    merged[key] = key in merged ? mergeKeyword(key, merged[key], theirs, budget) : theirs;
  }
  const closed = [left, right].filter((side) => side.additionalProperties === false);
  if (closed.length > 0 && isSchemaObject(merged.properties)) {
    const allowed = (name: string) => closed.every((side) => ownProperty(side.properties, name) !== undefined);
    merged.properties = Object.fromEntries(Object.entries(merged.properties).filter(([name]) => allowed(name)));
  }
  return merged;
}

/** What is copied where schemas are merged: keywords, and the members of their lists and maps. */
function widthOf(schema: SchemaObject): number {
  let width = 1;
  for (const value of Object.values(schema)) {
    width += 1;
    if (Array.isArray(value)) width += value.length;
    else if (isSchemaObject(value)) width += Object.keys(value).length;
  }
  return width;
}

const printedPerStep = 64;

export function printed(value: unknown, budget: Budget, sorted?: (key: string, inner: unknown) => unknown): string {
  const text = JSON.stringify(value, sorted) ?? '';
  budget.take(1 + text.length / printedPerStep);
  return text;
}

export function ownProperty(properties: unknown, name: string): JsonSchema | undefined {
  if (!isSchemaObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const found = properties[name];
  return isSchema(found) ? found : true;
}

function mergeKeyword(key: string, ours: unknown, theirs: unknown, budget: Budget): unknown {
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
      const allowed = new Set(asList(theirs).map((member) => printed(member, budget)));
      return asList(ours).filter((member) => allowed.has(printed(member, budget)));
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
