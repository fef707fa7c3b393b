/** A legacy completion asks for little, and its turns are known by how the prompt begins. */

import { describe, expect, test } from 'bun:test';
import { noNeeds } from '../../conversation/needs.ts';
import { affinityOf } from './affinity.ts';
import { needsOf } from './needs.ts';

describe('needs', () => {
  test('a prompt is text, whatever it says', () => {
    for (const tree of [{}, { prompt: 'image_url' }, { prompt: [[1]], tools: [{}] }, { response_format: null }]) {
      expect(needsOf(tree)).toBe(noNeeds);
    }
  });

  test('JSON, where a compatible service is asked for it', () => {
    expect(needsOf({ response_format: { type: 'json_object' } })).toEqual({ ...noNeeds, structured: true });
  });
});

describe('affinity', () => {
  const opening = 'You are a clerk. '.repeat(64);

  test('a prompt that grows keeps its beginning', () => {
    const turns = ['Q: a', 'Q: a\nA: b\nQ: c', 'Q: a\nA: b\nQ: c\nA: d\nQ: e'];
    const prefixes = turns.map((turn) => affinityOf({ prompt: opening + turn })?.prefix);
    expect(prefixes).toEqual(Array(3).fill(opening.slice(0, 1_024)));
    expect(affinityOf({ prompt: `No. ${opening}` })?.prefix).not.toBe(prefixes[0]);
  });

  test('a short prompt has none, from the first character that makes it long it has', () => {
    expect(affinityOf({ prompt: 'x'.repeat(1_023) })).toBeUndefined();
    expect(affinityOf({ prompt: 'x'.repeat(1_024) })).toEqual({ prefix: 'x'.repeat(1_024), prefixBytes: 1_024 });
    expect(affinityOf({ prompt: 'short', prompt_cache_key: 'k' })).toEqual({
      session: 'k',
      prefix: '',
      prefixBytes: 5,
    });
  });

  test('of lists the first entry counts, tokens included', () => {
    const tokens = Array.from({ length: 300 }, (_, index) => index);
    const prefix = affinityOf({ prompt: tokens })?.prefix;
    expect(prefix).toStartWith('0 1 2 ');
    expect(affinityOf({ prompt: [tokens, [1]] })?.prefix).toBe(prefix ?? '');
    expect(affinityOf({ prompt: [...tokens, 301] })?.prefix).toBe(prefix ?? '');
    expect(affinityOf({ prompt: tokens.slice(0, 255) })).toBeUndefined();
    expect(affinityOf({ prompt: [opening, 'other'] })?.prefix).toBe(opening.slice(0, 1_024));
  });

  test('what is no prompt has none', () => {
    for (const prompt of [undefined, null, 5, {}, [], [null], [{}], [[]], [[[[]]]]]) {
      expect(affinityOf({ prompt })).toBeUndefined();
    }
  });
});
