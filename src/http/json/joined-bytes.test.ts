/** Pieces are copied in their order, however they are cut, and no step copies much. */

import { expect, test } from 'bun:test';
import { JoinedBytes } from './joined-bytes.ts';

function piecesOf(lengths: readonly number[]): Uint8Array[] {
  let next = 0;
  return lengths.map((length) => Uint8Array.from({ length }, () => next++ % 251));
}

test.each([
  [[], 1],
  [[0, 0], 1],
  [[1, 0, 2], 1],
  [[262_144], 1],
  [[100_000, 100_000, 100_000, 1, 0], 2],
  [[1_000_000, 50_000], 5],
])('pieces of %j bytes', (lengths, steps) => {
  const joined = new JoinedBytes(piecesOf(lengths));
  let taken = 1;
  while (!joined.step()) taken += 1;
  expect(Buffer.from(joined.bytes).equals(Buffer.concat(piecesOf(lengths)))).toBe(true);
  expect(taken).toBe(steps);
});
