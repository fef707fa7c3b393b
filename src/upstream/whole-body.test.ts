/** Bodies for transports that do not stream: the same bytes, or an error where a body is not as long as it said. */

import { describe, expect, test } from 'bun:test';
import type { StreamedBody } from './transport.ts';
import { wholeBody } from './whole-body.ts';

const streamed = (pieces: readonly string[], bytes: number): StreamedBody => ({
  bytes,
  async *open() {
    for (const piece of pieces) yield Buffer.from(piece);
  },
});

describe('a whole body', () => {
  test('is what was at hand', async () => {
    const bytes = new Uint8Array([1, 2]);
    expect(await wholeBody(bytes)).toBe(bytes);
    expect(await wholeBody('text')).toBe('text');
    expect(await wholeBody(undefined)).toBeUndefined();
  });

  test('is what streamed, to the byte', async () => {
    expect(Buffer.from((await wholeBody(streamed(['ab', '', 'c'], 3))) ?? '').toString()).toBe('abc');
    await expect(wholeBody(streamed(['ab'], 3))).rejects.toThrow('ended after 2 of 3');
    await expect(wholeBody(streamed(['ab', 'cd'], 3))).rejects.toThrow('longer than its 3');
  });
});
