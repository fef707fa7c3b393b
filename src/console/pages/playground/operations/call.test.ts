/** Proves that long replies are told short in the wire panel, and short ones as they are. */

import { expect, test } from 'bun:test';
import { numberOf, shortened } from './call.ts';

test('a picture is told by its beginning and its size', () => {
  const told = shortened(JSON.stringify({ data: [{ b64_json: 'A'.repeat(5_000), revised_prompt: 'a red boat' }] }));
  expect(told.length).toBeLessThan(200);
  expect(told).toContain('… 5000 characters"');
  expect(told).toContain('"revised_prompt":"a red boat"');
});

test('a vector is told by its first numbers and their count', () => {
  const vector = Array.from({ length: 256 }, (_, index) => (index - 128) / 7e5);
  const told = shortened(JSON.stringify({ embedding: vector, model: 'm' }));
  expect(told).toContain(`[${vector.slice(0, 8).join(',')},"… 256 numbers"],"model":"m"`);
});

test('what people can read stays as it is', () => {
  const text = JSON.stringify({ text: 'word '.repeat(500), few: [1, 2, 3], quoted: '\\"x\\"' });
  expect(shortened(text)).toBe(text);
  expect(shortened(`no JSON ${'x'.repeat(1_000)}`)).toEndWith('xxx');
});

test('a number is a number only where it is one', () => {
  expect([numberOf(1.5), numberOf('1'), numberOf(Number.NaN), numberOf(null)]).toEqual([
    1.5,
    undefined,
    undefined,
    undefined,
  ]);
});
