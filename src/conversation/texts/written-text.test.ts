/** Proves that a text of any length is remembered by its beginning and its size only. */

import { expect, test } from 'bun:test';
import { WrittenText } from './written-text.ts';

const sampleMax = 32_768;

test('a short text is its own sample', () => {
  const written = new WrittenText();
  for (const piece of ['A ', '', 'weir', '.']) written.add(piece);
  expect(written.sample).toBe('A weir.');
  expect(written.characters).toBe(7);
  expect(written.scale).toBe(1);
});

test('no text has nothing to scale', () => {
  const written = new WrittenText();
  written.add('');
  expect([written.sample, written.characters, written.scale]).toEqual(['', 0, 1]);
});

test('of a long text the beginning is kept, and the scale says how much more there was', () => {
  const written = new WrittenText();
  for (let index = 0; index < 10 * sampleMax; index += 8) written.add(`${index}`.padStart(8));
  expect(written.sample).toHaveLength(sampleMax);
  expect(written.sample).toStartWith('       0       8');
  expect(written.characters).toBe(10 * sampleMax);
  expect(written.scale).toBe(10);
});

test('the piece that passes the limit is kept whole, nothing after it', () => {
  const written = new WrittenText();
  written.add('a'.repeat(sampleMax - 1));
  written.add('bc');
  written.add('d');
  expect(written.sample).toEndWith('abc');
  expect(written.characters).toBe(sampleMax + 2);
  expect(written.sample.length * written.scale).toBeCloseTo(sampleMax + 2);
});
