/** Raw samples, and WAV files whose comment holds the spoken text. */

import { type AudioEncoder, join, sampleBytes, speechRateHz, withHeader } from './audio-encoder.ts';

/** Written where the length is not known when the header is sent. */
const unknownLength = 0xffff_ffff;
const formatBytes = 16;

export function rawEncoder(): AudioEncoder {
  return { add: sampleBytes, end: () => new Uint8Array() };
}

export function waveEncoder(comment: string): AudioEncoder {
  return withHeader(rawEncoder(), (samples) => waveHeader(comment, samples));
}

function waveHeader(comment: string, samples: number | undefined): Uint8Array {
  const format = new Uint8Array(formatBytes);
  const view = new DataView(format.buffer);
  view.setUint16(0, 1, true);
  view.setUint16(2, 1, true);
  view.setUint32(4, speechRateHz, true);
  view.setUint32(8, speechRateHz * 2, true);
  view.setUint16(12, 2, true);
  view.setUint16(14, 16, true);
  const text = new TextEncoder().encode(`${comment}\0`);
  const info = join([ascii('INFO'), chunk('ICMT', text)]);
  const before = join([ascii('WAVE'), chunk('fmt ', format), chunk('LIST', info)]);
  const dataBytes = samples === undefined ? unknownLength : samples * 2;
  const wholeBytes = samples === undefined ? unknownLength : before.length + 8 + dataBytes;
  return join([ascii('RIFF'), word(wholeBytes), before, ascii('data'), word(dataBytes)]);
}

function chunk(name: string, contents: Uint8Array): Uint8Array {
  return join([ascii(name), word(contents.length), contents, new Uint8Array(contents.length & 1)]);
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
