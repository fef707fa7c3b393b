import { describe, expect, test } from 'bun:test';
import { moderateInputs } from '../moderate.ts';
import { slicesOf } from './slices.ts';

const flagged = (text: string): boolean =>
  moderateInputs({ inputs: [[{ type: 'text', text }]] }, 'id', 'm').results[0]?.flagged === true;

test('a short text is one slice, and none at all is one too', () => {
  expect([...slicesOf('Hello there.')]).toEqual(['Hello there.']);
  expect([...slicesOf('')]).toEqual(['']);
});

test('sentences are neither cut nor lost nor read twice', () => {
  const text = Array.from({ length: 5_000 }, (_, index) => `This is sentence number ${index}.`).join(' ');
  const slices = [...slicesOf(text)];
  expect(slices.length).toBeGreaterThan(10);
  expect(slices.join('')).toBe(text);
  for (const slice of slices) expect(slice.trim()).toMatch(/^This is .*\d\.$/s);
});

describe('a threat is found wherever it is', () => {
  const threat = 'i will kill you';
  const fillings = { sentences: 'The river is wide. ', words: 'river ', lines: 'river\n', letters: 'x' };
  test.each(Object.entries(fillings))('between %s', (_name, filling) => {
    for (let length = 7_400; length < 9_000; length += 29) {
      const before = filling.repeat(Math.round(length / filling.length));
      expect([before.length, flagged(`${before} ${threat} ${filling.repeat(500)}`)]).toEqual([before.length, true]);
    }
    expect(flagged(filling.repeat(2_000))).toBe(false);
  });
});

test('half a million characters without a gap end', () => {
  const slices = [...slicesOf('a1'.repeat(250_000))];
  expect(slices.every((slice) => slice.length <= 8_192)).toBe(true);
});
