/** The printer of pieces against the runtime's: the same bytes, wherever the pieces end. */

import { expect, test } from 'bun:test';
import { Random } from '../../../test/harness/random.ts';
import { JsonPrinter } from './json-printer.ts';

function printed(value: object, pieceLength: number): string {
  const printer = new JsonPrinter(value, pieceLength);
  while (!printer.step());
  return new TextDecoder().decode(printer.bytes);
}

test.each([1, 2, 3])('random values are printed as the runtime prints them, seed %i', (seed) => {
  const random = new Random(seed);
  for (let round = 0; round < 500; round++) {
    const value = random.object(4);
    expect(printed(value, random.int(1, 9))).toBe(JSON.stringify(value));
  }
});

test('what has no value, odd numbers, lone halves of characters and odd keys', () => {
  const value = {
    a: undefined,
    b: [undefined, Number.NaN, -0, 1e21, null, true, []],
    ['__proto__x']: { '"': '\ud83d', '': '😀😀😀\ude00' },
    10: 'x',
    c: {},
  };
  for (let length = 1; length < 12; length++) expect(printed(value, length)).toBe(JSON.stringify(value));
  expect(printed([], 1)).toBe('[]');
});

test('a long text in many chunks', () => {
  const value = { text: 'é"\n漢😀'.repeat(200_000) };
  expect(printed(value, 131_072)).toBe(JSON.stringify(value));
});
