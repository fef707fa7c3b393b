/** Masks: where an image may change. The rest is kept exactly. */

import { type Bitmap, blendPixel, emptyBitmap } from '../raster/bitmap.ts';

/** One byte for each pixel, from 0 (keep) to 255 (replace). */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly weights: Uint8Array;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A mask's transparent parts are the ones that may change. */
export function maskFrom({ width, height, pixels }: Bitmap): Mask {
  const weights = new Uint8Array(width * height);
  for (let index = 0; index < weights.length; index += 1) weights[index] = 255 - (pixels[index * 4 + 3] ?? 255);
  return { width, height, weights };
}

export function wholeMask(width: number, height: number): Mask {
  return { width, height, weights: new Uint8Array(width * height).fill(255) };
}

/** The smallest box around all that may change. */
export function boundsOf({ width, height, weights }: Mask): Box | undefined {
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (weights[y * width + x] === 0) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  return right === -1 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** The changed image inside the mask, the old pixels everywhere else. */
export function keepOutside(before: Bitmap, after: Bitmap, mask: Mask): Bitmap {
  const pixels = before.pixels.slice();
  for (let index = 0; index < mask.weights.length; index += 1) {
    const weight = mask.weights[index] ?? 0;
    if (weight === 0) continue;
    for (let at = index * 4; at < index * 4 + 4; at += 1) {
      const [old, changed] = [before.pixels[at] ?? 0, after.pixels[at] ?? 0];
      pixels[at] = weight === 255 ? changed : Math.round(old + ((changed - old) * weight) / 255);
    }
  }
  return { ...before, pixels };
}

/** Lays an image over another at a position, with its own transparency times `share`. */
export function layOver(below: Bitmap, above: Bitmap, left: number, top: number, share = 1): Bitmap {
  const result = { ...below, pixels: below.pixels.slice() };
  for (let y = Math.max(0, -top); y < above.height && top + y < below.height; y += 1) {
    for (let x = Math.max(0, -left); x < above.width && left + x < below.width; x += 1) {
      const from = (y * above.width + x) * 4;
      const alpha = ((above.pixels[from + 3] ?? 0) / 255) * share;
      const color = [above.pixels[from] ?? 0, above.pixels[from + 1] ?? 0, above.pixels[from + 2] ?? 0] as const;
      blendPixel(result.pixels, ((top + y) * below.width + left + x) * 4, color, alpha);
    }
  }
  return result;
}

/** For formats without transparency. */
export function onWhite(bitmap: Bitmap): Bitmap {
  const paper = emptyBitmap(bitmap.width, bitmap.height);
  paper.pixels.fill(255);
  return layOver(paper, bitmap, 0, 0);
}
