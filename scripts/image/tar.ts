/** Writes a tar archive (POSIX ustar) whose bytes depend on its entries alone: every time in it is the same. */

import { statSync } from 'node:fs';

interface Place {
  /** Without a slash at its begin. */
  readonly path: string;
  readonly mode: number;
  /** User and group; 0 unless given. */
  readonly owner?: number;
}

export type Entry =
  | (Place & { readonly kind: 'folder' })
  | (Place & { readonly kind: 'text'; readonly text: string })
  | (Place & { readonly kind: 'file'; readonly source: string })
  | (Place & { readonly kind: 'link'; readonly target: string });

const blockBytes = 512;
const nameBytesMax = 100;
const typeFlags = { text: '0', file: '0', link: '2', folder: '5' } as const;

export async function* tarOf(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const size = sizeOf(entry);
    yield header(entry, size);
    if (entry.kind === 'text') yield Buffer.from(entry.text);
    if (entry.kind === 'file') yield* Bun.file(entry.source).stream();
    const rest = size % blockBytes;
    if (rest > 0) yield Buffer.alloc(blockBytes - rest);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function sizeOf(entry: Entry): number {
  if (entry.kind === 'text') return Buffer.byteLength(entry.text);
  return entry.kind === 'file' ? statSync(entry.source).size : 0;
}

function header(entry: Entry, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  if (Math.max(Buffer.byteLength(name), Buffer.byteLength(target)) > nameBytesMax)
    throw new Error(`The path ${name} is longer than ${nameBytesMax} bytes.`);
  const owner = entry.owner ?? 0;
  block.write(name, 0);
  block.write(octal(entry.mode, 7), 100);
  block.write(octal(owner, 7), 108);
  block.write(octal(owner, 7), 116);
  block.write(octal(size, 11), 124);
  // The time of change: the start of 1970, whenever it is built.
  block.write(octal(0, 11), 136);
  block.write(typeFlags[entry.kind], 156);
  block.write(target, 157);
  block.write('ustar\x0000', 257, 'latin1');
  // The checksum counts its own field as spaces.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
