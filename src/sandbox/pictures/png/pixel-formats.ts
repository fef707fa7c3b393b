/** Turns the samples of any kind of PNG into red, green, blue and alpha of eight bits. */

import type { Picture } from '../raster/picture.ts';
import { PngError } from './chunks.ts';
import type { Pass } from './decode.ts';

export interface PixelFormat {
  readonly bits: number;
  readonly channels: number;
  readonly palette?: Uint8Array;
  /** Alpha of the palette's first entries; the others are opaque. */
  readonly paletteAlpha?: Uint8Array;
  /** The one value, as many numbers as there are channels, that is transparent. */
  readonly transparentKey?: readonly number[];
}

export function writePixels(picture: Picture, rows: Uint8Array, pass: Pass, format: PixelFormat): void {
  const samples = new Uint16Array(pass.width * format.channels);
  for (let y = 0; y < pass.height; y += 1) {
    const start = y * (pass.stride + 1) + 1;
    readSamples(rows.subarray(start, start + pass.stride), samples, format.bits);
    const row = (pass.startY + y * pass.stepY) * picture.width;
    for (let x = 0; x < pass.width; x += 1) {
      const to = (row + pass.startX + x * pass.stepX) * 4;
      if (format.palette === undefined) writeColour(picture.pixels, to, samples, x * format.channels, format);
      else writeIndexed(picture.pixels, to, samples[x] ?? 0, format.palette, format.paletteAlpha);
    }
  }
}

function readSamples(row: Uint8Array, samples: Uint16Array, bits: number): void {
  if (bits === 8) {
    samples.set(row);
    return;
  }
  if (bits === 16) {
    for (let index = 0; index < samples.length; index += 1) {
      samples[index] = ((row[index * 2] ?? 0) << 8) | (row[index * 2 + 1] ?? 0);
    }
    return;
  }
  const mask = (1 << bits) - 1;
  for (let index = 0; index < samples.length; index += 1) {
    const at = index * bits;
    samples[index] = ((row[at >> 3] ?? 0) >> (8 - bits - (at & 7))) & mask;
  }
}

/** Small depths are stretched to the whole range; of sixteen bits the upper eight are nearly all that can be seen. */
function toByte(sample: number, bits: number): number {
  if (bits === 8) return sample;
  return Math.round((sample * 255) / ((1 << bits) - 1));
}

function writeColour(
  pixels: Uint8Array,
  to: number,
  samples: Uint16Array,
  from: number,
  { bits, channels, transparentKey }: PixelFormat,
): void {
  const grey = channels < 3;
  const red = samples[from] ?? 0;
  pixels[to] = toByte(red, bits);
  pixels[to + 1] = toByte(grey ? red : (samples[from + 1] ?? 0), bits);
  pixels[to + 2] = toByte(grey ? red : (samples[from + 2] ?? 0), bits);
  const withAlpha = channels === 2 || channels === 4;
  const hidden = transparentKey?.every((value, index) => samples[from + index] === value) === true;
  pixels[to + 3] = withAlpha ? toByte(samples[from + channels - 1] ?? 0, bits) : hidden ? 0 : 255;
}

function writeIndexed(
  pixels: Uint8Array,
  to: number,
  index: number,
  palette: Uint8Array,
  alpha: Uint8Array | undefined,
): void {
  if (index * 3 >= palette.length) {
    throw new PngError(`The PNG is damaged: a pixel names colour ${index} of a palette of ${palette.length / 3}.`);
  }
  pixels[to] = palette[index * 3] ?? 0;
  pixels[to + 1] = palette[index * 3 + 1] ?? 0;
  pixels[to + 2] = palette[index * 3 + 2] ?? 0;
  pixels[to + 3] = alpha?.[index] ?? 255;
}
