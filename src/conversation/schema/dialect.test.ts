/** Proves that unknown keywords are taken out and named. */

import { describe, expect, test } from 'bun:test';
import { LossList } from '../loss-list.ts';
import type { JsonSchema } from '../text-request.ts';
import { keepKeywords } from './dialect.ts';

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
