/** Proves that sound comes through every change of shape as it was, and that its edges are cut off instead of wrapped. */

import { describe, expect, test } from 'bun:test';
import {
  base64ToBytes,
  base64ToPcm16,
  loudness,
  pcm16ToBase64,
  resampled,
  toFractions,
  toPcm16,
  wavFile,
} from './samples.ts';

const hum = (length: number, rateHz: number) =>
  Float32Array.from({ length }, (_, index) => 0.5 * Math.sin((2 * Math.PI * 200 * index) / rateHz));

test('fractions become whole numbers and are cut off at full scale', () => {
  expect([...toPcm16(Float32Array.of(0, 1, -1, 2, -2, 0.5, Number.NaN))]).toEqual([
    0, 32_767, -32_767, 32_767, -32_767, 16_384, 0,
  ]);
});

test('there and back is the same sound', () => {
  const there = toFractions(toPcm16(hum(2_400, 24_000)));
  const worst = there.reduce(
    (most, value, index) => Math.max(most, Math.abs(value - (hum(2_400, 24_000)[index] ?? 0))),
    0,
  );
  expect(worst).toBeLessThan(1e-4);
});

describe('another rate', () => {
  for (const [fromHz, toHz] of [
    [48_000, 24_000],
    [44_100, 24_000],
    [16_000, 24_000],
    [24_000, 24_000],
  ] as const) {
    test(`${fromHz} to ${toHz} keeps the length and the tone`, () => {
      const changed = resampled(hum(fromHz / 10, fromHz), fromHz, toHz);
      expect(changed.length).toBe(toHz / 10);
      const wanted = hum(toHz / 10, toHz);
      const worst = changed.reduce((most, value, index) => Math.max(most, Math.abs(value - (wanted[index] ?? 0))), 0);
      // The last sample has no neighbour to lean on.
      expect(worst).toBeLessThan(0.03);
    });
  }
  test('silence of no length stays so', () => expect(resampled(new Float32Array(), 48_000, 24_000).length).toBe(0));
});

test('a WAV file says what it holds', () => {
  const bytes = wavFile(Int16Array.of(1, -2, 3), 24_000);
  const view = new DataView(bytes.buffer);
  expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('RIFF');
  expect(new TextDecoder().decode(bytes.subarray(8, 16))).toBe('WAVEfmt ');
  expect([
    view.getUint32(4, true),
    view.getUint32(24, true),
    view.getUint32(28, true),
    view.getUint32(40, true),
  ]).toEqual([42, 24_000, 48_000, 6]);
  expect([view.getInt16(44, true), view.getInt16(46, true), view.getInt16(48, true)]).toEqual([1, -2, 3]);
});

describe('base64', () => {
  test('low byte first, there and back, also where it is long', () => {
    expect(pcm16ToBase64(Int16Array.of(1, -2))).toBe(btoa('\x01\x00\xfe\xff'));
    const long = Int16Array.from({ length: 50_000 }, (_, index) => (index * 7) % 32_000);
    expect(base64ToPcm16(pcm16ToBase64(long))).toEqual(long);
  });
  test('what is none is nothing, and half a sample is left away', () => {
    expect(base64ToPcm16('not base64!')).toBeUndefined();
    expect(base64ToPcm16(btoa('abc'))?.length).toBe(1);
    expect([...(base64ToBytes(btoa('ab')) ?? [])]).toEqual([97, 98]);
  });
});

test('loudness is nothing in silence and never above one', () => {
  expect(loudness(new Float32Array(10))).toBe(0);
  expect(loudness(new Float32Array())).toBe(0);
  expect(loudness(new Float32Array(10).fill(1))).toBe(1);
});
