/** Reads an audio file of any supported container, or names the supported ones. */

import type { AudioFacts } from './containers/audio-facts.ts';
import { isFlac, readFlac } from './containers/read-flac.ts';
import { isMp3, readMp3 } from './containers/read-mp3.ts';
import { readWave } from './containers/read-wave.ts';
import { unreadable } from './containers/unreadable.ts';
import { isWave } from './containers/wave-chunks.ts';

const otherContainers: readonly (readonly [string, number, string])[] = [
  ['OggS', 0, 'an Ogg file'],
  ['ftyp', 4, 'an MP4 file'],
  ['\x1aE\xdf\xa3', 0, 'a WebM file'],
];

export function readAudio(bytes: Uint8Array): AudioFacts {
  if (bytes.length === 0) throw unreadable('The file is empty.');
  if (isWave(bytes)) return readWave(bytes);
  if (isFlac(bytes)) return readFlac(bytes);
  if (isMp3(bytes)) return readMp3(bytes);
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const found = otherContainers.find(([mark, at]) => head.startsWith(mark, at))?.[2] ?? 'something else';
  throw unreadable(`The sandbox reads WAV, FLAC and MP3 files; this is ${found}.`);
}
