/** Reads the type and size of an image or file from its first bytes. */

import { Buffer } from 'node:buffer';
import type { MediaPart } from '../../conversation/parts.ts';
import { countWords } from '../tokens.ts';

interface MediaFacts {
  readonly kind: string;
  readonly bytes: number;
  readonly width?: number;
  readonly height?: number;
}

/** Enough for long headers: a camera's JPEG has a thumbnail before its size. */
const headBytesMax = 192 * 1024;

export function readMediaFacts(base64: string, declared: string | undefined): MediaFacts {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
  const head = Buffer.from(base64.slice(0, (headBytesMax / 3) * 4), 'base64');
  const found = readPng(head) ?? readGif(head) ?? readWebp(head) ?? readJpeg(head) ?? readOther(head);
  return { bytes, ...(found ?? { kind: declared ?? 'an unknown type' }) };
}

type Found = Omit<MediaFacts, 'bytes'>;

function startsWith(head: Buffer, text: string, at = 0): boolean {
  return head.length >= at + text.length && head.toString('latin1', at, at + text.length) === text;
}

function readPng(head: Buffer): Found | undefined {
  if (!startsWith(head, '\x89PNG\r\n\x1a\n')) return undefined;
  if (head.length < 24) return { kind: 'PNG' };
  return { kind: 'PNG', width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function readGif(head: Buffer): Found | undefined {
  if (!startsWith(head, 'GIF87a') && !startsWith(head, 'GIF89a')) return undefined;
  if (head.length < 10) return { kind: 'GIF' };
  return { kind: 'GIF', width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function readWebp(head: Buffer): Found | undefined {
  if (!startsWith(head, 'RIFF') || !startsWith(head, 'WEBP', 8)) return undefined;
  const kind = 'WebP';
  if (startsWith(head, 'VP8 ', 12) && head.length >= 30) {
    return { kind, width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  }
  if (startsWith(head, 'VP8L', 12) && head.length >= 25) {
    const packed = head.readUInt32LE(21);
    return { kind, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (startsWith(head, 'VP8X', 12) && head.length >= 30) {
    return { kind, width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  }
  return { kind };
}

/** A JPEG's size is in its frame header, after any number of other segments. */
function readJpeg(head: Buffer): Found | undefined {
  if (!startsWith(head, '\xff\xd8\xff')) return undefined;
  const kind = 'JPEG';
  for (let at = 2; at + 9 <= head.length; ) {
    if (head[at] !== 0xff) return { kind };
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { kind, width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    at += 2 + Math.max(2, head.readUInt16BE(at + 2));
  }
  return { kind };
}

const signatures: readonly (readonly [string, number, string])[] = [
  ['%PDF-', 0, 'PDF'],
  ['WAVE', 8, 'WAV'],
  ['OggS', 0, 'Ogg'],
  ['fLaC', 0, 'FLAC'],
  ['ID3', 0, 'MP3'],
  ['ftyp', 4, 'MP4'],
  ['PK\x03\x04', 0, 'ZIP'],
];

function readOther(head: Buffer): Found | undefined {
  for (const [text, at, kind] of signatures) if (startsWith(head, text, at)) return { kind };
  return undefined;
}

/** One sentence about a medium. URLs are named, not fetched. */
export function describeMedia(part: MediaPart, number: number): string {
  const label = `${part.media.charAt(0).toUpperCase()}${part.media.slice(1)} ${number}`;
  const named = part.filename === undefined ? '' : ` "${part.filename.slice(0, 100)}"`;
  return `${label}${named}: ${describeSource(part)}.`;
}

function describeSource({ source, mediaType }: MediaPart): string {
  switch (source.kind) {
    case 'url':
      return `at ${source.url.slice(0, 200)}, not fetched`;
    case 'file-id':
      return `the stored file ${source.id.slice(0, 100)}, not read`;
    case 'text':
      return describeText(source.text, mediaType);
    case 'base64': {
      if (mediaType?.startsWith('text/') === true) {
        return describeText(Buffer.from(source.data, 'base64').toString('utf8'), mediaType);
      }
      const facts = readMediaFacts(source.data, mediaType);
      const size = facts.width === undefined ? '' : `, ${facts.width}×${facts.height} pixels`;
      return `${facts.kind}${size}, ${facts.bytes} bytes`;
    }
  }
}

/** Equal for text that is sent as text or as bytes. */
function describeText(text: string, mediaType = 'text/plain'): string {
  const words = countWords(text);
  return `${mediaType.slice(0, 100)}, ${words} word${words === 1 ? '' : 's'}, ${Buffer.byteLength(text)} bytes`;
}
