/** The chunks of a WAV file by name. */

import { unreadable } from './unreadable.ts';

const chunksMax = 10_000;

export interface WaveFormat {
  readonly encoding: 'integer' | 'float';
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bitsPerSample: number;
}

const encodings = { integer: 1, float: 3, extensible: 0xfffe } as const;

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

export function isWave(bytes: Uint8Array): boolean {
  return bytes.length >= 12 && textAt(bytes, 0) === 'RIFF' && textAt(bytes, 8) === 'WAVE';
}

/** Names and contents in order. A chunk that claims more than there is gets what is there: streamed files have an open length. */
export function* chunksOf(bytes: Uint8Array, from = 12): Generator<readonly [string, Uint8Array]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = from;
  for (let count = 0; at + 8 <= bytes.length && count < chunksMax; count++) {
    const length = view.getUint32(at + 4, true);
    yield [textAt(bytes, at), bytes.subarray(at + 8, at + 8 + length)];
    at += 8 + length + (length & 1);
  }
}

export function findChunk(bytes: Uint8Array, name: string): Uint8Array | undefined {
  for (const [found, contents] of chunksOf(bytes)) if (found === name) return contents;
  return undefined;
}

export function waveFormat(chunk: Uint8Array): WaveFormat {
  if (chunk.length < 16) throw unreadable('The WAV file ends inside its format.');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const outer = view.getUint16(0, true);
  const code = outer === encodings.extensible && chunk.length >= 26 ? view.getUint16(24, true) : outer;
  if (code !== encodings.integer && code !== encodings.float) {
    throw unreadable(`The WAV file's encoding ${code} is not plain samples. Send integer or float samples.`);
  }
  return {
    encoding: code === encodings.float ? 'float' : 'integer',
    channels: view.getUint16(2, true),
    sampleRateHz: view.getUint32(4, true),
    bitsPerSample: view.getUint16(14, true),
  };
}
