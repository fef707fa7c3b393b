/** Globs against the regular expression of the same meaning, and against patterns made to be slow. */

import { expect, test } from 'bun:test';
import { compileGlob, compileGlobs } from './glob.ts';

test.each([
  ['gpt-4.1', 'gpt-4.1', true],
  ['gpt-4.1', 'gpt-4x1', false],
  ['gpt-4.1', 'GPT-4.1', false],
  ['gpt-*', 'gpt-', true],
  ['gpt-*', 'gpt-4.1-mini', true],
  ['gpt-*', 'agpt-4', false],
  ['*', '', true],
  ['*', 'up/org/model', true],
  ['up/*', 'up/org/model', true],
  ['*-mini', 'gpt-mini', true],
  ['*-mini', 'gpt-mini-2', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'axxbxxc', true],
  ['a*b*c', 'axxcxxb', false],
  ['a*bc*c', 'abc', false],
  ['a*bc*c', 'abcc', true],
  ['**', 'x', true],
  ['', '', true],
  ['', 'x', false],
  ['a?c', 'abc', false],
  ['[a]', 'a', false],
  ['.*', 'x', false],
])('%p matches %p: %p', (pattern, text, expected) => {
  expect(compileGlob(pattern)(text)).toBe(expected);
});

test('agrees with the regular expression of the same meaning', () => {
  const letters = ['a', 'b', '*', '/'];
  const word = (seed: number, length: number): string =>
    Array.from({ length }, (_, index) => letters[Math.floor(seed / 4 ** index) % 4]).join('');
  for (let pattern = 0; pattern < 4 ** 4; pattern++) {
    const matches = compileGlob(word(pattern, 4));
    const reference = new RegExp(`^${word(pattern, 4).replaceAll('*', '.*')}$`);
    for (let seed = 0; seed < 4 ** 5; seed++) {
      const text = word(seed, 5).replaceAll('*', 'c');
      expect(matches(text)).toBe(reference.test(text));
    }
  }
});

test('a pattern full of stars ends without backtracking', () => {
  expect(compileGlob(`${'a*'.repeat(1_000)}b`)('a'.repeat(100_000))).toBe(false);
});

test('any of several, none of none', () => {
  expect(compileGlobs(['x', 'gpt-*'])('gpt-4')).toBe(true);
  expect(compileGlobs([])('gpt-4')).toBe(false);
});
