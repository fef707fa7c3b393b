/** FLAC files against the check sums of RFC 9639 and the samples that went in. */

import { describe, expect, test } from 'bun:test';
import { readFlac } from '../sandbox/speech/containers/read-flac.ts';
import { join } from './audio-encoder.ts';
import { checksum, flacEncoder } from './write-flac.ts';

function encode(samples: Int16Array, pieceSamples: number, comment = 'a'): Uint8Array {
  const encoder = flacEncoder(comment);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += pieceSamples)
    pieces.push(encoder.add(samples.slice(at, at + pieceSamples)));
  return join([...pieces, encoder.end()]);
}

const tone = (length: number): Int16Array =>
  Int16Array.from({ length }, (_, at) => Math.round(20_000 * Math.sin(at / 9)));

/** The samples of verbatim frames; throws where a check sum differs. */
function decode(file: Uint8Array): number[] {
  const bytes = Buffer.from(file);
  let at = 4;
  for (let last = false; !last; at += 4 + bytes.readUIntBE(at + 1, 3)) last = (bytes.readUInt8(at) & 0x80) !== 0;
  const samples: number[] = [];
  while (at < bytes.length) {
    const start = at;
    const whole = bytes.readUInt8(at + 2) >> 4 === 12;
    at += 4;
    const numberBytes = bytes.readUInt8(at) < 0x80 ? 1 : bytes.readUInt8(at) < 0xe0 ? 2 : 3;
    at += numberBytes;
    const count = whole ? 4096 : bytes.readUInt16BE(at) + 1;
    if (!whole) at += 2;
    if (bytes.readUInt8(at) !== checksum(bytes.subarray(start, at), 0x07, 8)) throw new Error('header check sum');
    if (bytes.readUInt8(at + 1) !== 0x02) throw new Error('not verbatim');
    at += 2;
    for (let index = 0; index < count; index++) samples.push(bytes.readInt16BE(at + index * 2));
    at += count * 2;
    if (bytes.readUInt16BE(at) !== checksum(bytes.subarray(start, at), 0x8005, 16)) throw new Error('frame check sum');
    at += 2;
  }
  return samples;
}

test('the check sums are the known ones', () => {
  const digits = new TextEncoder().encode('123456789');
  expect(checksum(digits, 0x07, 8)).toBe(0xf4);
  expect(checksum(digits, 0x8005, 16)).toBe(0xfee8);
});

test('the frame of the standard’s first example has its check sums', () => {
  // RFC 9639, appendix D.1: the frame header and its CRC-8, the whole frame and its CRC-16.
  expect(checksum(Uint8Array.fromHex('fff869180000'), 0x07, 8)).toBe(0xbf);
  expect(checksum(Uint8Array.fromHex('fff869180000bf0358fd03128b'), 0x8005, 16)).toBe(0xaa9a);
});

describe('what is written is read back', () => {
  for (const length of [0, 1, 4_096, 10_001, 8_192]) {
    for (const pieceSamples of [1_000, 4_096, 1_000_000]) {
      test(`${length} samples, ${pieceSamples} at a time`, () => {
        const file = encode(tone(length), pieceSamples, 'A comment.');
        expect(decode(file)).toEqual([...tone(length)]);
        expect(readFlac(file).comment).toBe('A comment.');
      });
    }
  }

  test('audio longer than a minute is sent with an open length, and its size tells it', () => {
    const second = tone(24_000);
    const encoder = flacEncoder('long');
    const pieces = Array.from({ length: 130 }, () => encoder.add(second));
    expect(pieces.findIndex(({ length }) => length > 0)).toBe(60);
    const file = join([...pieces, encoder.end()]);
    expect(decode(file).length).toBe(130 * 24_000);
    expect(readFlac(file).durationSeconds).toBeCloseTo(130, 0);
  });
});

test('damaged files: an error of the caller or a length, never anything else', () => {
  const good = encode(tone(10_000), 1_000_000, 'A comment.');
  for (let length = 4; length < good.length; length += 37) {
    try {
      expect(readFlac(good.subarray(0, length)).durationSeconds).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toMatchObject({ code: 'field_invalid', param: 'file' });
    }
  }
});
