/** Proves that references are written out with their meaning kept, within bounds, and that unknown keywords are taken out and named. */

import { describe, expect, test } from 'bun:test';
import { LossList } from '../loss-list.ts';
import type { JsonSchema } from '../text-request.ts';
import { inlineRefs, keepKeywords } from './dialect.ts';

const inlined = (schema: JsonSchema): JsonSchema => {
  const result = inlineRefs(schema);
  expect(result.recursive).toBeFalse();
  return result.schema;
};

describe('references', () => {
  test('a schema without any stays the same object', () => {
    const schema = { type: 'object', properties: { a: { items: [{ type: 'string' }] } } };
    expect(inlineRefs(schema).schema).toBe(schema);
    expect(inlineRefs(true)).toEqual({ schema: true, recursive: false });
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
      recursive: true,
    });
    expect(inlineRefs({ type: 'array', items: { $ref: '#' } })).toEqual({
      schema: { type: 'array', items: { type: 'array' } },
      recursive: true,
    });
    expect(inlineRefs({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })).toEqual({
      schema: {},
      recursive: true,
    });
  });

  test('used twice side by side are no recursion', () => {
    const $defs = { a: { type: 'string' } };
    const ref = { $ref: '#/$defs/a' };
    expect(inlined({ $defs, anyOf: [ref, ref] })).toEqual({ anyOf: [$defs.a, $defs.a] });
  });

  test('that double at every step are bounded', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const { schema, recursive } = inlineRefs({ $ref: '#/$defs/d0', $defs });
    expect(recursive).toBeTrue();
    expect(JSON.stringify(schema).length).toBeLessThan(3_000_000);
  });

  test('in an endless chain do not exhaust the stack', () => {
    const entries = Array.from({ length: 50_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]);
    expect(inlineRefs({ $ref: '#/$defs/d0', $defs: Object.fromEntries(entries) }).recursive).toBeTrue();
  });

  test('beside a property called __proto__ change nothing but themselves', () => {
    const schema = JSON.parse('{"$defs":{"a":{"type":"string"}},"properties":{"__proto__":{"$ref":"#/$defs/a"}}}');
    expect(JSON.stringify(inlined(schema))).toBe('{"properties":{"__proto__":{"type":"string"}}}');
  });
});

describe('keywords', () => {
  const allowed = new Set(['type', 'properties', 'items', 'anyOf', 'description', 'enum']);

  function kept(schema: JsonSchema): { schema: JsonSchema; losses: string[] } {
    const losses = new LossList();
    return {
      schema: keepKeywords(schema, allowed, 'tools[0].parameters', losses),
      losses: losses.all.map(({ what }) => what),
    };
  }

  test('that are all known leave the same object', () => {
    const schema = { type: 'object', properties: { pattern: { type: 'string' }, minimum: { items: { enum: [1] } } } };
    const result = kept(schema);
    expect(result.schema).toBe(schema);
    expect(result.losses).toEqual([]);
    expect(kept(false).schema).toBe(false);
  });

  test('that are not known go, at every depth, each named by its path; names and values stay', () => {
    expect(
      kept({
        type: 'object',
        additionalProperties: { pattern: 'gone with its keyword' },
        properties: {
          pattern: { type: 'string', pattern: '^a', enum: [{ pattern: 'a value' }] },
          list: { type: 'array', items: { anyOf: [{ type: 'number', minimum: 1 }, true] } },
        },
      }),
    ).toEqual({
      schema: {
        type: 'object',
        properties: {
          pattern: { type: 'string', enum: [{ pattern: 'a value' }] },
          list: { type: 'array', items: { anyOf: [{ type: 'number' }, true] } },
        },
      },
      losses: [
        'tools[0].parameters.additionalProperties',
        'tools[0].parameters.properties.pattern.pattern',
        'tools[0].parameters.properties.list.items.anyOf[0].minimum',
      ],
    });
  });
});
