/** The journal's records as the database's thread reads them: each a length and a JSON text, one after the other. */

import { closeSync, openSync, readSync } from 'node:fs';

/** A stretch of the journal's file, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const recordHeadBytes = 4;
const space = 0x20;
const comma = 0x2c;
const openBracket = 0x5b;

/** All records of a span. A record's length is overwritten by white space and a comma, so that one parse reads them all. */
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

export function isCall(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
