/** What a text offers must land in the right property. */

import { describe, expect, test } from 'bun:test';
import type { JsonSchema } from '../../conversation/text-request.ts';
import { fillSchema } from './fill.ts';
import { readHints } from './hints.ts';

const printed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const fill = (schema: JsonSchema, text: string, generous = false) =>
  printed(fillSchema(schema, { hints: readHints(text), generous }));
const form = (properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const string = { type: 'string' };

describe('filling from the text', () => {
  const cases: readonly [string, JsonSchema, string, unknown][] = [
    [
      'a place after a preposition',
      form({ city: string }),
      'What is the weather in New York tomorrow?',
      { city: 'New York' },
    ],
    [
      'a place and a member of a list',
      form({ location: string, unit: { enum: ['celsius', 'fahrenheit'] } }),
      'weather in Paris in fahrenheit',
      { location: 'Paris', unit: 'fahrenheit' },
    ],
    [
      'two numbers in their order',
      form({ a: { type: 'number' }, b: { type: 'number' } }),
      'add 12 and 30.5',
      { a: 12, b: 30.5 },
    ],
    [
      'named numbers',
      form({ width: { type: 'integer' }, height: { type: 'integer' } }),
      'height 20 and width 30',
      { width: 30, height: 20 },
    ],
    [
      'from and to',
      form({ origin: string, destination: string }),
      'a flight from Berlin to Lisbon',
      { origin: 'Berlin', destination: 'Lisbon' },
    ],
    ['a quotation', form({ message: string }), 'post "good morning" please', { message: 'good morning' }],
    [
      'an address of a person',
      form({ to: { type: 'string', format: 'email' } }),
      'write to ada@example.com now',
      { to: 'ada@example.com' },
    ],
    ['a date', form({ date: { type: 'string', format: 'date' } }), 'reserve 2025-03-04', { date: '2025-03-04' }],
    ['an expression', form({ expression: string }), 'what is 12*7+3?', { expression: '12*7+3' }],
    [
      'yes and no',
      form({ sugar: { type: 'boolean' }, milk: { type: 'boolean' } }),
      'coffee with milk without sugar',
      { sugar: false, milk: true },
    ],
    [
      'a list of numbers',
      form({ values: { type: 'array', items: { type: 'number' } } }),
      'the mean of 3, 5 and 10',
      { values: [3, 5, 10] },
    ],
    [
      'a list of names',
      form({ people: { type: 'array', items: string, uniqueItems: true } }),
      'invite Ada, Grace and Linus',
      { people: ['Ada', 'Grace', 'Linus'] },
    ],
    ['pairs', form({ city: string, limit: { type: 'integer' } }), 'city: Oslo, limit=7', { city: 'Oslo', limit: 7 }],
    [
      'a person with an age',
      form({ name: string, age: { type: 'integer' } }),
      'John is 30 years old',
      { name: 'John', age: 30 },
    ],
    [
      'nested objects',
      form({ order: form({ item: string, quantity: { type: 'integer' } }) }),
      'order 4 of "blue pens"',
      { order: { item: 'blue pens', quantity: 4 } },
    ],
    ['null where nothing is known', form({ email: { type: ['string', 'null'] } }), 'no address here', { email: null }],
    [
      'only what was said of the optional',
      form({ city: string, days: { type: 'integer' }, lang: string }, ['city']),
      'weather in Oslo for days 3',
      { city: 'Oslo', days: 3 },
    ],
  ];
  for (const [name, schema, text, expected] of cases) {
    test(name, () => expect(fill(schema, text)).toEqual(expected));
  }

  test('a property called __proto__ is a property', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
    );
    expect(JSON.stringify(fillSchema(schema, { hints: readHints('7'), generous: false }))).toBe('{"__proto__":7}');
  });

  test('endless recursion and two thousand properties end', () => {
    const endless: JsonSchema = {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
    };
    const loop: JsonSchema = { $ref: '#' };
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`field_${index}`, { type: 'string', description: 'x'.repeat(40) }]),
    );
    fillSchema(endless, { hints: readHints('x'), generous: true });
    fillSchema(loop, { hints: readHints('x'), generous: true });
    const hints = readHints('weather in Paris '.repeat(1000));
    expect(Object.keys(fillSchema(form(properties), { hints, generous: true }) as object)).toHaveLength(2_000);
  });
});

describe('a schema whose work would multiply', () => {
  const named = (count: number, schema: JsonSchema): JsonSchema => {
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    return { type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, schema])) };
  };
  const ref = { $ref: '#' };
  const forms: Readonly<Record<string, JsonSchema>> = {
    'combinations that refer to themselves twice': { allOf: [ref, ref] },
    'properties that refer to themselves twice': {
      type: 'object',
      properties: { a: ref, b: ref },
      required: ['a', 'b'],
    },
    'long lists of long texts': named(2_000, {
      type: 'array',
      minItems: 1_000,
      items: { type: 'string', minLength: 1_000 },
    }),
    'an enumeration of 100,000': { enum: Array.from({ length: 100_000 }, (_, index) => index) },
    'an enumeration of objects': { enum: Array.from({ length: 20_000 }, (_, index) => ({ index })) },
    'enumerations in combinations': {
      allOf: Array.from({ length: 100 }, () => ({ enum: Array.from({ length: 1_000 }, (_, index) => index) })),
    },
    'many patterns for many names': {
      type: 'object',
      required: Array.from({ length: 2_000 }, (_, index) => `p${index}`),
      patternProperties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`^p${index}x*$`, {}])),
    },
    'an object of many parts': {
      allOf: Array.from({ length: 5_000 }, (_, index) => ({
        properties: { [`p${index}`]: {} },
        required: [`p${index}`],
      })),
    },
    'unique numbers that are rare': { type: 'array', minItems: 1_000, uniqueItems: true, items: { multipleOf: 0.37 } },
    'expensive patterns': named(2_000, { type: 'string', pattern: `^${'[a-z]{0,9}'.repeat(40)}$`, minLength: 300 }),
  };
  for (const [name, schema] of Object.entries(forms))
    test(`is filled within its budget: ${name}`, () => {
      const filled = JSON.stringify(fillSchema(schema, { hints: readHints('Paris'), generous: true }));
      expect(filled.length).toBeLessThan(2_000_000);
    });
});
