/** MP4 and WebM files whose headers claim another length than they hold. */

import { describe, expect, test } from 'bun:test';
import {
  aacFrameSamples,
  box,
  element,
  type MovieOptions,
  movieFile,
  webmFile,
} from '../../../../test/harness/movie-files.ts';
import { AudioMeter } from './audio-length.ts';

function lengthOf(file: Uint8Array, pieceBytes = file.length) {
  const meter = new AudioMeter(file.length);
  for (let at = 0; at < file.length && meter.wantsMore; at += pieceBytes) {
    meter.take(file.slice(at, at + pieceBytes));
  }
  const { seconds, exact } = meter.length;
  return { seconds: seconds === undefined ? undefined : Math.round(seconds * 1_000) / 1_000, exact };
}

describe('an MP4 file', () => {
  const frames = 1_500;
  const holds = { claimedSeconds: 1, frames };
  const seconds = (frames * aacFrameSamples) / 16_000;
  const shapes: readonly (readonly [string, Partial<MovieOptions>, number])[] = [
    ['with its table before the samples', {}, seconds],
    ['with its table at the end', { tableAtEnd: true }, seconds],
    ['with a table of times that claims less', { frameTicks: 1 }, seconds],
    ['with a table of times that claims more', { frameTicks: 2 * aacFrameSamples }, 2 * seconds],
    ['in fragments', { fragments: 30 }, seconds],
    ['in fragments that claim less', { fragments: 30, frameTicks: 1 }, seconds],
    ['that is played three times over', { edits: 3 }, 3 * seconds],
    ['with one edit', { edits: 1 }, seconds],
    ['at another rate', { samplesPerSecond: 48_000 }, seconds / 3],
  ];

  test.each(shapes)('%s lasts as long as its samples', (_, shape, expected) => {
    for (const claimedSeconds of [0, 1, 100_000]) {
      const file = movieFile({ ...holds, ...shape, claimedSeconds });
      for (const pieceBytes of [1, 13, 1_000, file.length]) {
        expect(lengthOf(file, pieceBytes)).toEqual({ seconds: expected, exact: true });
      }
    }
  });

  test('of another codec lasts as long as its table of times says, and is bounded by its bytes as well', () => {
    expect(lengthOf(movieFile({ ...holds, codec: 'ac-3' }))).toEqual({ seconds, exact: false });
  });

  test('with further tracks lasts as long as the longest; boxes in the way hide none', () => {
    const [short, long] = [movieFile({ ...holds, frames: 100 }), movieFile(holds)];
    expect(lengthOf(Buffer.concat([short, long])).seconds).toBe(seconds);
    // A box inside another cannot reach beyond its end.
    const hiding = box('moov', Buffer.from([0x0f, 0, 0, 0, ...Buffer.from('free')]));
    expect(lengthOf(Buffer.concat([box('ftyp'), hiding, long])).seconds).toBe(seconds);
  });

  test('without a table has no length', () => {
    expect(lengthOf(Buffer.concat([box('ftyp'), box('mdat', Buffer.alloc(500))]))).toEqual({
      seconds: undefined,
      exact: false,
    });
  });
});

describe('a WebM file', () => {
  const packets = 3_000;
  const holds = { claimedSeconds: 1, packets };

  test.each([
    ['as encoders write it', {}],
    ['as browsers record it', { isLive: true }],
    ['with blocks at one time', { stepMs: 0 }],
  ] as const)('%s lasts as long as its packets', (_, shape) => {
    for (const claimedSeconds of [0, 1, 100_000]) {
      const file = webmFile({ ...holds, ...shape, claimedSeconds });
      for (const pieceBytes of [1, 13, 1_000, file.length]) {
        expect(lengthOf(file, pieceBytes)).toEqual({ seconds: 60, exact: true });
      }
    }
  });

  test('in Vorbis lasts as long as its times say, unless its packets can hold much more', () => {
    const header = Buffer.from('\x01vorbis\0\0\0\0\x01'.padEnd(30, '\0'), 'latin1');
    header.writeUInt32LE(16_000, 12);
    header[28] = 0xb8;
    const codecPrivate = Buffer.concat([Buffer.from([2, 30, 7]), header]);
    const vorbis = { ...holds, codec: 'A_VORBIS', codecPrivate };
    // Three thousand packets of at most 1,024 samples.
    expect(lengthOf(webmFile({ ...vorbis, stepMs: 60 }))).toEqual({ seconds: 179.94, exact: true });
    expect(lengthOf(webmFile({ ...vorbis, stepMs: 1 }))).toEqual({ seconds: 192, exact: true });
  });

  test('of another codec is bounded by its bytes as well', () => {
    expect(lengthOf(webmFile({ ...holds, codec: 'A_AAC' }))).toEqual({ seconds: 59.98, exact: false });
  });

  test('that may hide blocks has no length', () => {
    const file = webmFile({ ...holds, isLive: true });
    const overrun = element(0xec, Buffer.alloc(0), Buffer.from([0x1f, 0xff, 0xff, 0xf0]));
    for (const hiding of [overrun, Buffer.from([0, 0, 0])]) {
      expect(lengthOf(Buffer.concat([file, hiding, file]))).toEqual({ seconds: undefined, exact: false });
    }
  });
});
