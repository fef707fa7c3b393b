/** Edits of light, color, sharpness and direction, which need no understanding of an image. */

import { type Bitmap, emptyBitmap } from '../raster/bitmap.ts';
import { type Color, luminance } from '../raster/colors.ts';
import { resize } from '../raster/resize.ts';

export type Effect = (bitmap: Bitmap, strength: number) => Bitmap;

/** Changes every color channel by itself or by the pixel's luminance, and keeps the alpha. */
function recolored(change: (value: number, channel: number, light: number, strength: number) => number): Effect {
  return (bitmap, strength) => {
    const { pixels } = bitmap;
    const out = pixels.slice();
    for (let at = 0; at < pixels.length; at += 4) {
      const light = luminance([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]);
      for (let channel = 0; channel < 3; channel += 1) {
        const value = change(pixels[at + channel] ?? 0, channel, light, strength);
        out[at + channel] = Math.min(255, Math.max(0, Math.round(value)));
      }
    }
    return { ...bitmap, pixels: out };
  };
}

export const grayscale = recolored((_value, _channel, light) => light);
export const sepia = recolored((_value, channel, light) => light * ([1.07, 0.9, 0.68][channel] ?? 1) + 8);
export const invert = recolored((value) => 255 - value);
export const brighten = recolored((value, _channel, _light, strength) => value + (255 - value) * 0.3 * strength);
export const darken = recolored((value, _channel, _light, strength) => value * Math.max(0, 1 - 0.35 * strength));
export const addContrast = recolored((value, _channel, _light, strength) => (value - 128) * (1 + 0.4 * strength) + 128);
export const saturate = recolored((value, _channel, light, strength) => light + (value - light) * (1 + 0.6 * strength));
export const warm = recolored((value, channel, _light, strength) => value * (1 + (0.16 - 0.19 * channel) * strength));
export const cool = recolored((value, channel, _light, strength) => value * (1 - (0.2 - 0.19 * channel) * strength));

/** Keeps light and dark, and gives them one color. */
export function tint(bitmap: Bitmap, color: Color, strength: number): Bitmap {
  const share = Math.min(1, 0.6 * strength);
  return recolored((value, channel, light) => {
    const target = color[channel] ?? 0;
    const toned = light < 128 ? (target * light) / 128 : target + (255 - target) * (light / 255 - 0.5) * 1.4;
    return value + (toned - value) * share;
  })(bitmap, strength);
}

export const pixelate: Effect = (bitmap, strength) => {
  const { width, height } = bitmap;
  const block = Math.max(2, Math.round((Math.min(width, height) / 40) * strength));
  const small = resize(bitmap, Math.ceil(width / block), Math.ceil(height / block));
  return moved(bitmap, small, (x, y) => Math.floor(y / block) * small.width + Math.floor(x / block));
};

export const mirror: Effect = (bitmap) => moved(bitmap, bitmap, (x, y) => (y + 1) * bitmap.width - 1 - x);

export const flip: Effect = (bitmap) => moved(bitmap, bitmap, (x, y) => (bitmap.height - 1 - y) * bitmap.width + x);

function moved({ width, height }: Bitmap, source: Bitmap, from: (x: number, y: number) => number): Bitmap {
  const result = emptyBitmap(width, height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = from(x, y) * 4;
      result.pixels.set(source.pixels.subarray(at, at + 4), (y * width + x) * 4);
    }
  }
  return result;
}

/** A much smaller copy, enlarged again. */
export const blur: Effect = ({ width, height, ...rest }, strength) => {
  const factor = Math.max(2, Math.round((Math.min(width, height) / 45) * strength));
  const small = resize({ width, height, ...rest }, Math.ceil(width / factor), Math.ceil(height / factor));
  return resize(small, width, height);
};

/** Adds once more what a slight blur takes away. */
export const sharpen: Effect = (bitmap, strength) => {
  const soft = blur(bitmap, 0).pixels;
  const out = bitmap.pixels.slice();
  for (let at = 0; at < out.length; at += 1) {
    const value = bitmap.pixels[at] ?? 0;
    if (at % 4 !== 3) out[at] = Math.min(255, Math.max(0, Math.round(value + (value - (soft[at] ?? 0)) * strength)));
  }
  return { ...bitmap, pixels: out };
};
