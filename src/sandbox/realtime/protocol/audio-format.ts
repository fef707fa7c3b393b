/** The three forms of sound on a live connection, and the way from and to samples. */

import { Buffer } from 'node:buffer';
import { sampleBytes, speechRateHz } from '../../../audio/audio-encoder.ts';
import { resample } from '../../../audio/resample.ts';
import { invalid } from './faults.ts';
import { fromTelephone, type Law, toTelephone } from './g711.ts';

export const audioFormats = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
export type AudioFormat = (typeof audioFormats)[number];

const telephoneRateHz = 8_000;
const laws: Readonly<Record<AudioFormat, Law | undefined>> = {
  'audio/pcm': undefined,
  'audio/pcmu': 'mu',
  'audio/pcma': 'a',
};

export function rateOf(format: AudioFormat): number {
  return laws[format] === undefined ? speechRateHz : telephoneRateHz;
}

/** Throws where it is no base64, or ends within a sample. */
export function decodeAudio(base64: string, format: AudioFormat, param: string): Int16Array {
  const bytes = Buffer.from(base64, 'base64');
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  // Letters that are none of base64 are skipped in reading, and are missed here.
  if (base64.length % 4 === 1 || bytes.length !== Math.floor(((base64.length - padding) * 3) / 4)) {
    throw invalid(param, `expected sound (${format}) as base64.`);
  }
  const law = laws[format];
  if (law !== undefined) return fromTelephone(bytes, law);
  if (bytes.length % 2 !== 0) throw invalid(param, 'samples of 16 bits come in pairs of bytes; one is missing.');
  const samples = new Int16Array(bytes.length / 2);
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}

/** The telephone hears a third of the samples: so many neighbours on each side make one. */
const neighbours = 72;

/** A stretch of speech as the client wants it; its surroundings keep the cut inaudible. */
export function encodeAudio(speech: Int16Array, from: number, to: number, format: AudioFormat): Uint8Array {
  const law = laws[format];
  if (law === undefined) return sampleBytes(speech.subarray(from, to));
  const first = Math.max(0, from - neighbours);
  const around = resample(
    speech.subarray(first, Math.min(speech.length, to + neighbours)),
    speechRateHz,
    rateOf(format),
  );
  const ratio = speechRateHz / telephoneRateHz;
  const start = (from - first) / ratio;
  return toTelephone(around.subarray(start, start + Math.floor((to - from) / ratio)), law);
}
