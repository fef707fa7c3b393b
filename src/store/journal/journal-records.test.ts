/** Checksums of the journal: those of zlib, with which the files of earlier Weirs were written. */

import { expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { generationChecksum, recordChecksum } from './journal-records.ts';

const texts = ['', '[1]', 'é', '日本語', '😀', 'half \ud800 of a pair', 'x'.repeat(100_000)];
const generations = [0, 1, 255, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 7, Number.MAX_SAFE_INTEGER];

test('a record has the same checksum as text and as bytes, in every generation', () => {
  for (const generation of generations) {
    for (const text of texts) {
      const expected = crc32(text, generation >>> 0);
      expect(recordChecksum(text, generation)).toBe(expected);
      expect(recordChecksum(Buffer.from(text), generation)).toBe(expected);
    }
  }
});

test('a generation has the checksum of its digits', () => {
  for (const generation of generations) expect(generationChecksum(generation)).toBe(crc32(`${generation}`));
});
