/** Reads whether the halves of a journal hold records, without the 16 MiB that the file has. */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import {
  fileHeaderBytes,
  halfHeaderBytes,
  halfSizeAt,
  magic,
  recordHeadBytes,
} from '../../src/store/journal/journal-records.ts';

const headBytes = halfHeaderBytes + recordHeadBytes;

/** The same journal with the first record of each half alone. A file of another layout is given whole. */
export function firstRecords(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const read = (start: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, start);
      return bytes;
    };
    const header = read(0, fileHeaderBytes);
    const halfBytes = header.readUInt32LE(halfSizeAt);
    const isWhole = fstatSync(file).size === fileHeaderBytes + 2 * halfBytes;
    if (!isWhole || !header.subarray(0, magic.length).equals(Buffer.from(magic))) return readFileSync(path);
    const starts = [fileHeaderBytes, fileHeaderBytes + halfBytes];
    const lengths = starts.map((start) => read(start + halfHeaderBytes, recordHeadBytes).readUInt32LE(0));
    const size = Math.min(headBytes + Math.max(...lengths), halfBytes);
    header.writeUInt32LE(size, halfSizeAt);
    return Buffer.concat([header, ...starts.map((start) => read(start, size))]);
  } finally {
    closeSync(file);
  }
}
