/** Bitmaps, filled outlines and glows. */

import type { Color } from './colors.ts';

/** Four bytes per pixel: red, green, blue, alpha; not premultiplied. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

export type Point = readonly [x: number, y: number];

export interface Paint {
  readonly color: Color;
  /** Makes a gradient from the outline's top to its bottom. */
  readonly lower?: Color;
  /** From 0 (transparent) to 1. */
  readonly alpha?: number;
}

/** Antialiasing: lines sampled per pixel row, each of them exact from left to right. */
const linesPerPixel = 4;

export function emptyBitmap(width: number, height: number): Bitmap {
  return { width, height, pixels: new Uint8Array(width * height * 4) };
}

export function isOpaque({ pixels }: Bitmap): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

/** Lays a color over one pixel. */
export function blendPixel(pixels: Uint8Array, at: number, color: Color, alpha: number): void {
  if (alpha <= 0) return;
  const below = (pixels[at + 3] ?? 0) / 255;
  if (alpha >= 1 || below === 0) {
    pixels[at] = color[0];
    pixels[at + 1] = color[1];
    pixels[at + 2] = color[2];
    pixels[at + 3] = Math.min(255, Math.round(alpha * 255));
    return;
  }
  const total = alpha + below * (1 - alpha);
  const share = alpha / total;
  for (let channel = 0; channel < 3; channel += 1) {
    const old = pixels[at + channel] ?? 0;
    pixels[at + channel] = Math.round(old + ((color[channel] ?? 0) - old) * share);
  }
  pixels[at + 3] = Math.round(total * 255);
}

interface Edge {
  readonly top: number;
  readonly bottom: number;
  readonly x: number;
  readonly slope: number;
}

function edgesOf(outlines: readonly (readonly Point[])[]): Edge[] {
  return outlines.flatMap((outline) =>
    outline.flatMap(([x, y], index) => {
      const [nextX, nextY] = outline[(index + 1) % outline.length] ?? [x, y];
      if (y === nextY || !Number.isFinite(x + y + nextX + nextY)) return [];
      const slope = (nextX - x) / (nextY - y);
      return y < nextY ? [{ top: y, bottom: nextY, x, slope }] : [{ top: nextY, bottom: y, x: nextX, slope }];
    }),
  );
}

/** Adds what a span of one line covers of each pixel. */
function addSpan(coverage: Float32Array, from: number, to: number, weight: number): void {
  const first = Math.max(0, from);
  const last = Math.min(coverage.length, to);
  if (last <= first) return;
  const firstPixel = Math.floor(first);
  const lastPixel = Math.floor(last);
  if (firstPixel === lastPixel) {
    coverage[firstPixel] = (coverage[firstPixel] ?? 0) + (last - first) * weight;
    return;
  }
  coverage[firstPixel] = (coverage[firstPixel] ?? 0) + (firstPixel + 1 - first) * weight;
  for (let x = firstPixel + 1; x < lastPixel; x += 1) coverage[x] = (coverage[x] ?? 0) + weight;
  if (lastPixel < coverage.length) coverage[lastPixel] = (coverage[lastPixel] ?? 0) + (last - lastPixel) * weight;
}

function coverRow(edges: readonly Edge[], y: number, coverage: Float32Array): void {
  for (let line = 0; line < linesPerPixel; line += 1) {
    const sampled = y + (line + 0.5) / linesPerPixel;
    const crossings: number[] = [];
    for (const edge of edges) {
      if (sampled >= edge.top && sampled < edge.bottom) crossings.push(edge.x + (sampled - edge.top) * edge.slope);
    }
    crossings.sort((one, other) => one - other);
    for (let index = 0; index + 1 < crossings.length; index += 2) {
      addSpan(coverage, crossings[index] ?? 0, crossings[index + 1] ?? 0, 1 / linesPerPixel);
    }
  }
}

/** Fills outlines given in pixels; where two of them overlap there is a hole. */
export function fillOutlines(bitmap: Bitmap, outlines: readonly (readonly Point[])[], paint: Paint): void {
  const edges = edgesOf(outlines);
  if (edges.length === 0) return;
  const top = edges.reduce((least, edge) => Math.min(least, edge.top), Infinity);
  const bottom = edges.reduce((most, edge) => Math.max(most, edge.bottom), -Infinity);
  const [left, right] = reachOf(outlines, bitmap.width);
  const coverage = new Float32Array(bitmap.width);
  const alpha = paint.alpha ?? 1;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(bitmap.height, bottom); y += 1) {
    coverage.fill(0, left, right);
    coverRow(edges, y, coverage);
    const color = colorAt(paint, (y + 0.5 - top) / (bottom - top));
    for (let x = left; x < right; x += 1) {
      const covered = coverage[x] ?? 0;
      if (covered > 0) blendPixel(bitmap.pixels, (y * bitmap.width + x) * 4, color, Math.min(1, covered) * alpha);
    }
  }
}

/** The columns that the outlines touch, so that a small thing does not cost whole rows. */
function reachOf(outlines: readonly (readonly Point[])[], width: number): readonly [left: number, right: number] {
  let left = width;
  let right = 0;
  for (const outline of outlines) {
    for (const [x] of outline) {
      if (x < left) left = x;
      if (x > right) right = x;
    }
  }
  return [Math.max(0, Math.floor(left)), Math.min(width, Math.ceil(right) + 1)];
}

function colorAt({ color, lower }: Paint, share: number): Color {
  if (lower === undefined) return color;
  const part = Math.min(1, Math.max(0, share));
  return [
    Math.round(color[0] + (lower[0] - color[0]) * part),
    Math.round(color[1] + (lower[1] - color[1]) * part),
    Math.round(color[2] + (lower[2] - color[2]) * part),
  ];
}

/** Light that fades from its center outward. */
export function addGlow(bitmap: Bitmap, middle: Point, radius: number, color: Color, strength: number): void {
  const [middleX, middleY] = middle;
  const left = Math.max(0, Math.floor(middleX - radius));
  const right = Math.min(bitmap.width - 1, Math.ceil(middleX + radius));
  for (let y = Math.max(0, Math.floor(middleY - radius)); y <= Math.min(bitmap.height - 1, middleY + radius); y += 1) {
    for (let x = left; x <= right; x += 1) {
      const away = Math.hypot(x + 0.5 - middleX, y + 0.5 - middleY) / radius;
      if (away >= 1) continue;
      blendPixel(bitmap.pixels, (y * bitmap.width + x) * 4, color, strength * (1 - away) * (1 - away));
    }
  }
}
