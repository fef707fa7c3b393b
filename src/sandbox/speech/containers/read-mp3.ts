/** Reads the comment of an MP3 file and its length, which a constant bit rate is assumed for. The samples are not decoded. */

import { type AudioFacts, commentText } from './audio-facts.ts';
import { unreadable } from './unreadable.ts';

const kilobits = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const thirdLayer = 1;
const tagHeadBytes = 10;

export function isMp3(bytes: Uint8Array): boolean {
  return hasTag(bytes) || bitsPerSecondAt(bytes, 0) !== undefined;
}

export function readMp3(bytes: Uint8Array): AudioFacts {
  const tagEnd = hasTag(bytes) ? tagHeadBytes + sevenBitWord(bytes, 6) : 0;
  for (let at = tagEnd; at + 4 <= bytes.length; at++) {
    const bitsPerSecond = bitsPerSecondAt(bytes, at);
    if (bitsPerSecond === undefined) continue;
    const durationSeconds = ((bytes.length - at) * 8) / bitsPerSecond;
    const comment = findComment(bytes.subarray(0, tagEnd));
    return { container: 'MP3', durationSeconds, intervals: undefined, comment };
  }
  throw unreadable('The MP3 file holds no audio.');
}

function hasTag(bytes: Uint8Array): boolean {
  return bytes.length >= tagHeadBytes && String.fromCharCode(...bytes.subarray(0, 3)) === 'ID3';
}

function sevenBitWord(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) value = (value << 7) | ((bytes[index] ?? 0) & 0x7f);
  return value;
}

/** Undefined where no frame begins. */
function bitsPerSecondAt(bytes: Uint8Array, at: number): number | undefined {
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || ((second >>> 1) & 3) !== thirdLayer) return undefined;
  const version = (second >>> 3) & 3;
  const rate = kilobits[version === 3 ? 'one' : 'two'][third >>> 4];
  return version === 1 || ((third >>> 2) & 3) === 3 || rate === undefined || rate === 0 ? undefined : rate * 1_000;
}

/** The text of the first comment frame in UTF-8 (encoding 3) or Latin-1 (encoding 0) that has no description. */
function findComment(tag: Uint8Array): string | undefined {
  for (let at = tagHeadBytes; at + tagHeadBytes <= tag.length; ) {
    const length = sevenBitWord(tag, at + 4);
    const frame = tag.subarray(at + tagHeadBytes, at + tagHeadBytes + length);
    const encoding = frame[0] === 3 ? 'utf-8' : frame[0] === 0 ? 'latin1' : undefined;
    const isComment = String.fromCharCode(...tag.subarray(at, at + 4)) === 'COMM';
    if (isComment && encoding !== undefined && frame[4] === 0) return commentText(frame.subarray(5), encoding);
    at += tagHeadBytes + length;
  }
  return undefined;
}
