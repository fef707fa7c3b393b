/** The sandbox promises JSON that satisfies the schema: tried on generated schemas against an independent validator. */

import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../../conversation/text-request.ts';
import { fits, type JsonValue } from './check.ts';
import { fillSchema } from './fill.ts';
import { randomFrom, randomSchema, withReferences } from './generated-schemas.test-data.ts';
import { readHints } from './hints.ts';

const texts = [
  '',
  'What is the weather in Paris and in Rome in celsius for 3 days?',
  'Send "hello there" to ada@example.com on 2025-03-04, count 5, see https://example.com/x?y=1 and name: Bob. 😀😀',
];

const validator = () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
  addFormats(ajv);
  return ajv;
};

/** Printed and parsed again, as a caller sees it. */
const printed = (value: JsonValue): unknown => JSON.parse(JSON.stringify(value));

describe('generated schemas', () => {
  test('400 of them, filled from three texts, generously and sparingly, satisfy an independent validator', () => {
    const ajv = validator();
    const failures: string[] = [];
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomFrom(seed * 7919);
      const plain = randomSchema(random);
      const schema: JsonSchema = seed % 3 === 0 ? withReferences(plain, randomSchema(random, 2)) : plain;
      const check = ajv.compile(schema as object);
      for (const text of texts) {
        for (const generous of [true, false]) {
          const value = fillSchema(schema, { hints: readHints(text), generous });
          if (!check(printed(value))) {
            failures.push(
              `seed ${seed}: ${JSON.stringify(schema)} -> ${JSON.stringify(value)}: ${ajv.errorsText(check.errors)}`,
            );
          }
        }
      }
    }
    expect(failures.slice(0, 5)).toEqual([]);
  });

  test('our own check agrees with the independent validator on good and bad values', () => {
    const ajv = validator();
    const disagreements: string[] = [];
    let refused = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomFrom(seed * 104729);
      const schema = randomSchema(random);
      const other = fillSchema(randomSchema(random), { hints: readHints(texts[seed % 3] ?? ''), generous: true });
      const value = printed(other) as JsonValue;
      const theirs = ajv.compile(schema)(value) as boolean;
      if (!theirs) refused++;
      if (fits(schema, value, schema) !== theirs)
        disagreements.push(`${JSON.stringify(schema)} ${JSON.stringify(value)}`);
    }
    expect(disagreements.slice(0, 5)).toEqual([]);
    expect(refused).toBeGreaterThan(50);
  });
});

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
    ['a date', form({ date: { type: 'string', format: 'date' } }), 'book 2025-03-04', { date: '2025-03-04' }],
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

  test('is the same every time', () => {
    const schema = withReferences(randomSchema(randomFrom(5)), randomSchema(randomFrom(6)));
    expect(fill(schema, texts[1] ?? '')).toEqual(fill(schema, texts[1] ?? ''));
  });

  test('a property called __proto__ is a property', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
    );
    expect(JSON.stringify(fillSchema(schema, { hints: readHints('7'), generous: false }))).toBe('{"__proto__":7}');
  });

  test('endless recursion and ten thousand properties end in bounded time', () => {
    const endless: JsonSchema = {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
    };
    const loop: JsonSchema = { $ref: '#' };
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, { type: 'string', description: 'x'.repeat(40) }]),
    );
    const startMs = performance.now();
    fillSchema(endless, { hints: readHints('x'), generous: true });
    fillSchema(loop, { hints: readHints('x'), generous: true });
    fillSchema(form(properties), { hints: readHints('weather in Paris '.repeat(1000)), generous: true });
    expect(performance.now() - startMs).toBeLessThan(1000);
  });
});
