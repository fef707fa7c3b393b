/** Text into audio. */

import type { Extras } from '../conversation/parts.ts';
import type { Samples } from './audio/wave-file.ts';
import type { Consumption } from './consumption.ts';

export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

/** Formats that Weir itself writes from raw samples, for providers that do not. */
export const encodedFormats = ['mp3', 'flac'] as const;
export type EncodedFormat = (typeof encodedFormats)[number];

export function isEncoded(format: SpeechFormat): format is EncodedFormat {
  return encodedFormats.some((known) => known === format);
}

export interface SpeakRequest {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  /** The voice was made by the caller's organisation and is named by its id. */
  readonly customVoice?: boolean;
  /** How to say it. */
  readonly instructions?: string;
  readonly format: SpeechFormat;
  readonly speed?: number;
  /** Bytes as they come, or events that carry them. */
  readonly framing: 'audio' | 'sse';
  readonly extras?: Extras;
}

export const speechMediaTypes: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

export interface SpeakReply {
  readonly mediaType: string;
  /** The audio; absent where the provider's bytes are passed on as they come. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** What the audio is still to be written of, in the format that was asked for. */
  readonly samples?: Samples;
  readonly consumption: Consumption;
}
