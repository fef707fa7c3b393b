/** Reads a sound file of whatever container it is, or says which ones can be read. */

import { isFlac, readFlac } from './containers/read-flac.ts';
import { isMp3, readMp3 } from './containers/read-mp3.ts';
import { readWave } from './containers/read-wave.ts';
import type { SoundFacts } from './containers/sound-facts.ts';
import { unreadable } from './containers/unreadable.ts';
import { isWave } from './containers/wave-chunks.ts';

const strangers: readonly (readonly [string, number, string])[] = [
  ['OggS', 0, 'an Ogg file'],
  ['ftyp', 4, 'an MP4 file'],
  ['\x1aE\xdf\xa3', 0, 'a WebM file'],
  ['FORM', 0, 'an AIFF file'],
  ['RF64', 0, 'an RF64 file'],
  ['#!AMR', 0, 'an AMR file'],
];

export function hear(bytes: Uint8Array): SoundFacts {
  if (bytes.length === 0) throw unreadable('The file is empty.');
  if (isWave(bytes)) return readWave(bytes);
  if (isFlac(bytes)) return readFlac(bytes);
  if (isMp3(bytes)) return readMp3(bytes);
  throw unreadable(`The sandbox reads WAV, FLAC and MP3 files; this is ${strangerOf(bytes)}.`);
}

function strangerOf(bytes: Uint8Array): string {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return strangers.find(([mark, at]) => head.startsWith(mark, at))?.[2] ?? 'something else';
}
