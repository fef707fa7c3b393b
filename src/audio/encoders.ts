/** Audio encoders by the name of their format. */

import type { AudioEncoder } from './audio-encoder.ts';
import { flacEncoder } from './write-flac.ts';
import { mp3Encoder } from './write-mp3.ts';
import { rawEncoder, waveEncoder } from './write-wave.ts';

export const writtenFormats = ['mp3', 'wav', 'flac', 'pcm'] as const;
export type WrittenFormat = (typeof writtenFormats)[number];

/** The file carries the comment in its metadata; raw samples carry none. */
export async function createEncoder(format: WrittenFormat, comment: string): Promise<AudioEncoder> {
  switch (format) {
    case 'mp3':
      return await mp3Encoder(comment);
    case 'flac':
      return flacEncoder(comment);
    case 'wav':
      return waveEncoder(comment);
    case 'pcm':
      return rawEncoder();
  }
}
