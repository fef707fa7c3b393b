/** Proves what the picker of models offers for what is typed, and what its field then holds. */

import { expect, test } from 'bun:test';
import { entriesOf, offersFor, withEntries, withoutEntry } from './model-choice.ts';

const models = [
  { id: 'gpt-4.1', alias: false },
  { id: 'gpt-4.1-mini', alias: false },
  { id: 'house-model', alias: true },
];
const offered = (typed: string, chosen: readonly string[] = []) =>
  offersFor(typed, models, chosen).map(({ name, kind }) => `${kind} ${name}`);

test('aliases come first, what is chosen already is left out', () => {
  expect(offered('')).toEqual(['alias house-model', 'model gpt-4.1', 'model gpt-4.1-mini']);
  expect(offered('', ['gpt-4.1'])).toEqual(['alias house-model', 'model gpt-4.1-mini']);
});

test('letters search, a pattern is taken as it is, a name that nobody serves can be added', () => {
  expect(offered('MINI')).toEqual(['model gpt-4.1-mini', 'typed MINI']);
  expect(offered('gpt-*')).toEqual(['typed gpt-*', 'model gpt-4.1', 'model gpt-4.1-mini']);
  expect(offered('future-model')).toEqual(['typed future-model']);
  expect(offered('gpt-4.1')).toEqual(['model gpt-4.1', 'model gpt-4.1-mini']);
});

test('the field holds each entry once', () => {
  expect(entriesOf('a\n b, a,\n')).toEqual(['a', 'b']);
  expect(withEntries('a', 'b, a')).toBe('a\nb');
  expect(withEntries('', 'gpt-*')).toBe('gpt-*');
  expect(withoutEntry('a\nb', 'a')).toBe('b');
});
