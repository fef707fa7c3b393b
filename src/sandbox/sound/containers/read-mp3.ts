/** Reads an MP3 file's comment and its length, by walking from frame header to frame header. The sound itself stays closed. */

import { commentText, type SoundFacts } from './sound-facts.ts';
import { unreadable } from './unreadable.ts';

const bitrates: Readonly<Record<'one' | 'two', readonly number[]>> = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const ratesHz = [44_100, 48_000, 32_000] as const;
/** Of the layer that the format is named after. */
const thirdLayer = 1;
const framesMax = 10_000_000;

interface FrameHeader {
  readonly bytes: number;
  readonly seconds: number;
}

export function isMp3(bytes: Uint8Array): boolean {
  return hasTag(bytes) || frameAt(bytes, 0) !== undefined;
}

export function readMp3(bytes: Uint8Array): SoundFacts {
  let at = hasTag(bytes) ? tagBytes(bytes) : 0;
  let seconds = 0;
  for (let frames = 0; frames < framesMax; frames++) {
    const found = nextFrame(bytes, at, frames === 0);
    if (found === undefined) break;
    if (frames > 0 || !isIndexFrame(bytes, found.at, found.header.bytes)) seconds += found.header.seconds;
    at = found.at + found.header.bytes;
  }
  if (seconds === 0) throw unreadable('The MP3 file holds no sound.');
  return {
    container: 'MP3',
    durationSeconds: Math.round(seconds * 1e6) / 1e6,
    stretches: undefined,
    comment: findComment(bytes),
  };
}

function hasTag(bytes: Uint8Array): boolean {
  return bytes.length >= 10 && String.fromCharCode(...bytes.subarray(0, 3)) === 'ID3';
}

function sevenBitWord(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) value = (value << 7) | ((bytes[index] ?? 0) & 0x7f);
  return value;
}

function tagBytes(bytes: Uint8Array): number {
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10;
  return 10 + sevenBitWord(bytes, 6) + footer;
}

/** Garbage between frames is stepped over. The first frame must be followed by another, since two bytes look like a header by chance. */
function nextFrame(bytes: Uint8Array, from: number, first: boolean): { at: number; header: FrameHeader } | undefined {
  for (let at = from; at + 4 <= bytes.length; at++) {
    const header = frameAt(bytes, at);
    if (header === undefined) continue;
    const after = at + header.bytes;
    const surrounded = at === from && !first;
    if (surrounded || after >= bytes.length || frameAt(bytes, after) !== undefined) return { at, header };
  }
  return undefined;
}

function frameAt(bytes: Uint8Array, at: number): FrameHeader | undefined {
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || ((second >>> 1) & 3) !== thirdLayer) return undefined;
  const version = (second >>> 3) & 3;
  const rate = ratesHz[(third >>> 2) & 3];
  const kilobits = bitrates[version === 3 ? 'one' : 'two'][third >>> 4];
  if (version === 1 || rate === undefined || kilobits === undefined || kilobits === 0) return undefined;
  // Version 1 uses the rate as it is, version 2 the half, version 2.5 a quarter.
  const rateHz = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4;
  const samples = version === 3 ? 1152 : 576;
  const padding = (third >>> 1) & 1;
  return {
    bytes: Math.floor(((samples / 8) * kilobits * 1_000) / rateHz) + padding,
    seconds: samples / rateHz,
  };
}

/** Encoders put an index into a silent first frame, which players do not play. */
function isIndexFrame(bytes: Uint8Array, at: number, length: number): boolean {
  const head = String.fromCharCode(...bytes.subarray(at, at + Math.min(length, 64)));
  return /Xing|Info|VBRI/.test(head);
}

/** The first comment without a description: described ones are programs' own notes. */
function findComment(bytes: Uint8Array): string | undefined {
  const version = bytes[3] ?? 0;
  if (!hasTag(bytes) || version < 3) return undefined;
  const end = Math.min(bytes.length, tagBytes(bytes));
  for (let at = 10; at + 10 <= end; ) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    if (!/^[A-Z0-9]{4}$/.test(name)) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
    const length = version >= 4 ? sevenBitWord(bytes, at + 4) : view.getUint32(4);
    const comment =
      name === 'COMM' ? plainComment(bytes.subarray(at + 10, Math.min(end, at + 10 + length))) : undefined;
    if (comment !== undefined) return comment;
    at += 10 + length;
  }
  return undefined;
}

function plainComment(frame: Uint8Array): string | undefined {
  const bigEndianMark = frame[4] === 0xfe && frame[5] === 0xff;
  const encoding = ['latin1', bigEndianMark ? 'utf-16be' : 'utf-16le', 'utf-16be', 'utf-8'][frame[0] ?? 0];
  if (encoding === undefined) return undefined;
  const wide = encoding.startsWith('utf-16');
  const description = frame.subarray(4);
  if (!wide) return description[0] === 0 ? commentText(description.subarray(1), encoding) : undefined;
  const marked = frame[0] === 1 ? 2 : 0;
  const empty = description[marked] === 0 && description[marked + 1] === 0;
  return empty ? commentText(description.subarray(marked + 2), encoding) : undefined;
}
