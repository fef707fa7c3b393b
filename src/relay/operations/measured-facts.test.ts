/** The file of an audio request is looked at step by step, and other requests have their turns between. */

import { describe, expect, test } from 'bun:test';
import { Slices } from '../../http/json/in-slices.ts';
import type { AudioLength } from '../../operations/audio/length/audio-length.ts';
import { measuredFacts } from './measured-facts.ts';

const fileBytes = 1_048_576;

/** A slice takes one step: each look at the clock is ten milliseconds later. */
async function measured(file: Uint8Array): Promise<{ turns: number; length: AudioLength | undefined }> {
  let nowMs = 0;
  let turns = 0;
  const nextTurn = (work: () => void): void => {
    turns += 1;
    queueMicrotask(work);
  };
  const slices = new Slices({ nowMs: () => (nowMs += 10), nextTurn, afterMs: nextTurn });
  let length: AudioLength | undefined;
  const audio = {
    in: () => ({
      bytes: file.length,
      async *open() {
        yield file;
      },
    }),
    lasting(facts: object, _: unknown, found: AudioLength) {
      length = found;
      return facts;
    },
  };
  type Given = Parameters<typeof measuredFacts>;
  await measuredFacts(audio as unknown as Given[0], {} as Given[1], {} as Given[2], slices);
  return { turns, length };
}

const filled = (mark: string, unit: readonly number[]): Uint8Array => {
  const file = new Uint8Array(fileBytes).map((_, at) => unit[at % unit.length] ?? 0);
  file.set(Buffer.from(mark, 'latin1'));
  return file;
};

const flacHead = [0xff, 0xf8, 0x19, 0x00, 0x00, 0x00, 0x00, 0x00];

describe('a file of a megabyte, one step in each turn', () => {
  for (const [name, file] of [
    ['of FLAC heads', filled('fLaC', flacHead)],
    ['of marks without heads', filled('fLaC', [0xff])],
    ['of clusters', filled('\x1a\x45\xdf\xa3', [0x1f, 0x43, 0xb6, 0x75])],
    ['of movie boxes', filled('\0\0\0\x10ftyp', [0, 0, 0, 8, ...Buffer.from('free')])],
    ['of pages', filled('OggS', [...Buffer.from('OggS')])],
  ] as const)
    test(name, async () => {
      const { turns, length } = await measured(file);
      expect(turns).toBeGreaterThanOrEqual(fileBytes / 16_384);
      expect(length).toBeDefined();
    });
});

test('a small file is looked at in the turn in which it came', async () => {
  expect((await measured(filled('fLaC', flacHead).subarray(0, 16_384))).turns).toBe(0);
});
