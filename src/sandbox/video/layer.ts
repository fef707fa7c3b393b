/** Layers that are drawn once and laid over every frame, the opaque runs at once. */

import type { Bitmap } from '../images/raster/bitmap.ts';

export interface Layer {
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** Start and end of the opaque runs, in bytes. */
  readonly covering: Int32Array;
  /** The first byte of each translucent pixel. */
  readonly mixed: Int32Array;
}

export function layerOf({ pixels }: Bitmap): Layer {
  const covering: number[] = [];
  const mixed: number[] = [];
  let start = -1;
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    if (alpha === 255) {
      if (start === -1) start = at;
      continue;
    }
    if (start !== -1) covering.push(start, at);
    start = -1;
    if (alpha > 0) mixed.push(at);
  }
  if (start !== -1) covering.push(start, pixels.length);
  return { pixels, covering: Int32Array.from(covering), mixed: Int32Array.from(mixed) };
}

/** Lays it over opaque pixels of the same size. */
export function layOver(below: Uint8Array, { pixels, covering, mixed }: Layer): void {
  for (let run = 0; run < covering.length; run += 2) {
    const from = covering[run] ?? 0;
    below.set(pixels.subarray(from, covering[run + 1]), from);
  }
  for (let index = 0; index < mixed.length; index += 1) {
    const at = mixed[index] ?? 0;
    mixPixel(below, at, pixels, at);
  }
}

/** The same, shifted down and wrapped around. */
export function layOverShifted(below: Uint8Array, { pixels, covering, mixed }: Layer, shiftBytes: number): void {
  const total = pixels.length;
  for (let run = 0; run < covering.length; run += 2) {
    const end = covering[run + 1] ?? 0;
    for (let at = covering[run] ?? 0; at < end; at += 4) mixPixel(below, (at + shiftBytes) % total, pixels, at);
  }
  for (let index = 0; index < mixed.length; index += 1) {
    const at = mixed[index] ?? 0;
    mixPixel(below, (at + shiftBytes) % total, pixels, at);
  }
}

function mixPixel(below: Uint8Array, to: number, pixels: Uint8Array, at: number): void {
  const alpha = pixels[at + 3] ?? 0;
  const rest = 255 - alpha;
  below[to] = ((pixels[at] ?? 0) * alpha + (below[to] ?? 0) * rest + 127) / 255;
  below[to + 1] = ((pixels[at + 1] ?? 0) * alpha + (below[to + 1] ?? 0) * rest + 127) / 255;
  below[to + 2] = ((pixels[at + 2] ?? 0) * alpha + (below[to + 2] ?? 0) * rest + 127) / 255;
}

/** Fades to another image: 0 keeps the first, 1 shows the other alone. */
export function fadeTo(below: Uint8Array, pixels: Uint8Array, share: number): void {
  if (share <= 0) return;
  if (share >= 1) {
    below.set(pixels);
    return;
  }
  const weight = Math.round(share * 256);
  const rest = 256 - weight;
  for (let at = 0; at < below.length; at += 1) {
    below[at] = ((pixels[at] ?? 0) * weight + (below[at] ?? 0) * rest + 128) >> 8;
  }
}

/** The part of a wider image that begins `left` pixels from its edge; fractions are interpolated. */
export function cutOut(target: Bitmap, wide: Bitmap, left: number): void {
  const whole = Math.floor(left);
  const weight = Math.round((left - whole) * 256);
  const rest = 256 - weight;
  const rowBytes = target.width * 4;
  for (let y = 0; y < target.height; y += 1) {
    const from = (y * wide.width + whole) * 4;
    const to = y * rowBytes;
    if (weight === 0) {
      target.pixels.set(wide.pixels.subarray(from, from + rowBytes), to);
      continue;
    }
    for (let at = 0; at < rowBytes; at += 1) {
      const here = (wide.pixels[from + at] ?? 0) * rest;
      target.pixels[to + at] = (here + (wide.pixels[from + at + 4] ?? 0) * weight + 128) >> 8;
    }
  }
}
