/** Reads a FLAC file's comment and the loudness of its sound; every kind of frame that encoders write. */

import { LoudnessMeter } from '../voice-activity.ts';
import { BitReader } from './bits.ts';
import { checksum16 } from './checksums.ts';
import { readFrame, type StreamFacts } from './read-flac-frame.ts';
import { readVorbisComment, type SoundFacts } from './sound-facts.ts';
import { unreadable } from './unreadable.ts';

/** Silence shrinks to nothing in this format, so a small file could unfold into days. */
const decodedSamplesMaxByDefault = 200_000_000;
const metadataBlocksMax = 1_000;
const blockTypes = { streamInfo: 0, vorbisComment: 4 } as const;

export function isFlac(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && String.fromCharCode(...bytes.subarray(0, 4)) === 'fLaC';
}

export function readFlac(bytes: Uint8Array, decodedSamplesMax = decodedSamplesMaxByDefault): SoundFacts {
  const metadata = readMetadata(bytes);
  const { sampleRateHz, channels, bitsPerSample } = metadata.info;
  const meter = new LoudnessMeter(sampleRateHz, channels);
  const scale = 2 ** (bitsPerSample - 1);
  let samples = 0;
  readFrames(bytes, metadata, (buffers, count) => {
    samples += count;
    if (samples * channels > decodedSamplesMax) throw unreadable('The FLAC file unfolds into too much sound.');
    for (let index = 0; index < count; index++) {
      for (const buffer of buffers) meter.add((buffer[index] ?? 0) / scale);
    }
  });
  return {
    container: 'FLAC',
    durationSeconds: samples / sampleRateHz,
    stretches: meter.stretches(),
    comment: metadata.comment,
  };
}

/** Hands over each frame's samples, one buffer per channel, which are good until the next one. */
export function readFrames(
  bytes: Uint8Array,
  { info, framesFrom }: Metadata,
  onFrame: (buffers: readonly Float64Array[], count: number) => void,
): void {
  const buffers = Array.from({ length: info.channels }, () => new Float64Array(info.blockSamplesMax));
  for (let at = framesFrom; at < bytes.length && !isTrailer(bytes, at); ) {
    const reader = new BitReader(bytes, at);
    const count = readFrame(reader, info, buffers);
    const end = reader.byteOffset;
    if (reader.read(16) !== checksum16(bytes, at, end)) {
      throw unreadable('The FLAC file is damaged: a check sum differs.');
    }
    onFrame(buffers, count);
    at = end + 2;
  }
}

/** Some programs hang an old MP3 tag behind the frames. */
function isTrailer(bytes: Uint8Array, at: number): boolean {
  return bytes.length - at === 128 && String.fromCharCode(...bytes.subarray(at, at + 3)) === 'TAG';
}

interface Metadata {
  readonly info: StreamFacts;
  readonly comment: string | undefined;
  readonly framesFrom: number;
}

export function readMetadata(bytes: Uint8Array): Metadata {
  let info: StreamFacts | undefined;
  let comment: string | undefined;
  let at = 4;
  for (let count = 0; count < metadataBlocksMax; count++) {
    const type = bytes[at];
    const length = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    if (type === undefined || at + 4 + length > bytes.length) throw unreadable('The FLAC file ends inside its header.');
    const contents = bytes.subarray(at + 4, at + 4 + length);
    if ((type & 0x7f) === blockTypes.streamInfo) info = readStreamInfo(contents);
    if ((type & 0x7f) === blockTypes.vorbisComment) comment ??= readVorbisComment(contents);
    at += 4 + length;
    if ((type & 0x80) === 0) continue;
    if (info === undefined) break;
    return { info, comment, framesFrom: at };
  }
  throw unreadable('The FLAC file does not describe its sound.');
}

function readStreamInfo(contents: Uint8Array): StreamFacts {
  if (contents.length < 34) throw unreadable('The FLAC file ends inside its header.');
  const reader = new BitReader(contents, 0);
  reader.read(16);
  const blockSamplesMax = reader.read(16);
  reader.read(24);
  reader.read(24);
  const sampleRateHz = reader.read(20);
  const channels = reader.read(3) + 1;
  const bitsPerSample = reader.read(5) + 1;
  if (sampleRateHz === 0 || blockSamplesMax < 16 || bitsPerSample < 4) {
    throw unreadable('The FLAC file does not describe its sound.');
  }
  return { sampleRateHz, channels, bitsPerSample, blockSamplesMax };
}
