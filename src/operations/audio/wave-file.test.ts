import { expect, test } from 'bun:test';
import { isWaveFile, samplesIn, secondsOf, waveFile } from './wave-file.ts';

const bytes = Uint8Array.of(1, 0, 2, 0, 3, 0);
const file = waveFile({ bytes, samplesPerSecond: 24_000 });

test('a file describes its samples, and returns them', () => {
  const view = new DataView(file.buffer);
  expect(isWaveFile(file)).toBe(true);
  expect(isWaveFile(bytes)).toBe(false);
  expect(view.getUint32(4, true)).toBe(file.byteLength - 8);
  expect(view.getUint32(28, true)).toBe(48_000);
  expect(samplesIn(file)).toEqual({ bytes, samplesPerSecond: 24_000 });
  expect(secondsOf({ bytes: new Uint8Array(96_000), samplesPerSecond: 24_000 })).toBe(2);
});

test('a length that was never filled in means all there is, and other chunks are passed over', () => {
  const streamed = file.slice();
  new DataView(streamed.buffer).setUint32(40, 0xffff_ffff, true);
  expect(samplesIn(streamed)?.bytes).toEqual(bytes);
  const listed = new Uint8Array([
    ...file.subarray(0, 36),
    ...Buffer.from('LIST'),
    3,
    0,
    0,
    0,
    9,
    9,
    9,
    0,
    ...file.subarray(36),
  ]);
  expect(samplesIn(listed)?.bytes).toEqual(bytes);
});

test('what holds no such samples is not taken for them', () => {
  const stereo = file.slice();
  new DataView(stereo.buffer).setUint16(22, 2, true);
  expect(samplesIn(stereo)).toBeUndefined();
  for (let length = 0; length < 44; length++) expect(samplesIn(file.slice(0, length))).toBeUndefined();
});
