/** Fills a masked area from its surroundings, and cuts out the background at the edges. */

import type { Bitmap } from '../raster/bitmap.ts';
import { resize } from '../raster/resize.ts';
import type { Mask } from './mask.ts';

/** Copies that are halved again and again, without the masked pixels; each masked pixel takes the finest color there is. */
export function fillIn(bitmap: Bitmap, { weights }: Mask): Bitmap {
  const known: Bitmap = { ...bitmap, pixels: bitmap.pixels.slice() };
  for (let index = 0; index < weights.length; index += 1) if (weights[index] !== 0) known.pixels[index * 4 + 3] = 0;
  const result = { ...bitmap, pixels: bitmap.pixels.slice() };
  const filled = new Uint8Array(weights.length);
  for (let small = known; small.width > 1 || small.height > 1; ) {
    small = resize(small, Math.ceil(small.width / 2), Math.ceil(small.height / 2));
    const { width, height, pixels } = resize(small, bitmap.width, bitmap.height);
    for (let index = 0; index < width * height; index += 1) {
      if (weights[index] === 0 || filled[index] === 1 || pixels[index * 4 + 3] === 0) continue;
      filled[index] = 1;
      result.pixels.set(pixels.subarray(index * 4, index * 4 + 3), index * 4);
      result.pixels[index * 4 + 3] = 255;
    }
  }
  return result;
}

/** How far a color may be from its neighbor's, as a sum over the three channels. */
const tolerance = 30;

/** Makes transparent what is connected with the image's edge through similar colors. */
export function cutOut(bitmap: Bitmap): Bitmap {
  const { width, height } = bitmap;
  const pixels = bitmap.pixels.slice();
  const seen = new Uint8Array(width * height);
  const waiting: number[] = [];
  const visit = (index: number): void => {
    if (seen[index] === 1) return;
    seen[index] = 1;
    waiting.push(index);
  };
  for (let x = 0; x < width; x += 1) for (const y of [0, height - 1]) visit(y * width + x);
  for (let y = 0; y < height; y += 1) for (const x of [0, width - 1]) visit(y * width + x);
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    pixels[index * 4 + 3] = 0;
    const x = index % width;
    const near = [x > 0 ? index - 1 : -1, x < width - 1 ? index + 1 : -1, index - width, index + width];
    for (const other of near) {
      if (other >= 0 && other < width * height && isSimilar(bitmap.pixels, index, other)) visit(other);
    }
  }
  return { ...bitmap, pixels };
}

function isSimilar(pixels: Uint8Array, one: number, other: number): boolean {
  let difference = 0;
  for (let channel = 0; channel < 3; channel += 1) {
    difference += Math.abs((pixels[one * 4 + channel] ?? 0) - (pixels[other * 4 + channel] ?? 0));
  }
  return difference <= tolerance;
}
