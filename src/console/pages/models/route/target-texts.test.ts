/** Proves what typed terms of a target become. */

import { expect, test } from 'bun:test';
import { readNumber, readWords, withConditions } from './target-texts.ts';

test('numbers: empty is none, a comma is a point, what is too small or no number is wrong', () => {
  expect(readNumber(' ', 1)).toBeUndefined();
  expect(readNumber('0,5', 0.01)).toBe(0.5);
  expect(readNumber('3000', 1)).toBe(3000);
  for (const text of ['0', '-1', '1.5', 'many', '1e999']) expect(readNumber(text, 1)).toBe('wrong');
});

test('lists: words in any spacing, each once', () => {
  expect(readWords(' converse,  embed\nconverse ')).toEqual(['converse', 'embed']);
});

test('conditions that say nothing leave no trace', () => {
  const target = { provider: 'a', model: 'm', only: { region: 'eu', labels: ['vip'] } };
  expect(withConditions(target, { region: '' })).toEqual({ provider: 'a', model: 'm', only: { labels: ['vip'] } });
  expect(withConditions(withConditions(target, { region: '' }), { labels: [] })).toEqual({
    provider: 'a',
    model: 'm',
  });
  expect(withConditions({ provider: 'a', model: 'm' }, { input_tokens_max: 0 })).toEqual({ provider: 'a', model: 'm' });
  expect(withConditions({ provider: 'a', model: 'm' }, { input_tokens_max: 9 }).only).toEqual({ input_tokens_max: 9 });
});
