/** Reads the PNG files that people upload, of every kind the standard knows, within limits that a small file cannot exceed. */

import { Buffer } from 'node:buffer';
import { inflateSync } from 'node:zlib';
import { emptyPicture, type Picture } from '../raster/picture.ts';
import { type Chunk, PngError, readChunks } from './chunks.ts';
import { unfilter } from './filters.ts';
import { type PixelFormat, writePixels } from './pixel-formats.ts';

export const pixelsMax = 16 * 1024 * 1024;
const sideMax = 65_535;
const textsMax = 32;
const textBytesMax = 64 * 1024;

export interface DecodedPng {
  readonly picture: Picture;
  /** Words that the file carries, by their keyword. */
  readonly text: ReadonlyMap<string, string>;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly colourType: number;
  readonly interlaced: boolean;
}

/** Samples of a pixel and the depths that the standard allows, by colour type. */
const colourTypes: ReadonlyMap<number, { readonly channels: number; readonly bits: readonly number[] }> = new Map([
  [0, { channels: 1, bits: [1, 2, 4, 8, 16] }],
  [2, { channels: 3, bits: [8, 16] }],
  [3, { channels: 1, bits: [1, 2, 4, 8] }],
  [4, { channels: 2, bits: [8, 16] }],
  [6, { channels: 4, bits: [8, 16] }],
]);

export function decodePng(bytes: Uint8Array): DecodedPng {
  const chunks = readChunks(bytes);
  const header = readHeader(chunks[0]);
  const format = pixelFormat(header, chunks);
  const passes = passesOf(header, format);
  const expected = passes.reduce((sum, pass) => sum + (pass.stride + 1) * pass.height, 0);
  const rows = inflateRows(chunks, expected);
  const picture = emptyPicture(header.width, header.height);
  let at = 0;
  for (const pass of passes) {
    const length = (pass.stride + 1) * pass.height;
    const part = rows.subarray(at, at + length);
    unfilter(part, pass.height, pass.stride, Math.max(1, (format.channels * format.bits) >> 3));
    writePixels(picture, part, pass, format);
    at += length;
  }
  return { picture, text: readTexts(chunks) };
}

function readHeader(chunk: Chunk | undefined): Header {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== 13) throw new PngError('The PNG does not begin with its header.');
  const { data } = chunk;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [bits = 0, colourType = 0, compression, filter, interlace] = data.subarray(8);
  if (width === 0 || height === 0) throw new PngError('The PNG has no pixels: its width or height is 0.');
  if (width > sideMax || height > sideMax || width * height > pixelsMax) {
    throw new PngError(`The PNG has ${width}x${height} pixels; at most ${pixelsMax} in all are read.`);
  }
  const known = colourTypes.get(colourType);
  if (known?.bits.includes(bits) !== true) {
    throw new PngError(`The PNG has colour type ${colourType} with ${bits} bits, which does not exist.`);
  }
  if (compression !== 0 || filter !== 0 || interlace === undefined || interlace > 1) {
    throw new PngError('The PNG names a compression, filter or interlace method that does not exist.');
  }
  return { width, height, bits, colourType, interlaced: interlace === 1 };
}

function pixelFormat({ bits, colourType }: Header, chunks: readonly Chunk[]): PixelFormat {
  const channels = colourTypes.get(colourType)?.channels ?? 1;
  const palette = chunks.find((chunk) => chunk.type === 'PLTE')?.data;
  const transparency = chunks.find((chunk) => chunk.type === 'tRNS')?.data;
  if (colourType === 3) {
    if (palette === undefined || palette.length === 0 || palette.length % 3 !== 0 || palette.length > 768) {
      throw new PngError('The PNG uses a palette, and its palette is missing or damaged.');
    }
    return { bits, channels, palette, paletteAlpha: transparency ?? Buffer.alloc(0) };
  }
  // Grey and colour files may name one value that is transparent.
  const keyed = colourType === 0 || colourType === 2 ? transparency : undefined;
  if (keyed !== undefined && keyed.length < channels * 2) {
    throw new PngError('The PNG is damaged: its transparent colour is cut short.');
  }
  const key = keyed && Array.from({ length: channels }, (_, index) => keyed.readUInt16BE(index * 2));
  return key === undefined ? { bits, channels } : { bits, channels, transparentKey: key };
}

export interface Pass {
  readonly width: number;
  readonly height: number;
  /** Bytes of a row without its filter byte. */
  readonly stride: number;
  readonly startX: number;
  readonly startY: number;
  readonly stepX: number;
  readonly stepY: number;
}

/** Start and step of the seven passes of an interlaced file. */
const interlacedPasses: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

function passesOf(header: Header, { bits, channels }: PixelFormat): Pass[] {
  const steps = header.interlaced ? interlacedPasses : ([[0, 0, 1, 1]] as const);
  return steps.flatMap(([startX, startY, stepX, stepY]) => {
    const width = Math.ceil((header.width - startX) / stepX);
    const height = Math.ceil((header.height - startY) / stepY);
    if (width <= 0 || height <= 0) return [];
    return [{ width, height, stride: Math.ceil((width * bits * channels) / 8), startX, startY, stepX, stepY }];
  });
}

/** The size is known before anything is inflated, so a file that grows beyond it is stopped there. */
function inflateRows(chunks: readonly Chunk[], expectedBytes: number): Uint8Array {
  const packed = chunks.filter((chunk) => chunk.type === 'IDAT').map((chunk) => chunk.data);
  if (packed.length === 0) throw new PngError('The PNG has no picture data.');
  let rows: Uint8Array;
  try {
    rows = inflateSync(Buffer.concat(packed), { maxOutputLength: expectedBytes + 1 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PngError(`The PNG's picture data cannot be unpacked: ${why}.`);
  }
  if (rows.length < expectedBytes) throw new PngError('The PNG is cut short: rows of the picture are missing.');
  if (rows.length > expectedBytes) throw new PngError('The PNG holds more picture data than its size allows.');
  return rows;
}

function readTexts(chunks: readonly Chunk[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, data } of chunks) {
    const end = data.indexOf(0);
    if ((type !== 'tEXt' && type !== 'iTXt') || end < 1 || data.length > textBytesMax || texts.size >= textsMax)
      continue;
    const keyword = data.toString('latin1', 0, end);
    if (type === 'tEXt') {
      texts.set(keyword, data.toString('latin1', end + 1));
      continue;
    }
    // Behind the keyword stand a compression flag and method, a language and a translated keyword.
    const language = data.indexOf(0, end + 3);
    const translated = language === -1 ? -1 : data.indexOf(0, language + 1);
    if (data[end + 1] === 0 && translated !== -1) texts.set(keyword, data.toString('utf8', translated + 1));
  }
  return texts;
}
