/** The journal's file as bytes: its layout, and its records as the database's thread reads them. */

import { closeSync, openSync, readSync } from 'node:fs';
import { unnamedVersion } from './entries.ts';

/** A span of the journal's file, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The file begins with eight letters, the size of a half, the version of its entries and the checksum of that; then come the halves.
 * A half begins with its generation and the checksum of that; then come records: length, checksum, and a JSON text. A length of 0
 * ends them.
 */
export const magic = 'WEIRJNL2';
export const fileHeaderBytes = 64;
export const halfSizeAt = 8;
const versionAt = 12;
export const halfHeaderBytes = 16;
export const recordHeadBytes = 8;
const space = 0x20;
const comma = 0x2c;
export const openBracket = 0x5b;

// The runtime's own function, because `node:zlib` would load all streams into the database's thread.
const { crc32 } = Bun.hash;

/** Bytes that an earlier generation left in the same place never pass for records of this one. */
export const recordChecksum = (text: string | Uint8Array, generation: number): number => crc32(text, generation >>> 0);

export const generationChecksum = (generation: number): number => crc32(`${generation}`);

/** The first bytes of a file whose entries have this version. */
export function fileHeader(halfBytes: number, version: number): Buffer {
  const header = Buffer.alloc(fileHeaderBytes);
  header.write(magic);
  header.writeUInt32LE(halfBytes, halfSizeAt);
  header.writeUInt32LE(version, versionAt);
  header.writeUInt32LE(generationChecksum(version), versionAt + 4);
  return header;
}

/** Files from before entries had versions have zeros there. A damaged version is undefined. */
export function versionIn(file: Buffer): number | undefined {
  const version = file.readUInt32LE(versionAt);
  const checksum = file.readUInt32LE(versionAt + 4);
  if (version === 0 && checksum === 0) return unnamedVersion;
  return checksum === generationChecksum(version) ? version : undefined;
}

/** All records of a span. A record's head is overwritten by white space and a comma, so that one parse reads them all. */
export function readRecords(path: string, { start, end }: Span): readonly unknown[] {
  const bytes = readSpan(path, start, end - start);
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    bytes.fill(space, at, at + recordHeadBytes);
    bytes[at] = at === 0 ? openBracket : comma;
    at += recordHeadBytes + length;
  }
  return bytes.length === 0 ? [] : (JSON.parse(`${bytes.toString('utf8')}]`) as unknown[]);
}

function readSpan(path: string, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  const file = openSync(path, 'r');
  try {
    let taken = 0;
    while (taken < length) {
      const read = readSync(file, bytes, taken, length - taken, start + taken);
      if (read === 0) throw new Error('The journal is shorter than it was said to be.');
      taken += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}
