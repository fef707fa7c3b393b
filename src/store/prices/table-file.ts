/** Reads a price table from a file, for machines without the internet. */

import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Never more than `bytesMax` are in memory, also where the file is a device without an end. */
export async function readTableFile(path: string, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path.startsWith('file:') ? fileURLToPath(path) : path, 'r');
  try {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for (;;) {
      const piece = new Uint8Array(pieceBytes);
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      if (bytes > bytesMax) throw new Error(`The file is larger than ${bytesMax} bytes.`);
      pieces.push(piece.subarray(0, bytesRead));
    }
    return new Uint8Array(Buffer.concat(pieces));
  } finally {
    await file.close();
  }
}

const pieceBytes = 262_144;
