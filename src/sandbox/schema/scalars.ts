/** Selects a text or a number that a schema allows, preferably from the request's text. */

import type { Budget } from './budget.ts';
import { characterCount, fitsNumber, fitsText } from './check.ts';
import { sampleFormat } from './formats.ts';
import { nameWords } from './hints.ts';
import { readPattern, samplePattern } from './pattern.ts';
import type { SchemaObject } from './shape.ts';
import type { Slots } from './slots.ts';

interface Wanted {
  readonly name: string;
  readonly variant: number;
  /** The position in a list: items take what the text lists, in order. */
  readonly position?: number;
}

const textLengthMax = 20_000;
const stepsPerNumber = 1;

export function textValue(schema: SchemaObject, wanted: Wanted, slots: Slots, budget: Budget): string {
  const allowed = (text: string) => fitsText(schema, text, budget);
  const format = typeof schema.format === 'string' ? schema.format : '';
  const listed = wanted.position === undefined ? undefined : slots.listedTexts()[wanted.position];
  const own = listed !== undefined && allowed(listed) ? listed : undefined;
  const chosen = own ?? chooseText(wanted, format, slots, allowed);
  if (chosen !== undefined) {
    slots.take(chosen);
    return chosen;
  }
  const longest = slots.textsFor(wanted.name)[0] ?? slots.anyTexts(wanted.name)[0];
  const cut = wanted.variant === 0 && longest !== undefined ? cutTo(longest, schema.maxLength) : '';
  return cut !== '' && allowed(cut) ? cut : plainText(schema, wanted, format, allowed);
}

/** A text that no other property uses, else a used one. A variant must differ from those before it. */
function chooseText(
  wanted: Wanted,
  format: string,
  slots: Slots,
  allowed: (text: string) => boolean,
): string | undefined {
  let taken: string | undefined;
  for (const offers of [slots.wellFormed(format), slots.textsFor(wanted.name), slots.anyTexts(wanted.name)]) {
    for (const text of offers) {
      if (slots.isTaken(text)) taken ??= allowed(text) ? text : undefined;
      else if (allowed(text)) return text;
    }
  }
  return wanted.variant === 0 ? taken : undefined;
}

function plainText(schema: SchemaObject, wanted: Wanted, format: string, allowed: (text: string) => boolean): string {
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const given = [schema.default, ...examples].filter((value): value is string => typeof value === 'string');
  const fitting = given.filter(allowed)[wanted.variant];
  if (fitting !== undefined) return fitting;
  const lengthMin = typeof schema.minLength === 'number' ? Math.min(schema.minLength, textLengthMax) : 0;
  const pattern = typeof schema.pattern === 'string' ? readPattern(schema.pattern) : undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const variant = wanted.variant + attempt * 7;
    const sampled = pattern === undefined ? sampleFormat(format, variant) : samplePattern(pattern, variant, lengthMin);
    if (sampled !== undefined && allowed(sampled)) return sampled;
    const words = filler(wanted.name, variant, lengthMin, schema.maxLength);
    if (pattern === undefined && allowed(words)) return words;
  }
  return filler(wanted.name, wanted.variant, lengthMin, schema.maxLength);
}

/** The property's own name, as a visible placeholder. */
function filler(name: string, variant: number, lengthMin: number, lengthMax: unknown): string {
  const words = nameWords(name).join(' ').slice(0, 60) || 'text';
  const numbered = variant === 0 ? words : `${variant}${words}`;
  return cutTo(numbered.padEnd(lengthMin, '.'), lengthMax);
}

function cutTo(text: string, lengthMax: unknown): string {
  if (typeof lengthMax !== 'number' || characterCount(text) <= lengthMax) return text;
  return [...text].slice(0, Math.max(0, lengthMax)).join('');
}

export function numberValue(
  schema: SchemaObject,
  wanted: Wanted,
  slots: Slots,
  integer: boolean,
  budget: Budget,
): number {
  const allowed = (value: number) => {
    budget.take(stepsPerNumber);
    return (!integer || Number.isInteger(value)) && fitsNumber(schema, value);
  };
  const listed = wanted.position === undefined ? undefined : slots.listedNumbers()[wanted.position];
  const own = listed !== undefined && allowed(listed) ? listed : undefined;
  const offered = new Set([...slots.numbersFor(wanted.name), ...slots.anyNumbers(), ...slots.listedNumbers()]);
  const chosen = own ?? [...offered].filter(allowed)[wanted.variant];
  if (chosen !== undefined) {
    slots.take(chosen);
    return chosen;
  }
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const given = [schema.default, ...examples].filter((value): value is number => typeof value === 'number');
  return given.filter(allowed)[wanted.variant] ?? plainNumber(schema, wanted.variant, integer, allowed);
}

const numbersTriedMax = 300;

/** The allowed number nearest to zero, upward first; variants continue from there. */
function plainNumber(
  schema: SchemaObject,
  variant: number,
  integer: boolean,
  allowed: (value: number) => boolean,
): number {
  const low = bound([schema.minimum, schema.exclusiveMinimum], Math.max);
  const high = bound([schema.maximum, schema.exclusiveMaximum], Math.min);
  const declared = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : undefined;
  const narrow = declared === undefined && !integer && low !== undefined && high !== undefined && high - low < 2;
  const step = declared ?? (narrow ? Math.max((high - low) / 1024, Number.MIN_VALUE) : 1);
  const nearest = Math.max(low ?? Number.NEGATIVE_INFINITY, Math.min(high ?? Number.POSITIVE_INFINITY, 0));
  const start = narrow ? nearest : Math.round(nearest / step) * step;
  let found = 0;
  for (const direction of [1, -1]) {
    for (let index = direction === 1 ? 0 : 1; index < numbersTriedMax + variant; index++) {
      const exact = start + direction * index * step;
      const value = narrow || Number.isInteger(exact) ? exact : Number(exact.toPrecision(15));
      if ((high !== undefined && value > high) || (low !== undefined && value < low)) {
        // Rounding to the step may start just outside.
        if (index > 1) break;
      } else if (allowed(value) && found++ === variant) return value;
    }
  }
  return low ?? high ?? 0;
}

function bound(values: readonly unknown[], pick: (...values: number[]) => number): number | undefined {
  const numbers = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  return numbers.length === 0 ? undefined : pick(...numbers);
}
