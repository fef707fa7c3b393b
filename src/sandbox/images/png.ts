/** PNG (https://www.w3.org/TR/png-3/, read 2026-11-16): writes bitmaps with text chunks, and reads what the runtime writes: 8 bits, not interlaced. */

import { Buffer } from 'node:buffer';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { type Bitmap, emptyBitmap, isOpaque } from './raster/bitmap.ts';

interface PngOptions {
  /** 0 is fast and large, 9 slow and small. */
  readonly level?: number;
  /** Keywords and texts to store in the file. */
  readonly text?: Readonly<Record<string, string>>;
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const colorTypes = { rgb: 2, rgba: 6 } as const;
/** Each sample is stored as the difference from its left neighbor. */
const subFilter = 1;

export function encodePng(bitmap: Bitmap, { level = 6, text = {} }: PngOptions = {}): Uint8Array<ArrayBuffer> {
  const { width, height, pixels } = bitmap;
  const channels = isOpaque(bitmap) ? 3 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = channels === 3 ? colorTypes.rgb : colorTypes.rgba;
  const rows = new Uint8Array((width * channels + 1) * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    rows[to++] = subFilter;
    for (let x = 0; x < width; x += 1) {
      const from = (y * width + x) * 4;
      for (let channel = 0; channel < channels; channel += 1) {
        const left = x === 0 ? 0 : (pixels[from - 4 + channel] ?? 0);
        rows[to++] = (pixels[from + channel] ?? 0) - left;
      }
    }
  }
  return new Uint8Array(
    Buffer.concat([
      signature,
      chunk('IHDR', header),
      ...Object.entries(text).map(([keyword, words]) => textChunk(keyword, words)),
      chunk('IDAT', deflateSync(rows, { level })),
      chunk('IEND', new Uint8Array()),
    ]),
  );
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}

/** International text: keyword, no compression, no language, UTF-8. */
function textChunk(keyword: string, text: string): Buffer {
  return chunk('iTXt', Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll('\0', '')}`));
}

export function decodePng(bytes: Uint8Array): Bitmap {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Buffer[] = [];
  for (let at = signature.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height, bits, colorType] = [file.readUInt32BE(16), file.readUInt32BE(20), file[24], file[25]];
  const channels = colorType === colorTypes.rgba ? 4 : colorType === colorTypes.rgb ? 3 : 0;
  if (channels === 0 || bits !== 8 || file[28] !== 0) throw new Error('The PNG has an unexpected pixel format.');
  const stride = width * channels;
  const rows = inflateSync(Buffer.concat(data), { maxOutputLength: (stride + 1) * height });
  const bitmap = emptyBitmap(width, height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const row = rows.subarray(start + 1, start + 1 + stride);
    unfilter(row, above, rows[start] ?? 0, channels);
    for (let x = 0; x < width; x += 1) {
      const to = (y * width + x) * 4;
      bitmap.pixels[to + 3] = 255;
      for (let channel = 0; channel < channels; channel += 1) {
        bitmap.pixels[to + channel] = row[x * channels + channel] ?? 0;
      }
    }
    above = row;
  }
  return bitmap;
}

function unfilter(row: Uint8Array, above: Uint8Array, filter: number, channels: number): void {
  for (let at = 0; at < row.length; at += 1) {
    const left = at >= channels ? (row[at - channels] ?? 0) : 0;
    const up = above[at] ?? 0;
    let predicted = 0;
    if (filter === 1) predicted = left;
    else if (filter === 2) predicted = up;
    else if (filter === 3) predicted = (left + up) >> 1;
    else if (filter === 4) predicted = paeth(left, up, at >= channels ? (above[at - channels] ?? 0) : 0);
    row[at] = (row[at] ?? 0) + predicted;
  }
}

/** The neighbor that is nearest to left + up - upper left. */
function paeth(left: number, up: number, upLeft: number): number {
  const [fromLeft, fromUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)];
  const fromUpLeft = Math.abs(left + up - 2 * upLeft);
  if (fromLeft <= fromUp && fromLeft <= fromUpLeft) return left;
  return fromUp <= fromUpLeft ? up : upLeft;
}
