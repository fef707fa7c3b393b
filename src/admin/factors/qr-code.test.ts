/** QR codes, compared with a known one and read back by a reader that shares no code with the writer. */

import { describe, expect, test } from 'bun:test';
import { type QrCode, qrCode, qrPath } from './qr-code.ts';
import { multiply } from './qr-error-correction.ts';

/** "Weir" at level M, as an independent encoder draws it with the same mask. */
const known = `
#######....##.#######
#.....#..####.#.....#
#.###.#.####..#.###.#
#.###.#.#####.#.###.#
#.###.#.##.##.#.###.#
#.....#.#...#.#.....#
#######.#.#.#.#######
........#..##........
#.#####.....#.#####..
###.##...##.#..#.##.#
.##.######.#.#..####.
..##...###.....######
##....###.##.#..#..#.
........##.####....#.
#######..##.#.##.###.
#.....#.#.#####..##..
#.###.#.#...#..#.#.#.
#.###.#.#.#.#..#..#..
#.###.#.####.#..#....
#.....#...#....##.#..
#######.####.#..#.##.`.trim();

const shown = (code: QrCode): string => code.map((row) => row.map((dark) => (dark ? '#' : '.')).join('')).join('\n');

test('a known code', () => expect(shown(qrCode('Weir'))).toBe(known));

/** Of each version at level M, from the tables of the standard: total codewords, correction codewords of a block, blocks. */
const versions: readonly (readonly [total: number, correction: number, blocks: number])[] = [
  [26, 10, 1],
  [44, 16, 1],
  [70, 26, 1],
  [100, 18, 2],
  [134, 24, 2],
  [172, 16, 4],
  [196, 18, 4],
  [242, 22, 4],
  [292, 22, 5],
  [346, 26, 5],
  [404, 30, 5],
  [466, 22, 8],
  [532, 22, 9],
  [581, 24, 9],
  [655, 24, 10],
];
/** Centers of the alignment patterns, from the same tables. */
const alignments: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
  [6, 32, 58],
  [6, 34, 62],
  [6, 26, 46, 66],
  [6, 26, 48, 70],
];

function isReserved(x: number, y: number, size: number, version: number): boolean {
  if (x === 6 || y === 6) return true;
  if ((x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)) return true;
  if (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6))) return true;
  const centers = alignments[version - 1] ?? [];
  return centers.some((cx) =>
    centers.some((cy) => {
      const isCorner = (cx === 6 && cy === 6) || (cx === 6 && cy === size - 7) || (cx === size - 7 && cy === 6);
      return !isCorner && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2;
    }),
  );
}

const inverts = (mask: number, x: number, y: number): boolean =>
  [
    (x + y) % 2,
    y % 2,
    x % 3,
    (x + y) % 3,
    (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
    ((x * y) % 2) + ((x * y) % 3),
    (((x * y) % 2) + ((x * y) % 3)) % 2,
    (((x + y) % 2) + ((x * y) % 3)) % 2,
  ][mask] === 0;

function codewordsOf(code: QrCode, version: number): number[] {
  const size = code.length;
  const at = (x: number, y: number): number => (code[y]?.[x] === true ? 1 : 0);
  const format = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => at(8, y)).reduce((sum, bit, index) => sum | (bit << index), 0);
  const high = [7, 5, 4, 3, 2, 1, 0].map((x) => at(x, 8)).reduce((sum, bit, index) => sum | (bit << (index + 8)), 0);
  const plain = ((high | format) ^ 0x5412) >> 10;
  expect(plain >> 3).toBe(0);
  const bits: number[] = [];
  let isUpward = true;
  for (let column = size - 1; column > 0; column -= column === 8 ? 3 : 2, isUpward = !isUpward) {
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [column, column - 1]) {
        if (!isReserved(x, y, size, version)) bits.push(at(x, y) ^ (inverts(plain & 7, x, y) ? 1 : 0));
      }
    }
  }
  const total = versions[version - 1]?.[0] ?? 0;
  return Array.from({ length: total }, (_, index) => Number.parseInt(bits.slice(index * 8, index * 8 + 8).join(''), 2));
}

function readCode(code: QrCode): string {
  const version = (code.length - 17) / 4;
  const [total, correction, count] = versions[version - 1] ?? [0, 0, 0];
  const codewords = codewordsOf(code, version);
  const dataTotal = total - correction * count;
  const lengths = Array.from({ length: count }, (_, index) => Math.floor((dataTotal + index) / count));
  const blocks = lengths.map((): number[] => []);
  let at = 0;
  for (let turn = 0; turn < Math.max(...lengths); turn++)
    for (const [index, block] of blocks.entries()) if (turn < (lengths[index] ?? 0)) block.push(codewords[at++] ?? 0);
  const data = blocks.flat();
  for (let turn = 0; turn < correction; turn++) for (const block of blocks) block.push(codewords[at++] ?? 0);
  for (const block of blocks) {
    // A block without errors has the generator's roots.
    for (let power = 0, root = 1; power < correction; power++, root = multiply(root, 2)) {
      expect(block.reduce((sum, byte) => multiply(sum, root) ^ byte, 0)).toBe(0);
    }
  }
  const bits = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(bits.slice(0, 4)).toBe('0100');
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(bits.slice(4, 4 + lengthBits), 2);
  const start = 4 + lengthBits;
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(bits.slice(start + index * 8, start + index * 8 + 8), 2),
  );
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

describe('what is written can be read', () => {
  for (const length of [1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 180, 213, 214, 251, 287, 331, 362, 412]) {
    test(`${length} bytes`, () => {
      const filled = length === 1 ? 'x' : `é${'otpauth://totp/Weir:ann?'.repeat(20).slice(0, length - 2)}`;
      expect(readCode(qrCode(filled))).toBe(filled);
    });
  }
});

test('the smallest version is chosen, and what is too large is refused', () => {
  expect([qrCode('x'.repeat(14)).length, qrCode('x'.repeat(15)).length]).toEqual([21, 25]);
  expect(qrCode('x'.repeat(412))).toHaveLength(77);
  expect(() => qrCode('x'.repeat(413))).toThrow('too large');
});

test('the path draws every dark module, behind a margin of four', () => {
  const { size, path } = qrPath('Weir');
  expect(size).toBe(29);
  const rows = Array.from({ length: 21 }, () => Array.from({ length: 21 }, () => false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    const row = rows[Number(y) - 4] ?? [];
    for (let index = 0; index < Number(width); index++) row[Number(x) - 4 + index] = true;
  }
  expect(shown(rows)).toBe(known);
});
