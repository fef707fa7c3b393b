/** The sandbox promises JSON that satisfies the schema: tried on random schemas against an independent validator. */

import { describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sized } from '../../../test/harness/size.ts';
import type { JsonSchema } from '../../conversation/text-request.ts';
import { fits, type JsonValue } from './check.ts';
import { fillSchema } from './fill.ts';
import { readHints } from './hints.ts';

type Random = () => number;

/** A small generator with a seed, so that a failing case can be run again. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Schema = Record<string, unknown>;

const whole = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));
const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[whole(random, 0, values.length - 1)] as Value;
const chance = (random: Random, likelihood: number) => random() < likelihood;

const propertyNames = [
  'city',
  'count',
  'email',
  'name',
  'tags',
  'unit',
  'query',
  'constructor',
  'start_date',
  'maxResults',
  'id',
  'ok',
];
const patterns = [
  '^[A-Z]{2,3}$',
  '^\\d{4}-\\d{2}$',
  '^(red|green|blue)$',
  '^[a-z][a-z0-9_]*$',
  'x+y?',
  '^\\+?[1-9]\\d{6,14}$',
  '^#[0-9a-fA-F]{6}$',
  '^[^\\s@]+@[^\\s@]+\\.com$',
];
const formats = ['date', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'hostname', 'time', 'duration', 'ipv6'];

function randomSchema(random: Random, depth = 0): Schema {
  const generators = depth > 3 ? scalarGenerators : [...scalarGenerators, ...deepGenerators, ...deepGenerators];
  return pick(random, generators)(random, depth);
}

type SchemaGenerator = (random: Random, depth: number) => Schema;

const textSchema: SchemaGenerator = (random) => {
  if (chance(random, 0.2)) return { type: 'string', pattern: pick(random, patterns) };
  if (chance(random, 0.25)) return { type: 'string', format: pick(random, formats) };
  const low = whole(random, 0, 12);
  return {
    type: 'string',
    ...(chance(random, 0.5) ? { minLength: low } : {}),
    ...(chance(random, 0.5) ? { maxLength: low + whole(random, 0, 6) } : {}),
    ...(chance(random, 0.2) ? { description: 'words' } : {}),
  };
};

const numberSchema: SchemaGenerator = (random) => {
  const low = whole(random, -50, 50);
  const type = pick(random, ['integer', 'number']);
  const step = chance(random, 0.3)
    ? { multipleOf: type === 'integer' ? pick(random, [2, 5, 10]) : pick(random, [0.5, 0.25, 3]) }
    : {};
  const lower = chance(random, 0.6) ? { [pick(random, ['minimum', 'exclusiveMinimum'])]: low } : {};
  const upper = chance(random, 0.6)
    ? { [pick(random, ['maximum', 'exclusiveMaximum'])]: low + whole(random, 12, 40) }
    : {};
  return { type, ...step, ...lower, ...upper };
};

const scalarGenerators: readonly SchemaGenerator[] = [
  textSchema,
  textSchema,
  numberSchema,
  numberSchema,
  () => ({ type: 'boolean' }),
  () => ({ type: 'null' }),
  (random) => ({ enum: [pick(random, ['celsius', 'fahrenheit']), 3, null, 'a b'] }),
  (random) => ({ const: pick<unknown>(random, ['fixed', 7, true, null, { deep: [1] }]) }),
  (random) => ({ type: [pick(random, ['string', 'integer', 'boolean']), 'null'] }),
];

const objectSchema: SchemaGenerator = (random, depth) => {
  const names = propertyNames.filter(() => chance(random, 0.3));
  const properties = Object.fromEntries(names.map((name) => [name, randomSchema(random, depth + 1)]));
  const required = names.filter(() => chance(random, 0.6));
  const extra = pick<unknown>(random, [undefined, false, true, { type: 'integer' }]);
  return {
    type: 'object',
    properties,
    required,
    ...(extra === undefined ? {} : { additionalProperties: extra }),
    ...(extra !== false && chance(random, 0.2) ? { minProperties: whole(random, 0, 4) } : {}),
  };
};

const listSchema: SchemaGenerator = (random, depth) => {
  const unique = chance(random, 0.4);
  const items = unique
    ? pick(random, [
        numberSchema(random, depth),
        { type: 'string', minLength: 2 },
        { enum: ['a', 'b', 'c', 'd', 'e'] },
        { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      ])
    : randomSchema(random, depth + 1);
  const low = whole(random, 0, 3);
  return {
    type: 'array',
    items,
    ...(chance(random, 0.6) ? { minItems: low } : {}),
    ...(chance(random, 0.4) ? { maxItems: low + whole(random, 0, 3) } : {}),
    ...(unique ? { uniqueItems: true } : {}),
  };
};

const deepGenerators: readonly SchemaGenerator[] = [
  objectSchema,
  objectSchema,
  listSchema,
  (random, depth) => ({
    type: 'array',
    prefixItems: [randomSchema(random, depth + 1), randomSchema(random, depth + 1)],
    items: false,
    minItems: 2,
  }),
  (random, depth) => ({ anyOf: [randomSchema(random, depth + 1), randomSchema(random, depth + 1)] }),
  (random, depth) => ({
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'a' }, value: randomSchema(random, depth + 1) },
        required: ['kind', 'value'],
      },
      { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
    ],
  }),
  (random, depth) => ({
    allOf: [
      { type: 'object', properties: { left: randomSchema(random, depth + 1) }, required: ['left'] },
      { type: 'object', properties: { right: randomSchema(random, depth + 1) }, required: ['right'] },
    ],
  }),
  () => ({ allOf: [{ type: 'integer', minimum: 3 }, { maximum: 20 }, { multipleOf: 4 }] }),
  (random, depth) => ({
    type: 'object',
    patternProperties: { '^x_': randomSchema(random, depth + 1) },
    additionalProperties: false,
    minProperties: 2,
  }),
];

/** Every third schema hides parts behind references, one of them to itself. */
function withReferences(schema: Schema, inner: Schema): Schema {
  return {
    $defs: {
      inner,
      tree: {
        type: 'object',
        properties: {
          value: { $ref: '#/$defs/inner' },
          next: { anyOf: [{ $ref: '#/$defs/tree' }, { type: 'null' }] },
          children: { type: 'array', items: { $ref: '#/$defs/tree' } },
        },
        required: ['value', 'next'],
      },
    },
    type: 'object',
    properties: { own: schema, referred: { $ref: '#/$defs/inner' }, tree: { $ref: '#/$defs/tree' } },
    required: ['own', 'referred', 'tree'],
  };
}

const texts = [
  '',
  'What is the weather in Paris and in Rome in celsius for 3 days?',
  'Send "hello there" to ada@example.com on 2025-03-04, count 5, see https://example.com/x?y=1 and name: Bob. 😀😀',
];

const validator = () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
  addFormats.default(ajv);
  return ajv;
};

/** Printed and parsed again, as a caller sees it. */
const printed = (value: JsonValue): unknown => JSON.parse(JSON.stringify(value));

const schemas = sized(20, 150);

describe('generated schemas', () => {
  test(`${schemas} of them, filled from three texts, generously and sparingly, satisfy an independent validator`, () => {
    const ajv = validator();
    const failures: string[] = [];
    for (let seed = 1; seed <= schemas; seed++) {
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
  }, 60_000);

  test('our own check agrees with the independent validator on good and bad values', () => {
    const ajv = validator();
    const disagreements: string[] = [];
    let refused = 0;
    const compared = sized(60, 120);
    for (let seed = 1; seed <= compared; seed++) {
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
    expect(refused).toBeGreaterThan(compared * 0.4);
  }, 60_000);
});
