import { expect, test } from 'bun:test';
import { heldBytes } from './held-bytes.ts';

test('a piece keeps the read that it was cut out of, and pieces of one read keep it once', () => {
  const read = new Uint8Array(1_000);
  const other = new Uint8Array(10);
  expect(heldBytes([])).toBe(0);
  expect(heldBytes([read.subarray(1, 2), read.subarray(5, 9), other])).toBe(1_010);
});
