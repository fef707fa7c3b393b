/**
 * Checks whether a value satisfies a schema, in bounded time. Rare keywords (`not`, `if`, `contains`, `dependentRequired`,
 * `propertyNames`) are ignored.
 */

import type { JsonSchema } from '../../conversation/text-request.ts';
import { Budget } from './budget.ts';
import { fitsFormat } from './formats.ts';
import { matchesPattern, readPattern } from './pattern.ts';
import {
  asList,
  isSchema,
  isSchemaObject,
  ownProperty,
  resolveReference,
  type SchemaObject,
  schemaList,
  textList,
} from './shape.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

const stepsMax = 100_000;
const depthMax = 100;

export function fits(schema: JsonSchema, value: JsonValue, root: JsonSchema, budget = new Budget(stepsMax)): boolean {
  return new Checker(root, budget).check(schema, value, 0);
}

/** Any text fits a pattern that is not understood. */
function fitsPattern(source: string, text: string): boolean {
  const pattern = readPattern(source);
  return pattern === undefined || matchesPattern(pattern, text);
}

/** Lengths count characters, not UTF-16 units. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Equal values print equally when their keys are sorted. */
export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (!isSchemaObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

class Checker {
  readonly #root: JsonSchema;
  readonly #budget: Budget;

  constructor(root: JsonSchema, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** True when the budget is spent, so that an expensive schema does not block a reply. */
  check(schema: JsonSchema, value: JsonValue, depth: number): boolean {
    if (typeof schema === 'boolean') return schema;
    if (!this.#budget.spend(1) || depth > depthMax) return true;
    return (
      fitsPlain(schema, value) &&
      this.#combinations(schema, value, depth + 1) &&
      (typeof value !== 'string' || fitsText(schema, value)) &&
      (typeof value !== 'number' || fitsNumber(schema, value)) &&
      (!Array.isArray(value) || this.#list(schema, value, depth + 1)) &&
      (!isJsonObject(value) || this.#object(schema, value, depth + 1))
    );
  }

  #combinations(schema: SchemaObject, value: JsonValue, depth: number): boolean {
    const check = (branch: JsonSchema) => this.check(branch, value, depth);
    if (schema.$ref !== undefined && !check(resolveReference(this.#root, schema.$ref))) return false;
    if (!schemaList(schema.allOf).every(check)) return false;
    if (Array.isArray(schema.anyOf) && !schemaList(schema.anyOf).some(check)) return false;
    return !Array.isArray(schema.oneOf) || schemaList(schema.oneOf).filter(check).length === 1;
  }

  #list(schema: SchemaObject, value: readonly JsonValue[], depth: number): boolean {
    if (!within(value.length, schema.minItems, schema.maxItems)) return false;
    if (schema.uniqueItems === true && new Set(value.map(canonical)).size !== value.length) return false;
    const fixed = schemaList(Array.isArray(schema.items) ? schema.items : schema.prefixItems);
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    return value.every((item, index) => this.check(fixed[index] ?? (isSchema(rest) ? rest : true), item, depth));
  }

  #object(schema: SchemaObject, value: { readonly [key: string]: JsonValue }, depth: number): boolean {
    const names = Object.keys(value);
    if (!within(names.length, schema.minProperties, schema.maxProperties)) return false;
    if (!textList(schema.required).every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries(value).every(([name, inner]) => this.#property(schema, name, inner, depth));
  }

  #property(schema: SchemaObject, name: string, value: JsonValue, depth: number): boolean {
    const own = ownProperty(schema.properties, name);
    if (own !== undefined && !this.check(own, value, depth)) return false;
    let named = own !== undefined;
    for (const [pattern, inner] of entriesOf(schema.patternProperties)) {
      if (!fitsPattern(pattern, name)) continue;
      named = true;
      if (isSchema(inner) && !this.check(inner, value, depth)) return false;
    }
    return named || !isSchema(schema.additionalProperties) || this.check(schema.additionalProperties, value, depth);
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isSchemaObject(value) ? Object.entries(value) : [];
}

function isJsonObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fitsPlain(schema: SchemaObject, value: JsonValue): boolean {
  if (schema.type !== undefined && !asList(schema.type).some((type) => isOfType(type, value))) return false;
  const same = (other: unknown) => isJson(other) && canonical(other) === canonical(value);
  if (Array.isArray(schema.enum) && !schema.enum.some(same)) return false;
  return !Object.hasOwn(schema, 'const') || same(schema.const);
}

/** Schemas come from a JSON parser, so their values are JSON. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

function isOfType(type: unknown, value: JsonValue): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

export function fitsText(schema: SchemaObject, value: string): boolean {
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    if (!within(characterCount(value), schema.minLength, schema.maxLength)) return false;
  }
  if (typeof schema.pattern === 'string' && !fitsPattern(schema.pattern, value)) return false;
  return typeof schema.format !== 'string' || fitsFormat(schema.format, value);
}

export function fitsNumber(schema: SchemaObject, value: number): boolean {
  if (!within(value, schema.minimum, schema.maximum)) return false;
  if (typeof schema.exclusiveMinimum === 'number' && value <= schema.exclusiveMinimum) return false;
  if (typeof schema.exclusiveMaximum === 'number' && value >= schema.exclusiveMaximum) return false;
  const step = schema.multipleOf;
  return typeof step !== 'number' || step <= 0 || Number.isInteger(value / step);
}

function within(value: number, low: unknown, high: unknown): boolean {
  return (typeof low !== 'number' || value >= low) && (typeof high !== 'number' || value <= high);
}
