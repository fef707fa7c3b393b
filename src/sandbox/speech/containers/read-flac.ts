/** Reads the length and the comment of a FLAC file from its metadata blocks. The samples are not decoded. */

import { type AudioFacts, readVorbisComment } from './audio-facts.ts';
import { unreadable } from './unreadable.ts';

const blocksMax = 1_000;
const blockTypes = { streamInfo: 0, vorbisComment: 4 } as const;

export function isFlac(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && String.fromCharCode(...bytes.subarray(0, 4)) === 'fLaC';
}

export function readFlac(bytes: Uint8Array): AudioFacts {
  let info: StreamInfo | undefined;
  let comment: string | undefined;
  let at = 4;
  for (let count = 0; count < blocksMax; count++) {
    const type = bytes[at];
    const length = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    if (type === undefined || at + 4 + length > bytes.length) throw unreadable('The FLAC file ends inside its header.');
    const contents = bytes.subarray(at + 4, at + 4 + length);
    if ((type & 0x7f) === blockTypes.streamInfo) info = readStreamInfo(contents);
    if ((type & 0x7f) === blockTypes.vorbisComment) comment ??= readVorbisComment(contents);
    at += 4 + length;
    if ((type & 0x80) !== 0) break;
  }
  if (info === undefined) throw unreadable('The FLAC file does not describe its audio.');
  // A streamed file has no length in its header. The sandbox writes verbatim samples, so its size is used.
  const samples = info.samples || (bytes.length - at) / info.bytesPerSample;
  return { container: 'FLAC', durationSeconds: samples / info.sampleRateHz, intervals: undefined, comment };
}

interface StreamInfo {
  readonly sampleRateHz: number;
  readonly samples: number;
  /** Of all channels together. */
  readonly bytesPerSample: number;
}

function readStreamInfo(contents: Uint8Array): StreamInfo {
  if (contents.length < 34) throw unreadable('The FLAC file ends inside its header.');
  const view = new DataView(contents.buffer, contents.byteOffset, contents.byteLength);
  const packed = view.getUint32(10);
  const sampleRateHz = packed >>> 12;
  if (sampleRateHz === 0) throw unreadable('The FLAC file does not describe its audio.');
  return {
    sampleRateHz,
    samples: (packed & 0x0f) * 2 ** 32 + view.getUint32(14),
    bytesPerSample: ((((packed >>> 9) & 7) + 1) * (((packed >>> 4) & 31) + 1)) / 8,
  };
}
