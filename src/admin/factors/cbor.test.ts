/** CBOR as authenticators write it, and the limits of the reader. */

import { describe, expect, test } from 'bun:test';
import { CborError, readCbor } from './cbor.ts';

const read = (hex: string) => readCbor(Uint8Array.fromHex(hex)).value;

/** Examples of RFC 8949, appendix A. */
for (const [hex, value] of [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1_000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['20', -1],
  ['3903e7', -1_000],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['60', ''],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
  ['80', []],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
] as const) {
  test(hex, () => expect(read(hex)).toEqual(value as never));
}

test('bytes and maps', () => {
  expect(read('4401020304')).toEqual(Uint8Array.of(1, 2, 3, 4));
  expect(read('a26161016162820203')).toEqual(
    new Map<string, number | number[]>([
      ['a', 1],
      ['b', [2, 3]],
    ]),
  );
  expect(readCbor(Uint8Array.fromHex('ff0102'), 1)).toEqual({ value: 1, end: 2 });
});

describe('refused', () => {
  for (const [what, hex] of [
    ['nothing', ''],
    ['a length beyond the end', '4501020304'],
    ['a huge length', '5b00000000ffffffff00'],
    ['a number beyond what is exact', '1bffffffffffffffff'],
    ['an indefinite length', '5f42010243030405ff'],
    ['a tag', 'c074323031332d30332d32315432303a30343a30305a'],
    ['a float', 'fa47c35000'],
    ['undefined', 'f7'],
    ['text that is not UTF-8', '61ff'],
    ['a key of another kind', 'a1820102 03'.replace(' ', '')],
    ['a key that is there twice', 'a201010102'],
    ['too many items', `98${(101).toString(16)}${'00'.repeat(101)}`],
    ['a map that promises more than there is', 'bb00000000000fffff'],
  ] as const) {
    test(what, () => expect(() => read(hex)).toThrow(CborError));
  }

  test('deeper than eight levels', () => {
    expect(() => read(`${'81'.repeat(8)}00`)).not.toThrow();
    expect(() => read(`${'81'.repeat(9)}00`)).toThrow(CborError);
    expect(() => read('81'.repeat(100_000))).toThrow(CborError);
  });
});
