/** Fills in a JSON Schema: with values from the text where there are any, with valid placeholders elsewhere. */

import type { JsonSchema } from '../../conversation/text-request.ts';
import { Budget } from './budget.ts';
import { canonical, fits, fitsText, type JsonValue } from './check.ts';
import { type Hints, nameWords, noHints } from './hints.ts';
import { numberValue, textValue } from './scalars.ts';
import {
  asList,
  isSchema,
  isSchemaObject,
  ownProperty,
  type SchemaObject,
  schemaList,
  shapeOf,
  textList,
} from './shape.ts';
import { Slots } from './slots.ts';

interface FillOptions {
  readonly hints: Hints;
  /** Fills in optional properties too, as for answers; tool arguments only have what the text mentions. */
  readonly generous: boolean;
}

const depthMax = 24;
/** Below this depth optional properties are left out, which ends recursive schemas. */
const generousDepthMax = 3;
const stepsPerTry = 300;
/** The cost of one value without its check. */
const stepsPerValue = 12;
/** Looking up names in the text. */
const membersPerStep = 8;
const itemsMax = 1_000;

export function fillSchema(schema: JsonSchema, options: FillOptions): JsonValue {
  const budget = new Budget();
  const place = { name: '', depth: 0, variant: 0 };
  const filled = new Filler(schema, options, budget).fill(schema, place);
  if (fits(schema, filled, schema, budget)) return filled;
  const plain = new Filler(schema, { hints: noHints, generous: false }, budget).fill(schema, place);
  return fits(schema, plain, schema, budget) ? plain : filled;
}

interface Place {
  /** The property's name; items of a list have their list's. */
  readonly name: string;
  readonly depth: number;
  /** The number of the value among those of the same schema, where they must differ. */
  readonly variant: number;
  readonly position?: number;
}

class Filler {
  readonly #root: JsonSchema;
  readonly #budget: Budget;
  readonly #slots: Slots;
  readonly #generous: boolean;

  constructor(root: JsonSchema, options: FillOptions, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
    this.#slots = new Slots(options.hints);
    this.#generous = options.generous;
  }

  /** Null where the budget is spent. */
  fill(schema: JsonSchema, place: Place): JsonValue {
    if (place.depth > depthMax) return null;
    return this.#budget.within(() => this.#value(schema, place), null);
  }

  #value(schema: JsonSchema, place: Place): JsonValue {
    this.#budget.take(stepsPerValue);
    const shape = shapeOf(schema, this.#root, this.#budget);
    const [branches, ...others] = shape.choices;
    if (branches === undefined) return this.#plain(shape.base, place);
    let first: JsonValue | undefined;
    for (const branch of this.#ordered(branches, place)) {
      const rest = others.map((options) => ({ anyOf: options }));
      const value = this.fill({ allOf: [shape.base, branch, ...rest] }, place);
      if (fits(schema, value, this.#root, this.#budget)) return value;
      first ??= value;
      if (!this.#budget.spend(sizeOf(shape.base) + stepsPerTry)) break;
    }
    return first ?? null;
  }

  /** Null only where the text has nothing for the property; at depth, branches without references first, so that recursion ends. */
  #ordered(branches: readonly JsonSchema[], place: Place): readonly JsonSchema[] {
    const nulls = branches.filter((branch) => isSchemaObject(branch) && branch.type === 'null');
    const others = branches.filter((branch) => !nulls.includes(branch));
    if (place.depth > generousDepthMax) {
      const refers = (branch: JsonSchema) => isSchemaObject(branch) && branch.$ref !== undefined;
      return [...nulls, ...others.filter((branch) => !refers(branch)), ...others.filter(refers)];
    }
    const [first] = others;
    if (nulls.length > 0 && first !== undefined && !this.#isHinted(place.name, first)) return [...nulls, ...others];
    const turn = others.length === 0 ? 0 : place.variant % others.length;
    return [...others.slice(turn), ...others.slice(0, turn), ...nulls];
  }

  #plain(schema: SchemaObject, place: Place): JsonValue {
    if (Object.hasOwn(schema, 'const')) return schema.const as JsonValue;
    if (Array.isArray(schema.enum)) return this.#member(schema, schema.enum as readonly JsonValue[], place);
    switch (this.#type(schema, place)) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#list(schema, place);
      case 'integer':
        return numberValue(schema, place, this.#slots, true, this.#budget);
      case 'number':
        return numberValue(schema, place, this.#slots, false, this.#budget);
      case 'boolean': {
        const said = place.variant === 0 ? this.#slots.booleanFor(place.name) : undefined;
        return (
          said ??
          (typeof schema.default === 'boolean' && place.variant === 0 ? schema.default : place.variant % 2 === 1)
        );
      }
      case 'null':
        return null;
      default:
        return textValue(schema, place, this.#slots, this.#budget);
    }
  }

  #type(schema: SchemaObject, place: Place): string {
    const types = schema.type === undefined ? impliedTypes(schema) : textList(asList(schema.type));
    const solid = types.filter((type) => type !== 'null');
    const [first] = solid;
    if (first === undefined) return types[0] ?? 'string';
    const nullable = solid.length < types.length;
    if (nullable && (place.depth > generousDepthMax || !this.#isHinted(place.name, { ...schema, type: first })))
      return 'null';
    const turn = solid[place.variant % solid.length];
    return turn ?? first;
  }

  #member(schema: SchemaObject, members: readonly JsonValue[], place: Place): JsonValue {
    const { enum: _, ...others } = schema;
    this.#budget.take(members.length / membersPerStep);
    const allowed = members.slice(0, itemsMax).filter((member) => fits(others, member, this.#root, this.#budget));
    const texts = allowed.filter((member): member is string => typeof member === 'string');
    const mentioned: readonly JsonValue[] = this.#mentioned(texts);
    const preferred =
      schema.default !== undefined && allowed.includes(schema.default as JsonValue)
        ? [schema.default as JsonValue]
        : [];
    const ordered = [...new Set([...mentioned, ...preferred, ...allowed])];
    return ordered[place.variant % Math.max(1, ordered.length)] ?? null;
  }

  #list(schema: SchemaObject, place: Place): JsonValue {
    const fixed = schemaList(Array.isArray(schema.items) ? schema.items : schema.prefixItems);
    const restOfList = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const rest: JsonSchema = isSchema(restOfList) ? restOfList : true;
    const wanted = this.#listLength(schema, fixed, rest, place);
    const items: JsonValue[] = [];
    const seen = new Set<string>();
    for (let variant = 0; items.length < wanted && variant < wanted * 3 + 40; variant++) {
      const shift = schema.uniqueItems === true || place.variant > 0 ? variant + place.variant : 0;
      const item = this.fill(fixed[items.length] ?? rest, {
        name: place.name,
        depth: place.depth + 1,
        variant: shift,
        position: variant,
      });
      const key = schema.uniqueItems === true ? canonical(item, this.#budget) : String(variant);
      if (seen.has(key)) continue;
      seen.add(key);
      items.push(item);
    }
    return items;
  }

  #mentioned(members: readonly string[]): readonly string[] {
    this.#budget.take(members.length);
    return this.#slots.mentioned(members);
  }

  /** As many items as the text lists, within the limits of the schema. */
  #listLength(schema: SchemaObject, fixed: readonly JsonSchema[], rest: JsonSchema, place: Place): number {
    const min = typeof schema.minItems === 'number' ? schema.minItems : 0;
    const max = Math.min(typeof schema.maxItems === 'number' ? schema.maxItems : itemsMax, itemsMax);
    const offered = this.#offered(rest, place);
    const generous = this.#generous && place.depth <= generousDepthMax ? 1 : 0;
    const some = Math.max(offered, fixed.length, rest === false ? 0 : generous);
    const capped = rest === false ? Math.min(some, fixed.length) : some;
    return Math.max(Math.min(capped, max), Math.min(min, itemsMax));
  }

  #offered(item: JsonSchema, place: Place): number {
    const { base } = shapeOf(item, this.#root, this.#budget);
    if (Array.isArray(base.enum)) return this.#mentioned(textList(base.enum)).length;
    if (place.depth > generousDepthMax) return 0;
    if (base.type === 'number' || base.type === 'integer') return this.#slots.listedNumbers().length;
    return base.type === 'string' ? Math.min(10, this.#slots.listedTexts().length) : 0;
  }

  #object(schema: SchemaObject, place: Place): JsonValue {
    const names = this.#propertyNames(schema, place);
    // No prototype: a property may be called `__proto__`.
    const object: Record<string, JsonValue> = Object.create(null);
    for (const name of names) {
      const own = ownProperty(schema.properties, name) ?? patternProperty(schema, name, this.#budget) ?? true;
      object[name] = this.fill(own, { name, depth: place.depth + 1, variant: place.variant });
    }
    return object;
  }

  /** Required ones first, then those that the text mentions, then as many as the minimum. */
  #propertyNames(schema: SchemaObject, place: Place): Set<string> {
    this.#budget.take(Array.isArray(schema.required) ? schema.required.length / membersPerStep : 0);
    const declared = isSchemaObject(schema.properties) ? Object.keys(schema.properties) : [];
    const required = new Set(textList(schema.required));
    const names = new Set([...declared.filter((name) => required.has(name)), ...required]);
    const max = typeof schema.maxProperties === 'number' ? schema.maxProperties : Number.POSITIVE_INFINITY;
    const generous = this.#generous && place.depth < generousDepthMax;
    for (const name of declared) {
      if (names.size >= max) break;
      const own = ownProperty(schema.properties, name);
      if (own === undefined || own === false || names.has(name)) continue;
      if (place.depth <= generousDepthMax && (generous || this.#isHinted(name, own))) names.add(name);
    }
    const min = typeof schema.minProperties === 'number' ? Math.min(schema.minProperties, itemsMax) : 0;
    for (const name of declared) {
      if (names.size < min && ownProperty(schema.properties, name) !== false) names.add(name);
    }
    for (let index = 0; names.size < min && index < itemsMax * 2; index++) names.add(this.#inventedName(schema, index));
    return names;
  }

  #inventedName(schema: SchemaObject, variant: number): string {
    const [pattern] = isSchemaObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    const open = schema.additionalProperties !== false || pattern === undefined;
    if (open) return `property${variant + 1}`;
    return String(this.#plain({ type: 'string', pattern }, { name: 'property', depth: depthMax, variant }));
  }

  /** Does the text mention this property? */
  #isHinted(name: string, schema: JsonSchema): boolean {
    const { base, choices, impossible } = shapeOf(schema, this.#root, this.#budget);
    if (impossible) return false;
    const [branches] = choices;
    if (branches !== undefined)
      return branches.some(
        (branch) =>
          isSchemaObject(branch) && branch.type !== 'null' && branch.$ref === undefined && this.#isHinted(name, branch),
      );
    if (Array.isArray(base.enum)) return this.#mentioned(textList(base.enum)).length > 0;
    const [type] = textList(asList(base.type)).filter((one) => one !== 'null');
    if (type === 'boolean') return this.#slots.booleanFor(name) !== undefined;
    if (type === 'number' || type === 'integer') return this.#slots.numbersFor(name).length > 0;
    if (type === 'string')
      return this.#slots.textsFor(name).length > 0 || this.#slots.wellFormed(String(base.format)).length > 0;
    return nameWords(name).length > 0 && this.#mentioned([name]).length > 0;
  }
}

/** The cost of trying another branch. */
function sizeOf(schema: SchemaObject): number {
  return isSchemaObject(schema.properties) ? Object.keys(schema.properties).length : 0;
}

const keywordsByType: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems']],
  ['number', ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']],
];

function impliedTypes(schema: SchemaObject): string[] {
  for (const [type, keywords] of keywordsByType) {
    if (keywords.some((keyword) => schema[keyword] !== undefined)) return [type];
  }
  return ['string'];
}

function patternProperty(schema: SchemaObject, name: string, budget: Budget): JsonSchema | undefined {
  const matching = Object.entries(isSchemaObject(schema.patternProperties) ? schema.patternProperties : {}).filter(
    ([pattern]) => fitsText({ pattern }, name, budget),
  );
  if (matching.length > 0) return { allOf: matching.map(([, inner]) => inner) };
  return isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;
}
