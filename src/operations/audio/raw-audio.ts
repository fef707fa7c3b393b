/** What providers that answer with audio itself have in common: files as they came, and files made of raw samples. */

import type { Consumption } from '../consumption.ts';
import { isEncoded, type SpeakReply, type SpeakRequest, speechMediaTypes } from '../speak.ts';
import type { WireReply } from '../wire.ts';
import { type Samples, waveFile } from './wave-file.ts';

/** Of raw samples, which do not carry their rate. */
export const samplesPerSecondByDefault = 24_000;

/** Some servers do not know the type of what they send. */
export function isAudio(contentType: string): boolean {
  return /^\s*(audio\/|application\/(octet-stream|ogg)\b)/i.test(contentType);
}

export function readAudio({ contentType, bytes }: WireReply, request: SpeakRequest): SpeakReply {
  if (!isAudio(contentType)) throw new SyntaxError(`the reply is no audio but ${contentType || 'of no type'}`);
  return {
    mediaType: speechMediaTypes[request.format],
    bytes: new Uint8Array(bytes),
    consumption: spoken(request),
  };
}

/** Another rate than usual is written beside bare samples; what Weir encodes itself is handed over to be encoded. */
export function audioOf(samples: Samples, { format }: SpeakRequest): Omit<SpeakReply, 'consumption'> {
  const mediaType = speechMediaTypes[format];
  if (isEncoded(format)) return { mediaType, samples };
  if (format !== 'pcm') return { mediaType, bytes: waveFile(samples) };
  const { bytes, samplesPerSecond } = samples;
  const isUsual = samplesPerSecond === samplesPerSecondByDefault;
  return { mediaType: isUsual ? mediaType : `${mediaType};rate=${samplesPerSecond}`, bytes };
}

/** Speech is billed by its input text, where the provider reports nothing else. */
export function spoken({ input }: SpeakRequest): Consumption {
  return { characters: charactersOf(input) };
}

/** One for each code point, as providers count that bill by the character. */
export function charactersOf(text: string): number {
  let characters = 0;
  for (const _character of text) characters += 1;
  return characters;
}
