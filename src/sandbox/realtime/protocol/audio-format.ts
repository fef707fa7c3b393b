/** The audio formats of a realtime session: decoding and encoding. */

import { Buffer } from 'node:buffer';
import { sampleBytes, speechRateHz } from '../../../audio/audio-encoder.ts';
import { resample } from '../../../audio/resample.ts';
import { invalid } from './faults.ts';
import { decodeG711, encodeG711, type Law } from './g711.ts';

export const audioFormats = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
export type AudioFormat = (typeof audioFormats)[number];

const g711RateHz = 8_000;
const laws: Readonly<Record<AudioFormat, Law | undefined>> = {
  'audio/pcm': undefined,
  'audio/pcmu': 'mu',
  'audio/pcma': 'a',
};

export function rateOf(format: AudioFormat): number {
  return laws[format] === undefined ? speechRateHz : g711RateHz;
}

/** Throws for invalid base64 and for incomplete samples. */
export function decodeAudio(base64: string, format: AudioFormat, param: string): Int16Array {
  const bytes = Buffer.from(base64, 'base64');
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  // Invalid characters are skipped in decoding, so the length differs.
  if (base64.length % 4 === 1 || bytes.length !== Math.floor(((base64.length - padding) * 3) / 4)) {
    throw invalid(param, `expected audio (${format}) as base64.`);
  }
  const law = laws[format];
  if (law !== undefined) return decodeG711(bytes, law);
  if (bytes.length % 2 !== 0) throw invalid(param, 'samples of 16 bits come in pairs of bytes; one is missing.');
  const samples = new Int16Array(bytes.length / 2);
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}

/** G.711 has a third of the samples: each is made of this many neighbors on each side. */
const neighbors = 72;

/** A part of the speech in the session's format; the samples around it keep the cut inaudible. */
export function encodeAudio(speech: Int16Array, from: number, to: number, format: AudioFormat): Uint8Array {
  const law = laws[format];
  if (law === undefined) return sampleBytes(speech.subarray(from, to));
  const first = Math.max(0, from - neighbors);
  const around = resample(
    speech.subarray(first, Math.min(speech.length, to + neighbors)),
    speechRateHz,
    rateOf(format),
  );
  const ratio = speechRateHz / g711RateHz;
  const start = (from - first) / ratio;
  return encodeG711(around.subarray(start, start + Math.floor((to - from) / ratio)), law);
}
