/** Proves that the first account's mistakes are found before they are sent, and where. */

import { expect, test } from 'bun:test';
import { en } from '../../words/en.ts';
import { accountMistakes } from './account-mistakes.ts';

const mistakes = (name: string, password: string) => accountMistakes({ name, password }, en.session.mistakes);

test('a name and a password that is long enough have none', () => {
  expect(mistakes('Ada', 'ten letter')).toEqual({});
  // Characters as people count them.
  expect(mistakes('Ada', '🌊'.repeat(10))).toEqual({});
});

test('an absent name and a short password are said at their fields', () => {
  expect(mistakes('  ', 'short')).toEqual({ name: 'Enter a name.', password: 'Use at least 10 characters.' });
  expect(mistakes('Ada', '')).toEqual({ password: 'Use at least 10 characters.' });
});
