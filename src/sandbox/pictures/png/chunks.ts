/** A PNG's frame: the signature, and chunks that say their length and carry a checksum. */

import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/** A file that cannot be read as a picture; the message says why in words for the caller. */
export class PngError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PngError';
  }
}

export const signature: Uint8Array = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

export function isPng(bytes: Uint8Array): boolean {
  return bytes.length >= signature.length && signature.every((byte, index) => bytes[index] === byte);
}

export function writeChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
  return chunk;
}

/** Every chunk up to the end mark, each checked against its checksum. What follows the end mark is not looked at. */
export function readChunks(bytes: Uint8Array): Chunk[] {
  if (!isPng(bytes)) throw new PngError('The file is not a PNG: its first eight bytes are others.');
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Chunk[] = [];
  for (let at = signature.length; ; ) {
    if (at + 12 > file.length) throw new PngError('The PNG is cut short: it has no end mark.');
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) throw new PngError(`The PNG is damaged at byte ${at + 4}: no chunk begins there.`);
    if (length > file.length - at - 12) throw new PngError(`The PNG is cut short inside its ${type} chunk.`);
    const end = at + 8 + length;
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) {
      throw new PngError(`The PNG is damaged: the checksum of its ${type} chunk is wrong.`);
    }
    chunks.push({ type, data: file.subarray(at + 8, end) });
    if (type === 'IEND') return chunks;
    at = end + 4;
  }
}
