/** Silence as FLAC: each frame is one constant of 65,536 samples, so an hour is a few kilobytes. */

import { checkOf } from '../../src/operations/audio/length/flac-frames.ts';

export const frameSamples = 65_536;

/** `claimedSamples` is the number in its first block, which a decoder ignores. */
export function silentFlac(frames: number, claimedSamples: number, samplesPerSecond = 8_000): Buffer<ArrayBuffer> {
  const start = Buffer.alloc(42);
  start.write('fLaC');
  start.set([0x80, 0, 0, 34], 4);
  start.writeUInt32BE(((samplesPerSecond << 12) | (7 << 4)) >>> 0, 18);
  start.writeUInt32BE(claimedSamples, 22);
  return Buffer.concat([start, ...Array.from({ length: frames }, (_, number) => frame(number))]);
}

function frame(number: number): Buffer {
  const head = [0xff, 0xf8, 0x70, 0x00, number & 0x7f, 0xff, 0xff];
  return Buffer.from([...head, checkOf(Buffer.from(head), 0, head.length), 0x00, 0x00, 0x00, 0x12, 0x34]);
}
