/** Audio files of every container that say one second in their headers and hold more. */

import { waveFile } from '../../src/operations/audio/wave-file.ts';
import { movieFile, webmFile } from './movie-files.ts';
import { frameSamples, silentFlac } from './silent-flac.ts';

/** A page of an Ogg file; no packet of it is longer than a segment. */
export function oggPage(packets: readonly Buffer[], samples: number, { flags = 0, serial = 1 } = {}): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[5] = flags;
  head.writeBigUInt64LE(BigInt(samples), 6);
  head.writeUInt32LE(serial, 14);
  head[26] = packets.length;
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets]);
}

/** 8 kbit/s at 16 kHz. */
export const mp3Frame = Buffer.alloc(36);
mp3Frame.set([0xff, 0xf3, 0x18, 0]);
export const mp3FrameSeconds = 0.036;

export interface LyingFile {
  readonly name: string;
  readonly bytes: Buffer<ArrayBuffer>;
  /** What a decoder finds. */
  readonly seconds: number;
}

const claimedSeconds = 1;

export function lyingFiles(): readonly LyingFile[] {
  const wave = Buffer.from(waveFile({ bytes: new Uint8Array(16_000 * 90), samplesPerSecond: 8_000 }));
  wave.writeUInt32LE(16_000, 40);
  const opusHeads = [
    oggPage([Buffer.from('OpusHead\x01\x01'.padEnd(19, '\0'), 'latin1')], 0, { flags: 2 }),
    oggPage([Buffer.from('OpusTags'.padEnd(40, '\0'))], 0),
  ];
  const opus = oggPage(new Array<Buffer>(100).fill(Buffer.from([0x78, 0xff])), 48_000);
  const frames = 1_500;
  const movieSeconds = (frames * 1_024) / 16_000;
  const movie = { claimedSeconds, frames };
  const files: readonly (readonly [string, Uint8Array, number])[] = [
    ['wave', wave, 90],
    ['flac', silentFlac(10, 8_000), (10 * frameSamples) / 8_000],
    ['mp3', Buffer.concat(new Array<Buffer>(2_000).fill(mp3Frame)), 2_000 * mp3FrameSeconds],
    ['ogg', Buffer.concat([...opusHeads, ...new Array<Buffer>(40).fill(opus)]), 80],
    ['m4a', movieFile(movie), movieSeconds],
    ['m4a with a lying table', movieFile({ ...movie, frameTicks: 1 }), movieSeconds],
    ['m4a in fragments', movieFile({ ...movie, fragments: 30, frameTicks: 1 }), movieSeconds],
    ['webm', webmFile({ claimedSeconds, packets: 4_000, stepMs: 0 }), 80],
    ['webm without a length', webmFile({ claimedSeconds, packets: 4_000, stepMs: 0, isLive: true }), 80],
  ];
  return files.map(([name, bytes, seconds]) => ({ name, bytes: Buffer.from(bytes), seconds }));
}
