/** FLAC (RFC 9639, read 2026-11-16): verbatim frames, about as large as a WAV file, with the text in the comment block. */

import { type AudioEncoder, join, sampleBytes, speechRateHz, withHeader } from './audio-encoder.ts';

const blockSamples = 4096;
const bitsPerSample = 16;
const blockTypes = { streamInfo: 0, vorbisComment: 4, last: 0x80 } as const;

export function flacEncoder(comment: string): AudioEncoder {
  return withHeader(frameEncoder(), (samples) =>
    join([new TextEncoder().encode('fLaC'), streamInfo(samples ?? 0), commentBlock(comment)]),
  );
}

/** All frames but the last hold the same number of samples, so a remainder waits for the next samples. */
function frameEncoder(): AudioEncoder {
  let waiting = new Int16Array();
  let frameNumber = 0;
  return {
    add(samples) {
      const all = new Int16Array(waiting.length + samples.length);
      all.set(waiting);
      all.set(samples, waiting.length);
      const frames: Uint8Array[] = [];
      let at = 0;
      for (; at + blockSamples <= all.length; at += blockSamples) {
        frames.push(frameOf(all.subarray(at, at + blockSamples), frameNumber++));
      }
      waiting = all.slice(at);
      return join(frames);
    },
    end: () => (waiting.length === 0 ? new Uint8Array() : frameOf(waiting, frameNumber)),
  };
}

function block(type: number, contents: Uint8Array): Uint8Array {
  const { length } = contents;
  return join([Uint8Array.of(type, length >>> 16, (length >>> 8) & 0xff, length & 0xff), contents]);
}

/** A total of zero means unknown; so does a digest of zeros. */
function streamInfo(samples: number): Uint8Array {
  const info = new Uint8Array(34);
  const view = new DataView(info.buffer);
  view.setUint16(0, blockSamples);
  view.setUint16(2, blockSamples);
  view.setUint32(10, (speechRateHz << 12) | ((bitsPerSample - 1) << 4));
  view.setUint32(14, samples);
  return block(blockTypes.streamInfo, info);
}

function commentBlock(comment: string): Uint8Array {
  const counted = (text: string): Uint8Array => {
    const bytes = new TextEncoder().encode(text);
    return join([littleWord(bytes.length), bytes]);
  };
  const contents = join([counted('weir sandbox'), littleWord(1), counted(`COMMENT=${comment}`)]);
  return block(blockTypes.vorbisComment | blockTypes.last, contents);
}

function littleWord(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

function frameOf(samples: Int16Array, frameNumber: number): Uint8Array<ArrayBuffer> {
  const whole = samples.length === blockSamples;
  const last = samples.length - 1;
  const head = join([
    // Sync code; block size code and 24 kHz; one channel of 16 bits.
    Uint8Array.of(0xff, 0xf8, ((whole ? 12 : 7) << 4) | 7, 0x08),
    // The number has the form of a UTF-8 code point.
    new TextEncoder().encode(String.fromCodePoint(frameNumber)),
    whole ? new Uint8Array() : Uint8Array.of(last >>> 8, last & 0xff),
  ]);
  const verbatim = 0x02;
  const body = join([head, Uint8Array.of(checksum(head, 0x07, 8), verbatim), sampleBytes(samples, false)]);
  const check = checksum(body, 0x8005, 16);
  return join([body, Uint8Array.of(check >>> 8, check & 0xff)]);
}

/** Cyclic redundancy check, highest bit first, starting from zero. */
export function checksum(bytes: Uint8Array, polynomial: number, bits: number): number {
  const [top, mask] = [1 << (bits - 1), (1 << bits) - 1];
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) value = ((value << 1) ^ (value & top ? polynomial : 0)) & mask;
  }
  return value;
}
