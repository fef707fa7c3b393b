/**
 * Gives a macOS executable an ad-hoc signature: the hashes of its pages, without a certificate. Bun 1.4.4 writes one for
 * arm64, but leaves the runtime's own in an x64 executable, where it no longer fits and macOS may end the process
 * (https://github.com/oven-sh/bun/issues/39764, read 2026-11-17). The structures are those of `cs_blobs.h` of XNU,
 * https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h (read 2026-11-17).
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const machHeaderBytes = 32;
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const pageBits = 12;
const pageBytes = 1 << pageBits;
const hashBytes = 32;
const superBlobBytes = 20;
const directoryBytes = 88;
const adHocLinkerSigned = 0x20002;
const sha256Type = 2;
const mainBinary = 1n;

interface Commands {
  /** Where the command of the signature is. */
  readonly signature: number;
  /** Where the segment is that has the signature at its end. */
  readonly linkEdit: number;
  readonly text: { readonly offset: bigint; readonly bytes: bigint };
}

export function signFile(file: string, identifier: string): void {
  writeFileSync(file, withSignature(readFileSync(file), identifier));
}

/** The same program with a signature of its own in the place of the one that it has. */
export function withSignature(program: Buffer, identifier: string): Buffer {
  const { signature, linkEdit, text } = commandsOf(program);
  const codeBytes = program.readUInt32LE(signature + 8);
  const code = Buffer.from(program.subarray(0, codeBytes));
  const pages = Math.ceil(codeBytes / pageBytes);
  const blobBytes = superBlobBytes + directoryBytes + identifier.length + 1 + pages * hashBytes;
  // The first page has these, so they are set before it is hashed.
  code.writeUInt32LE(blobBytes, signature + 12);
  const segmentStart = code.readBigUInt64LE(linkEdit + 40);
  const segmentBytes = BigInt(codeBytes + blobBytes) - segmentStart;
  code.writeBigUInt64LE(segmentBytes, linkEdit + 48);
  const inPages = (segmentBytes + BigInt(pageBytes - 1)) & ~BigInt(pageBytes - 1);
  code.writeBigUInt64LE(inPages, linkEdit + 32);
  return Buffer.concat([code, signatureOf(code, identifier, text)]);
}

function commandsOf(program: Buffer): Commands {
  if (program.readUInt32LE(0) !== 0xfeedfacf) throw new Error('The file is no 64-bit Mach-O program.');
  const count = program.readUInt32LE(16);
  let signature: number | undefined;
  let linkEdit: number | undefined;
  let text: Commands['text'] | undefined;
  for (let index = 0, at = machHeaderBytes; index < count; index++) {
    const command = program.readUInt32LE(at);
    if (command === signatureCommand) signature = at;
    if (command === segmentCommand) {
      const name = program.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
      if (name === '__LINKEDIT') linkEdit = at;
      if (name === '__TEXT')
        text = { offset: program.readBigUInt64LE(at + 40), bytes: program.readBigUInt64LE(at + 48) };
    }
    at += program.readUInt32LE(at + 4);
  }
  if (signature === undefined || linkEdit === undefined || text === undefined)
    throw new Error('The Mach-O program has no place for a signature.');
  return { signature, linkEdit, text };
}

function signatureOf(code: Buffer, identifier: string, text: Commands['text']): Buffer {
  const hashes: Buffer[] = [];
  for (let at = 0; at < code.length; at += pageBytes)
    hashes.push(
      createHash('sha256')
        .update(code.subarray(at, at + pageBytes))
        .digest(),
    );
  const hashOffset = directoryBytes + identifier.length + 1;
  const directory = Buffer.alloc(directoryBytes);
  const words = [0xfade0c02, hashOffset + hashes.length * hashBytes, 0x20400, adHocLinkerSigned];
  for (const [index, word] of [...words, hashOffset, directoryBytes, 0, hashes.length, code.length].entries())
    directory.writeUInt32BE(word, index * 4);
  for (const [index, byte] of [hashBytes, sha256Type, 0, pageBits].entries()) directory.writeUInt8(byte, 36 + index);
  directory.writeBigUInt64BE(text.offset, 64);
  directory.writeBigUInt64BE(text.bytes, 72);
  directory.writeBigUInt64BE(mainBinary, 80);
  const blob = Buffer.concat([directory, Buffer.from(`${identifier}\0`), ...hashes]);
  const outer = Buffer.alloc(superBlobBytes);
  for (const [index, word] of [0xfade0cc0, superBlobBytes + blob.length, 1, 0, superBlobBytes].entries())
    outer.writeUInt32BE(word, index * 4);
  return Buffer.concat([outer, blob]);
}
