/** Images for tests: plain ones to send, and the pixels of results. */

import { decodePng, encodePng } from '../../src/sandbox/images/png.ts';
import { type Bitmap, emptyBitmap } from '../../src/sandbox/images/raster/bitmap.ts';

export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

export function paint(width: number, height: number, colorAt: (x: number, y: number) => Rgba): Bitmap {
  const bitmap = emptyBitmap(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) bitmap.pixels.set(colorAt(x, y), (y * width + x) * 4);
  }
  return bitmap;
}

/** Every pixel differs from its neighbors, so that any change shows. */
export function noisyBitmap(width: number, height: number): Bitmap {
  return paint(width, height, (x, y) => [(x * 7 + y * 3) % 256, (x * 5 + y * 11) % 256, (x + y * 13) % 256, 255]);
}

/** Opaque apart from one box, which is where an edit may happen. */
export function boxMask(width: number, height: number, box: { left: number; top: number; side: number }): Bitmap {
  return paint(width, height, (x, y) => [0, 0, 0, isInside(box, x, y) ? 0 : 255]);
}

export function isInside(box: { left: number; top: number; side: number }, x: number, y: number): boolean {
  return x >= box.left && x < box.left + box.side && y >= box.top && y < box.top + box.side;
}

export function pngFile(bitmap: Bitmap, name = 'image.png'): File {
  return new File([encodePng(bitmap)], name, { type: 'image/png' });
}

export function pngBase64(bitmap: Bitmap): string {
  return Buffer.from(encodePng(bitmap)).toString('base64');
}

/** Throws where it is no PNG, or damaged. */
export function pixelsIn(base64: string | undefined): Bitmap {
  if (base64 === undefined) throw new Error('there is no image');
  return decodePng(new Uint8Array(Buffer.from(base64, 'base64')));
}

export function pixelAt({ width, pixels }: Bitmap, x: number, y: number): number[] {
  const at = (y * width + x) * 4;
  return [...pixels.subarray(at, at + 4)];
}

/** How many pixels differ, by whether they lie inside the box. */
export function changedPixels(
  before: Bitmap,
  after: Bitmap,
  box: { left: number; top: number; side: number },
): { inside: number; outside: number } {
  const changed = { inside: 0, outside: 0 };
  for (let y = 0; y < before.height; y++) {
    for (let x = 0; x < before.width; x++) {
      if (pixelAt(before, x, y).join() === pixelAt(after, x, y).join()) continue;
      if (isInside(box, x, y)) changed.inside += 1;
      else changed.outside += 1;
    }
  }
  return changed;
}
