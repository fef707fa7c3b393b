/** Samples must match by the real engine. */

import { describe, expect, test } from 'bun:test';
import { matchesPattern, type Pattern, readPattern, samplePattern } from './pattern.ts';

const simple = [
  '^[A-Z]{2,3}$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^(red|green|blue)$',
  '^[a-z][a-z0-9_]*$',
  '^\\+?[1-9]\\d{6,14}$',
  '^#[0-9a-fA-F]{6}$',
  '^[^\\s@]+@[^\\s@]+\\.com$',
  'needle',
  '^(?:ab+|c?)$',
  '^\\w{3,}-\\S$',
  '^[\\w.-]+$',
  '^.{5}$',
  '^[^a-z]$',
  '',
];

function read(source: string): Pattern {
  const node = readPattern(source);
  if (node === undefined) throw new Error(`not read: ${source}`);
  return node;
}

describe('patterns', () => {
  for (const source of simple) {
    test(`samples of /${source}/ match it`, () => {
      const expression = new RegExp(source);
      for (let variant = 0; variant < 20; variant++) {
        const sample = samplePattern(read(source), variant, 0) ?? 'no sample';
        expect(sample).toMatch(expression);
        expect(matchesPattern(read(source), sample)).toBe(true);
      }
    });
  }

  test('our matcher agrees with the engine', () => {
    const texts = [
      '',
      'AB',
      'ABCD',
      'red',
      'reds',
      '2025-01-02',
      'a_1',
      '#00ff00',
      'abab',
      'ababc',
      'a@b.com',
      'x needle y',
      'hello',
      'Ünïcode',
    ];
    for (const source of simple) {
      for (const text of texts) {
        expect([source, text, matchesPattern(read(source), text)]).toEqual([
          source,
          text,
          new RegExp(source).test(text),
        ]);
      }
    }
  });

  test('a minimum length is reached where the pattern allows', () => {
    expect(samplePattern(read('^[a-z]+$'), 0, 12)?.length).toBeGreaterThanOrEqual(12);
    expect(samplePattern(read('^ab$'), 0, 12)).toBeUndefined();
  });

  test('variants differ', () => {
    expect(new Set([0, 1, 2].map((variant) => samplePattern(read('^(red|green|blue)$'), variant, 0))).size).toBe(3);
    expect(new Set([0, 1, 2].map((variant) => samplePattern(read('^x_'), variant, 0))).size).toBe(3);
  });

  test('what it does not know is said, not guessed', () => {
    for (const source of [
      '(?=a)b',
      '(a)\\1',
      '^(ab)+$',
      '\\bword',
      '[',
      'a{2',
      '(a',
      'a)',
      '*',
      'a|b',
      'x'.repeat(501),
    ]) {
      expect([source, readPattern(source)]).toEqual([source, undefined]);
    }
  });

  test('a pattern that would block the engine is judged at once', () => {
    const hard = `^${'a*'.repeat(200)}b$`;
    expect(matchesPattern(read(hard), 'a'.repeat(5_000))).toBe(false);
    expect(matchesPattern(read(hard), `${'a'.repeat(5_000)}b`)).toBe(true);
  });
});
