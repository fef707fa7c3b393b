/** PNG files: what is written is read back, by this code and by the runtime, and what the runtime writes is read. */

import { describe, expect, test } from 'bun:test';
import { decodePng, encodePng } from './png.ts';
import { type Bitmap, emptyBitmap } from './raster/bitmap.ts';
import { randomFrom } from './raster/random.ts';

function noise(width: number, height: number, opaque: boolean): Bitmap {
  const random = randomFrom(`noise ${width} ${height}`);
  const bitmap = emptyBitmap(width, height);
  bitmap.pixels.forEach((_, at) => {
    bitmap.pixels[at] = at % 4 === 3 && opaque ? 255 : random.below(256);
  });
  return bitmap;
}

describe.each([
  [1, 1],
  [3, 2],
  [64, 48],
  [17, 100],
])('%d by %d', (width, height) => {
  test.each([true, false])('opaque: %p', async (opaque) => {
    const bitmap = noise(width, height, opaque);
    const file = encodePng(bitmap);
    expect(decodePng(file)).toEqual(bitmap);
    // The runtime chooses other filters.
    const rewritten = await new Bun.Image(file).png({ compressionLevel: 9 }).bytes();
    expect(decodePng(rewritten)).toEqual(bitmap);
  });
});

test('texts are stored in UTF-8', () => {
  const file = Buffer.from(encodePng(emptyBitmap(2, 2), { text: { prompt: 'ein Bäumchen 🌳' } }));
  expect(file.includes('iTXtprompt\0\0\0\0\0ein Bäumchen 🌳')).toBe(true);
});

test('an opaque image takes three bytes a pixel', () => {
  expect(encodePng(noise(50, 50, true))[25]).toBe(2);
  expect(encodePng(noise(50, 50, false))[25]).toBe(6);
});
