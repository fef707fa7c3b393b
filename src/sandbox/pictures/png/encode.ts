/** Writes a picture as a PNG file, with words about it that travel inside the file. */

import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { isOpaque, type Picture } from '../raster/picture.ts';
import { signature, writeChunk } from './chunks.ts';
import { paeth } from './filters.ts';

export interface PngOptions {
  /** 0 is fast and large, 9 slow and small. */
  readonly level?: number;
  /** Keywords and texts to keep in the file. */
  readonly text?: Readonly<Record<string, string>>;
}

const defaultLevel = 6;
const keywordCharactersMax = 79;

export function encodePng(picture: Picture, options: PngOptions = {}): Uint8Array<ArrayBuffer> {
  const opaque = isOpaque(picture);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header[8] = 8;
  header[9] = opaque ? 2 : 6;
  const filtered = filterRows(samplesOf(picture, opaque), picture.height, opaque ? 3 : 4);
  const texts = Object.entries(options.text ?? {}).map(([keyword, text]) => textChunk(keyword, text));
  return new Uint8Array(
    Buffer.concat([
      signature,
      writeChunk('IHDR', header),
      ...texts,
      writeChunk('IDAT', deflateSync(filtered, { level: options.level ?? defaultLevel })),
      writeChunk('IEND', new Uint8Array()),
    ]),
  );
}

/** A picture without holes is written without its alpha: a quarter less to compress. */
function samplesOf({ pixels }: Picture, opaque: boolean): Uint8Array {
  if (!opaque) return pixels;
  const samples = new Uint8Array((pixels.length / 4) * 3);
  for (let from = 0, to = 0; from < pixels.length; from += 4, to += 3) {
    samples[to] = pixels[from] ?? 0;
    samples[to + 1] = pixels[from + 1] ?? 0;
    samples[to + 2] = pixels[from + 2] ?? 0;
  }
  return samples;
}

/** Latin letters go into the plain kind of text chunk, all others into the international one. */
function textChunk(keyword: string, text: string): Buffer {
  const name = Buffer.from(keyword.slice(0, keywordCharactersMax), 'latin1');
  const clean = text.replaceAll('\0', '');
  if (/^[\x01-\xff]*$/.test(clean)) {
    return writeChunk('tEXt', Buffer.concat([name, Buffer.from([0]), Buffer.from(clean, 'latin1')]));
  }
  return writeChunk('iTXt', Buffer.concat([name, Buffer.from([0, 0, 0, 0, 0]), Buffer.from(clean, 'utf8')]));
}

/** Each row is written the way whose differences are smallest in sum, which is what compresses best on the whole. */
function filterRows(samples: Uint8Array, height: number, step: number): Uint8Array {
  const stride = samples.length / height;
  const out = new Uint8Array((stride + 1) * height);
  const candidates = [0, 1, 2, 3, 4].map(() => new Uint8Array(stride));
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const row = samples.subarray(y * stride, (y + 1) * stride);
    const kind = filterRow(row, above, step, candidates);
    out[y * (stride + 1)] = kind;
    out.set(candidates[kind] ?? row, y * (stride + 1) + 1);
    above = row as typeof above;
  }
  return out;
}

function filterRow(row: Uint8Array, above: Uint8Array, step: number, candidates: readonly Uint8Array[]): number {
  let best = 0;
  let least = Infinity;
  for (let kind = 0; kind < 5; kind += 1) {
    const candidate = candidates[kind];
    if (candidate === undefined) continue;
    let sum = 0;
    for (let at = 0; at < row.length; at += 1) {
      const left = at >= step ? (row[at - step] ?? 0) : 0;
      const up = above[at] ?? 0;
      let guess = 0;
      if (kind === 1) guess = left;
      else if (kind === 2) guess = up;
      else if (kind === 3) guess = (left + up) >> 1;
      else if (kind === 4) guess = paeth(left, up, at >= step ? (above[at - step] ?? 0) : 0);
      const difference = ((row[at] ?? 0) - guess) & 255;
      candidate[at] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    if (sum < least) [best, least] = [kind, sum];
    // Nothing can be better than a row without any difference.
    if (sum === 0) break;
  }
  return best;
}
