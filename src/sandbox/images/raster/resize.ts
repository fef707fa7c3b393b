/** Resizes images, and fits one into a frame of another shape without cropping it. */

import { type Bitmap, emptyBitmap, isOpaque } from './bitmap.ts';
import { type Color, mix } from './colors.ts';

interface Taps {
  readonly start: number;
  readonly weights: readonly number[];
}

/** The source samples of each result sample and their weights: a triangle filter as wide as the reduction. */
function tapsOf(from: number, to: number): Taps[] {
  const ratio = from / to;
  const reach = Math.max(1, ratio);
  return Array.from({ length: to }, (_, index) => {
    const middle = (index + 0.5) * ratio - 0.5;
    const start = Math.max(0, Math.ceil(middle - reach));
    const end = Math.min(from - 1, Math.floor(middle + reach));
    const raw: number[] = [];
    for (let at = start; at <= end; at += 1) raw.push(Math.max(1e-6, 1 - Math.abs(at - middle) / reach));
    const sum = raw.reduce((total, weight) => total + weight, 0);
    return { start, weights: raw.map((weight) => weight / sum) };
  });
}

export function resize(bitmap: Bitmap, width: number, height: number): Bitmap {
  if (bitmap.width === width && bitmap.height === height) return bitmap;
  const narrowed = scaleRows(bitmap, tapsOf(bitmap.width, width));
  const result = emptyBitmap(width, height);
  tapsOf(bitmap.height, height).forEach(({ start, weights }, y) => {
    for (let x = 0; x < width; x += 1) {
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let tap = 0; tap < weights.length; tap += 1) {
        const at = ((start + tap) * width + x) * 4;
        const weight = weights[tap] ?? 0;
        red += (narrowed[at] ?? 0) * weight;
        green += (narrowed[at + 1] ?? 0) * weight;
        blue += (narrowed[at + 2] ?? 0) * weight;
        alpha += (narrowed[at + 3] ?? 0) * weight;
      }
      const to = (y * width + x) * 4;
      const share = alpha > 0 ? 255 / alpha : 0;
      result.pixels[to] = Math.min(255, Math.round(red * share));
      result.pixels[to + 1] = Math.min(255, Math.round(green * share));
      result.pixels[to + 2] = Math.min(255, Math.round(blue * share));
      result.pixels[to + 3] = Math.round(alpha);
    }
  });
  return result;
}

/** Colors are weighted by their alpha, so that invisible colors do not bleed at the edges. */
function scaleRows({ width, height, pixels }: Bitmap, taps: readonly Taps[]): Float32Array {
  const out = new Float32Array(taps.length * height * 4);
  for (let y = 0; y < height; y += 1) {
    taps.forEach(({ start, weights }, x) => {
      const to = (y * taps.length + x) * 4;
      for (let tap = 0; tap < weights.length; tap += 1) {
        const at = (y * width + start + tap) * 4;
        const alpha = (pixels[at + 3] ?? 0) * (weights[tap] ?? 0);
        out[to] = (out[to] ?? 0) + ((pixels[at] ?? 0) * alpha) / 255;
        out[to + 1] = (out[to + 1] ?? 0) + ((pixels[at + 1] ?? 0) * alpha) / 255;
        out[to + 2] = (out[to + 2] ?? 0) + ((pixels[at + 2] ?? 0) * alpha) / 255;
        out[to + 3] = (out[to + 3] ?? 0) + alpha;
      }
    });
  }
  return out;
}

interface Frame {
  readonly width: number;
  readonly height: number;
}

/** The largest size of the same shape that is not larger than the frame. */
export function sizeWithin(bitmap: Frame, frame: Frame): Frame {
  const scale = Math.min(frame.width / bitmap.width, frame.height / bitmap.height);
  return {
    width: Math.min(frame.width, Math.max(1, Math.round(bitmap.width * scale))),
    height: Math.min(frame.height, Math.max(1, Math.round(bitmap.height * scale))),
  };
}

/** The whole image in the middle of the frame. The rest is transparent where the image has transparent parts, and has its edge's color otherwise. */
export function fitInto(bitmap: Bitmap, frame: Frame): Bitmap {
  if (bitmap.width === frame.width && bitmap.height === frame.height) return bitmap;
  const inner = sizeWithin(bitmap, frame);
  const scaled = resize(bitmap, inner.width, inner.height);
  if (inner.width === frame.width && inner.height === frame.height) return scaled;
  const result = emptyBitmap(frame.width, frame.height);
  if (isOpaque(bitmap)) fillWith(result, edgeColor(scaled));
  const left = Math.floor((frame.width - inner.width) / 2);
  const top = Math.floor((frame.height - inner.height) / 2);
  for (let y = 0; y < inner.height; y += 1) {
    const row = scaled.pixels.subarray(y * inner.width * 4, (y + 1) * inner.width * 4);
    result.pixels.set(row, ((top + y) * frame.width + left) * 4);
  }
  return result;
}

function fillWith({ pixels }: Bitmap, [red, green, blue]: Color): void {
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = red;
    pixels[at + 1] = green;
    pixels[at + 2] = blue;
    pixels[at + 3] = 255;
  }
}

function edgeColor({ width, height, pixels }: Bitmap): Color {
  const at = (x: number, y: number): Color => {
    const from = (y * width + x) * 4;
    return [pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0];
  };
  const top = mix(at(0, 0), at(width - 1, 0), 0.5);
  return mix(top, mix(at(0, height - 1), at(width - 1, height - 1), 0.5), 0.5);
}
