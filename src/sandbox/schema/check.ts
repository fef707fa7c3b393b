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
  printed,
  resolveReference,
  type SchemaObject,
  schemaList,
  textList,
} from './shape.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Of a text that is counted or compared, and of an expression for each so many characters. */
const charactersPerStep = 32;
const patternCharactersPerStep = 4;
const membersPerStep = 8;
const depthMax = 100;

/** True when the budget is spent, so that an expensive schema does not block a reply. */
export function fits(schema: JsonSchema, value: JsonValue, root: JsonSchema, budget = new Budget()): boolean {
  return budget.within(() => new Checker(root, budget).check(schema, value, 0), true);
}

/** Any text fits a pattern that is not understood. */
function fitsPattern(source: string, text: string, budget: Budget): boolean {
  budget.take(8 + (source.length * (1 + text.length / charactersPerStep)) / patternCharactersPerStep);
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
export function canonical(value: JsonValue, budget: Budget): string {
  return printed(value, budget, (_key, inner) => {
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

  check(schema: JsonSchema, value: JsonValue, depth: number): boolean {
    if (typeof schema === 'boolean') return schema;
    this.#budget.take(2);
    if (depth > depthMax) return true;
    return (
      fitsPlain(schema, value, this.#budget) &&
      this.#combinations(schema, value, depth + 1) &&
      (typeof value !== 'string' || fitsText(schema, value, this.#budget)) &&
      (typeof value !== 'number' || fitsNumber(schema, value)) &&
      (!Array.isArray(value) || this.#list(schema, value, depth + 1)) &&
      (!isJsonObject(value) || this.#object(schema, value, depth + 1))
    );
  }

  #combinations(schema: SchemaObject, value: JsonValue, depth: number): boolean {
    const check = (branch: JsonSchema) => this.check(branch, value, depth);
    if (schema.$ref !== undefined && !check(resolveReference(this.#root, schema.$ref, this.#budget))) return false;
    if (!schemaList(schema.allOf).every(check)) return false;
    if (Array.isArray(schema.anyOf) && !schemaList(schema.anyOf).some(check)) return false;
    return !Array.isArray(schema.oneOf) || schemaList(schema.oneOf).filter(check).length === 1;
  }

  #list(schema: SchemaObject, value: readonly JsonValue[], depth: number): boolean {
    if (!within(value.length, schema.minItems, schema.maxItems)) return false;
    if (
      schema.uniqueItems === true &&
      new Set(value.map((item) => canonical(item, this.#budget))).size !== value.length
    )
      return false;
    const fixed = schemaList(Array.isArray(schema.items) ? schema.items : schema.prefixItems);
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    return value.every((item, index) => this.check(fixed[index] ?? (isSchema(rest) ? rest : true), item, depth));
  }

  #object(schema: SchemaObject, value: { readonly [key: string]: JsonValue }, depth: number): boolean {
    const names = Object.keys(value);
    if (!within(names.length, schema.minProperties, schema.maxProperties)) return false;
    this.#budget.take(Array.isArray(schema.required) ? schema.required.length / membersPerStep : 0);
    if (!textList(schema.required).every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries(value).every(([name, inner]) => this.#property(schema, name, inner, depth));
  }

  #property(schema: SchemaObject, name: string, value: JsonValue, depth: number): boolean {
    const own = ownProperty(schema.properties, name);
    if (own !== undefined && !this.check(own, value, depth)) return false;
    let named = own !== undefined;
    for (const [pattern, inner] of entriesOf(schema.patternProperties)) {
      if (!fitsPattern(pattern, name, this.#budget)) continue;
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

function fitsPlain(schema: SchemaObject, value: JsonValue, budget: Budget): boolean {
  if (schema.type !== undefined && !asList(schema.type).some((type) => isOfType(type, value))) return false;
  const same = sameAs(value, budget);
  if (Array.isArray(schema.enum)) {
    budget.take(schema.enum.length / membersPerStep);
    if (!schema.enum.some(same)) return false;
  }
  return !Object.hasOwn(schema, 'const') || same(schema.const);
}

function sameAs(value: JsonValue, budget: Budget): (other: unknown) => boolean {
  if (typeof value !== 'object' || value === null) return (other) => other === value;
  const own = canonical(value, budget);
  return (other) => typeof other === 'object' && isJson(other) && canonical(other, budget) === own;
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

export function fitsText(schema: SchemaObject, value: string, budget: Budget): boolean {
  budget.take(1 + value.length / charactersPerStep);
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    if (!within(characterCount(value), schema.minLength, schema.maxLength)) return false;
  }
  if (typeof schema.pattern === 'string' && !fitsPattern(schema.pattern, value, budget)) return false;
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
