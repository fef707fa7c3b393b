/** Proves that fields are read as people fill them: with blank lines, spaces, and nothing at all. */

import { expect, test } from 'bun:test';
import { linesOf, optionalNumber } from './field-texts.ts';

test('each line is a text, and a blank one is none', () => {
  expect(linesOf(' one \n\n two\r\n \n')).toEqual(['one', 'two']);
  expect(linesOf('')).toEqual([]);
});

test('an empty field is no number, and neither is a word', () => {
  const read = ['', '  ', '0', ' 1.5 ', 'x', '1e3', 'Infinity'].map(optionalNumber);
  expect(read).toEqual([undefined, undefined, 0, 1.5, undefined, 1_000, undefined]);
});
