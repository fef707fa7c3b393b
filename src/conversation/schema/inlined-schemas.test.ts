/** Proves that references are written out with their meaning kept, and that all schemas of a request share one count of what that adds. */

import { describe, expect, test } from 'bun:test';
import type { JsonSchema } from '../text-request.ts';
import { addedNodesMax, type InlinedSchema, InlinedSchemas } from './inlined-schemas.ts';

const inlineRefs = (schema: JsonSchema): InlinedSchema => new InlinedSchemas().of(schema);

const inlined = (schema: JsonSchema): JsonSchema => {
  const result = inlineRefs(schema);
  expect(result.isCut).toBeFalse();
  return result.schema;
};

describe('references', () => {
  test('a schema without any stays the same object', () => {
    const schema = { type: 'object', properties: { a: { items: [{ type: 'string' }] } } };
    expect(inlineRefs(schema).schema).toBe(schema);
    expect(inlineRefs(true)).toEqual({ schema: true, isCut: false });
  });

  test('are replaced at every position of a schema, and the definitions are removed', () => {
    const point = { type: 'number', minimum: 0 };
    const ref = { $ref: '#/$defs/point' };
    const around = (inner: JsonSchema): JsonSchema => ({
      type: 'object',
      properties: { a: inner, list: { type: 'array', items: inner, prefixItems: [inner], contains: inner } },
      patternProperties: { '^x': inner },
      additionalProperties: inner,
      anyOf: [inner, { not: inner }],
      if: inner,
      dependentSchemas: { a: inner },
    });
    expect(inlined({ ...(around(ref) as object), $defs: { point } })).toEqual(around(point));
    expect(inlined({ definitions: { point }, items: { $ref: '#/definitions/point' } })).toEqual({ items: point });
  });

  test('of references, into any pointer, escaped ones included', () => {
    const schema = {
      properties: {
        'a/b ~c': { type: 'string' },
        d: { $ref: '#/properties/a~1b%20~0c' },
        e: { $ref: '#/properties/d' },
      },
      anyOf: [{ type: 'object' }, { $ref: '#/anyOf/0' }],
    };
    expect(inlined(schema)).toEqual({
      properties: { 'a/b ~c': { type: 'string' }, d: { type: 'string' }, e: { type: 'string' } },
      anyOf: [{ type: 'object' }, { type: 'object' }],
    });
  });

  test('at the root, as generators write it', () => {
    expect(
      inlined({ $schema: 'x', $ref: '#/definitions/T', definitions: { T: { type: 'object', $schema: 'y' } } }),
    ).toEqual({ type: 'object', $schema: 'x' });
  });

  test('keep the keywords beside them', () => {
    const $defs = {
      base: { type: 'object', description: 'base', properties: { a: true }, required: ['a'], minProperties: 1 },
      anything: true,
      nothing: false,
    };
    const beside = (siblings: object) => inlined({ $defs, items: { $ref: '#/$defs/base', ...siblings } });
    const { base } = $defs;
    expect(beside({ description: 'mine' })).toEqual({ items: { ...base, description: 'mine' } });
    expect(beside({ properties: { b: false }, required: ['b', 'a'] })).toEqual({
      items: { ...base, properties: { a: true, b: false }, required: ['a', 'b'] },
    });
    expect(beside({ minProperties: 2, properties: { a: false } })).toEqual({
      items: { ...base, allOf: [{ minProperties: 2, properties: { a: false } }] },
    });
    expect(inlined({ $defs, items: { $ref: '#/$defs/anything', title: 't' } })).toEqual({ items: { title: 't' } });
    expect(inlined({ $defs, items: { $ref: '#/$defs/nothing', title: 't' } })).toEqual({ items: false });
  });

  test('to other documents, to nothing and to what is no schema stay', () => {
    for (const $ref of [
      'https://example.com/s.json',
      '#/$defs/none',
      '#anchor',
      '#/$defs/%E0%A4%A',
      '#/constructor',
      '#/title',
    ]) {
      expect(inlined({ title: 't', items: { $ref } })).toEqual({ title: 't', items: { $ref } });
    }
  });

  test('that are only names or values stay as they are', () => {
    const schema = {
      properties: { $ref: { type: 'string' }, $defs: { type: 'object' } },
      enum: [{ $ref: '#/x' }],
      const: { $ref: '#/x' },
      default: { $ref: '#/x', $defs: {} },
      examples: [{ $ref: '#/x' }],
    };
    expect(inlineRefs(schema).schema).toBe(schema);
  });

  test('that are recursive end in their plain type, and that is reported', () => {
    const node = { type: 'object', description: 'a node', properties: { next: { $ref: '#/$defs/node' } } };
    expect(inlineRefs({ $defs: { node }, items: { $ref: '#/$defs/node' } })).toEqual({
      schema: {
        items: {
          type: 'object',
          description: 'a node',
          properties: { next: { type: 'object', description: 'a node' } },
        },
      },
      isCut: true,
    });
    expect(inlineRefs({ type: 'array', items: { $ref: '#' } })).toEqual({
      schema: { type: 'array', items: { type: 'array' } },
      isCut: true,
    });
    expect(inlineRefs({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })).toEqual({
      schema: {},
      isCut: true,
    });
  });

  test('used twice side by side are no recursion', () => {
    const $defs = { a: { type: 'string' } };
    const ref = { $ref: '#/$defs/a' };
    expect(inlined({ $defs, anyOf: [ref, ref] })).toEqual({ anyOf: [$defs.a, $defs.a] });
  });

  test('in an endless chain do not exhaust the stack', () => {
    const entries = Array.from({ length: 50_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]);
    expect(inlineRefs({ $ref: '#/$defs/d0', $defs: Object.fromEntries(entries) }).isCut).toBeTrue();
  });

  test('beside a property called __proto__ change nothing but themselves', () => {
    const schema = JSON.parse('{"$defs":{"a":{"type":"string"}},"properties":{"__proto__":{"$ref":"#/$defs/a"}}}');
    expect(JSON.stringify(inlined(schema))).toBe('{"properties":{"__proto__":{"type":"string"}}}');
  });
});

/** References that double at every step. */
const doubling = (steps: number): JsonSchema => {
  const $defs = Object.fromEntries(
    Array.from({ length: steps }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { type: 'object', properties: { a: next, b: next } }];
    }),
  );
  return { $ref: '#/$defs/d0', $defs };
};

/** Values of JSON, and long texts by their length. */
function nodesIn(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 64;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + nodesIn(inner), 1);
}

describe('what references add to the schemas of a request', () => {
  test('is counted for all of them together', () => {
    const schemas = new InlinedSchemas();
    const sent = Array.from({ length: 150 }, () => doubling(20));
    const written = sent.map((schema) => schemas.of(schema).schema);
    expect(nodesIn(written)).toBeLessThan(nodesIn(sent) + addedNodesMax);
  });

  test('is written once for all targets', () => {
    const schemas = new InlinedSchemas();
    const schema = doubling(8);
    const first = schemas.of(schema);
    const { added } = schemas;
    expect(added).toBeGreaterThan(0);
    expect(schemas.of(schema)).toBe(first);
    expect(schemas.added).toBe(added);
  });

  test('is nothing where each definition is used once, in a thousand tools', () => {
    const schemas = new InlinedSchemas();
    const item = { type: 'object', properties: { name: { type: 'string', description: 'a name'.repeat(20) } } };
    for (let tool = 0; tool < 1_000; tool++) {
      const $defs = { item: { ...item }, kind: { enum: ['a', 'b'], title: 'Kind' } };
      const schema = {
        properties: { item: { $ref: '#/$defs/item', description: 'it' }, kind: { $ref: '#/$defs/kind' } },
        $defs,
      };
      expect(schemas.of(schema)).toEqual({
        schema: { properties: { item: { ...item, description: 'it' }, kind: $defs.kind } },
        isCut: false,
      });
    }
    expect(schemas.added).toBe(0);
  });

  const large = 'x'.repeat(50_000);
  const many = Array.from({ length: 20_000 }, (_, index) => `p${index}`);
  const refs = (count: number, $ref = '#/$defs/a') => Array.from({ length: count }, () => ({ $ref }));
  const chain = (last: object) => ({
    $defs: Object.fromEntries([
      ...Array.from({ length: 90 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}`, required: ['x'] }]),
      ['d90', last],
    ]),
    anyOf: refs(50, '#/$defs/d0'),
  });
  const forms: Readonly<Record<string, JsonSchema>> = {
    'a long description': { anyOf: refs(200), $defs: { a: { type: 'string', description: large } } },
    'a long description of a recursive schema': {
      type: 'object',
      description: large,
      anyOf: refs(200, '#'),
    },
    'a long list of types': { anyOf: refs(200, '#'), type: many },
    'a long enumeration': { anyOf: refs(200), $defs: { a: { enum: many } } },
    'many names that are allowed': {
      anyOf: refs(200),
      $defs: { a: { properties: Object.fromEntries(many.map((name) => [name, true])) } },
    },
    'a required list at every link of a chain': chain({ required: many }),
    'many keywords at every link of a chain': chain(Object.fromEntries(many.map((name) => [name, 1]))),
    'many spellings of one reference': {
      anyOf: ['a', '%61'].flatMap((one) =>
        ['b', '%62'].flatMap((two) => ['c', '%63'].map((three) => ({ $ref: `#/$defs/${one}${two}${three}` }))),
      ),
      $defs: { abc: { enum: many } },
    },
    'definitions within definitions': {
      anyOf: refs(50, '#/$defs/a/properties/b'),
      $defs: { a: { properties: { b: { enum: many } } } },
    },
  };
  for (const [name, schema] of Object.entries(forms))
    test(`is bounded for ${name}`, () => {
      const { schema: written, isCut } = inlineRefs(schema);
      expect(nodesIn(written)).toBeLessThan(nodesIn(schema) + addedNodesMax);
      expect(isCut).toBeTrue();
    });

  test('does not nest without a bound', () => {
    let deep: JsonSchema = { $ref: '#/$defs/d1' };
    for (let level = 0; level < 60; level++) deep = { items: deep };
    const $defs = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `d${index}`,
        JSON.parse(JSON.stringify(deep).replace('d1', `d${index + 1}`)),
      ]),
    );
    const { schema, isCut } = inlineRefs({ $ref: '#/$defs/d0', $defs });
    expect(isCut).toBeTrue();
    let depth = 0;
    for (let inner: unknown = schema; inner !== undefined; depth++) inner = (inner as { items?: unknown }).items;
    expect(depth).toBeLessThan(600);
  });
});
