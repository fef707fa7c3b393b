/** A picture as plain pixels, and the two ways everything gets onto it: filled outlines and soft glows. */

import type { Colour } from './colours.ts';

/** Four bytes a pixel, red, green, blue and alpha, the colour not multiplied by the alpha. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

export type Point = readonly [x: number, y: number];

export interface Paint {
  readonly colour: Colour;
  /** Where it is given, the colour turns into this one from the outline's top to its bottom. */
  readonly lower?: Colour;
  /** 1 covers, 0 leaves everything as it was. */
  readonly alpha?: number;
}

/** Four lines a pixel high are sampled, each of them exactly from left to right: smooth edges at a fair price. */
const linesPerPixel = 4;

export function emptyPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height * 4) };
}

export function copyPicture(picture: Picture): Picture {
  return { ...picture, pixels: picture.pixels.slice() };
}

export function isOpaque({ pixels }: Picture): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

/** Lays a colour over one pixel. */
export function blendPixel(pixels: Uint8Array, at: number, colour: Colour, alpha: number): void {
  if (alpha <= 0) return;
  const below = (pixels[at + 3] ?? 0) / 255;
  if (alpha >= 1 || below === 0) {
    pixels[at] = colour[0];
    pixels[at + 1] = colour[1];
    pixels[at + 2] = colour[2];
    pixels[at + 3] = Math.min(255, Math.round(alpha * 255));
    return;
  }
  const total = alpha + below * (1 - alpha);
  const share = alpha / total;
  for (let channel = 0; channel < 3; channel += 1) {
    const old = pixels[at + channel] ?? 0;
    pixels[at + channel] = Math.round(old + ((colour[channel] ?? 0) - old) * share);
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

/** Adds what a stretch of one line covers of each pixel. */
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
export function fillOutlines(picture: Picture, outlines: readonly (readonly Point[])[], paint: Paint): void {
  const edges = edgesOf(outlines);
  if (edges.length === 0) return;
  const top = edges.reduce((least, edge) => Math.min(least, edge.top), Infinity);
  const bottom = edges.reduce((most, edge) => Math.max(most, edge.bottom), -Infinity);
  const [left, right] = reachOf(outlines, picture.width);
  const coverage = new Float32Array(picture.width);
  const alpha = paint.alpha ?? 1;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(picture.height, bottom); y += 1) {
    coverage.fill(0, left, right);
    coverRow(edges, y, coverage);
    const colour = colourAt(paint, (y + 0.5 - top) / (bottom - top));
    for (let x = left; x < right; x += 1) {
      const covered = coverage[x] ?? 0;
      if (covered > 0) blendPixel(picture.pixels, (y * picture.width + x) * 4, colour, Math.min(1, covered) * alpha);
    }
  }
}

/** The columns that the outlines can touch: a small thing on a large picture must not cost whole rows. */
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

function colourAt({ colour, lower }: Paint, share: number): Colour {
  if (lower === undefined) return colour;
  const part = Math.min(1, Math.max(0, share));
  return [
    Math.round(colour[0] + (lower[0] - colour[0]) * part),
    Math.round(colour[1] + (lower[1] - colour[1]) * part),
    Math.round(colour[2] + (lower[2] - colour[2]) * part),
  ];
}

/** Light that fades from its middle outwards. */
export function addGlow(picture: Picture, middle: Point, radius: number, colour: Colour, strength: number): void {
  const [middleX, middleY] = middle;
  const left = Math.max(0, Math.floor(middleX - radius));
  const right = Math.min(picture.width - 1, Math.ceil(middleX + radius));
  for (let y = Math.max(0, Math.floor(middleY - radius)); y <= Math.min(picture.height - 1, middleY + radius); y += 1) {
    for (let x = left; x <= right; x += 1) {
      const away = Math.hypot(x + 0.5 - middleX, y + 0.5 - middleY) / radius;
      if (away >= 1) continue;
      blendPixel(picture.pixels, (y * picture.width + x) * 4, colour, strength * (1 - away) * (1 - away));
    }
  }
}
