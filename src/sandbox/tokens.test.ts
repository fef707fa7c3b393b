/** Pieces are the sandbox's tokens: nothing may be lost between them. */

import { describe, expect, test } from 'bun:test';
import { countTokens, countWords, firstTokens, splitTokens } from './tokens.ts';

describe('pieces', () => {
  const texts = [
    '',
    'one',
    'two words',
    '  lead and trail  ',
    'a\n\nb\tc',
    'x'.repeat(100),
    ' '.repeat(100),
    '😀'.repeat(40),
    `a${'😀'.repeat(40)}`,
    '{"city":"Paris"}',
  ];
  for (const text of texts) {
    test(`of ${JSON.stringify(text.slice(0, 20))} join to the same text`, () => {
      const all = [...splitTokens(text)];
      expect(all.join('')).toBe(text);
      expect(all.length).toBe(countTokens(text));
      for (const piece of all) expect(piece.isWellFormed()).toBe(true);
    });
  }

  test('a piece is a word with the space before it', () => {
    expect([...splitTokens('one two, three')]).toEqual(['one', ' two,', ' three']);
  });

  test('the first ones', () => {
    expect(firstTokens('one two three', 2)).toEqual({ text: 'one two', count: 2 });
    expect(firstTokens('one two', 9)).toEqual({ text: 'one two', count: 2 });
    expect(firstTokens('one', 0)).toEqual({ text: '', count: 0 });
  });

  test('words', () => {
    expect(countWords('  three little\nwords ')).toBe(3);
    expect(countWords('')).toBe(0);
  });
});
