/** The signature of a macOS executable: each page's hash, recomputed here from the layout that macOS reads. */

import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { withSignature } from '../../scripts/release/sign-macho.ts';

const codeBytes = 3 * 4096 + 100;

/** Two segments and the command of a signature that no longer fits. */
function program(): Buffer {
  const file = Buffer.alloc(codeBytes + 50, 7);
  file.fill(0, 0, 400);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(3, 16);
  for (const [index, [name, start, bytes]] of (
    [
      ['__TEXT', 0, 4096],
      ['__LINKEDIT', 8192, 4246],
    ] as const
  ).entries()) {
    const at = 32 + index * 72;
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, 'latin1');
    file.writeBigUInt64LE(BigInt(start), at + 40);
    file.writeBigUInt64LE(BigInt(bytes), at + 48);
  }
  for (const [index, word] of [0x1d, 16, codeBytes, 50].entries()) file.writeUInt32LE(word, 176 + index * 4);
  return file;
}

test('every page has its hash, the last one as long as it is, and the file ends with the signature', () => {
  const signed = withSignature(program(), 'weir');
  expect(signed.readUInt32LE(184)).toBe(codeBytes);
  expect(signed.length).toBe(codeBytes + signed.readUInt32LE(188));
  const linkEdit = 32 + 72;
  expect(Number(signed.readBigUInt64LE(linkEdit + 40) + signed.readBigUInt64LE(linkEdit + 48))).toBe(signed.length);
  expect(signed.readBigUInt64LE(linkEdit + 32)).toBe(8192n);
  const blob = signed.subarray(codeBytes);
  expect([blob.readUInt32BE(0), blob.readUInt32BE(4), blob.readUInt32BE(8)]).toEqual([0xfade0cc0, blob.length, 1]);
  const directory = blob.subarray(blob.readUInt32BE(16));
  expect([directory.readUInt32BE(0), directory.readUInt32BE(4)]).toEqual([0xfade0c02, directory.length]);
  expect(directory.readUInt32BE(32)).toBe(codeBytes);
  expect(directory.toString('latin1', directory.readUInt32BE(20), directory.readUInt32BE(16))).toBe('weir\0');
  const pages = [0, 4096, 8192, 12_288].map((at) => signed.subarray(at, Math.min(at + 4096, codeBytes)));
  expect(directory.readUInt32BE(28)).toBe(pages.length);
  const hashes = Buffer.concat(pages.map((page) => createHash('sha256').update(page).digest()));
  expect(directory.subarray(directory.readUInt32BE(16)).equals(hashes)).toBe(true);
});

test('signing again changes nothing, and another file is refused', () => {
  const signed = withSignature(program(), 'weir');
  expect(withSignature(signed, 'weir').equals(signed)).toBe(true);
  expect(() => withSignature(Buffer.from('#!/bin/sh\nexit 0\n'), 'weir')).toThrow('no 64-bit Mach-O');
});
