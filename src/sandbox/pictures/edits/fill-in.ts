/** Fills a hole in a picture from what surrounds it, and finds the background that surrounds a thing. */

import { emptyPicture, type Picture } from '../raster/picture.ts';
import type { Mask } from './mask.ts';

/** Sums of colours and how many they are; halved again and again until the hole is a single pixel or less. */
interface Level {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha and weight. */
  readonly sums: Float32Array;
}

const channels = 5;

/** Coarse averages of the surroundings flow into the hole, finer ones nearer to its edge. */
export function fillIn(picture: Picture, mask: Mask): Picture {
  const levels: Level[] = [firstLevel(picture, mask)];
  for (let level = levels[0]; level !== undefined && (level.width > 1 || level.height > 1); level = levels.at(-1)) {
    levels.push(halved(level));
  }
  for (let index = levels.length - 2; index >= 0; index -= 1) {
    const [fine, coarse] = [levels[index], levels[index + 1]];
    if (fine !== undefined && coarse !== undefined) fillHoles(fine, coarse);
  }
  return written(picture, mask, levels[0]);
}

function firstLevel({ width, height, pixels }: Picture, mask: Mask): Level {
  const sums = new Float32Array(width * height * channels);
  for (let index = 0; index < width * height; index += 1) {
    if (mask.weights[index] !== 0) continue;
    for (let channel = 0; channel < 4; channel += 1)
      sums[index * channels + channel] = pixels[index * 4 + channel] ?? 0;
    sums[index * channels + 4] = 1;
  }
  return { width, height, sums };
}

function halved(level: Level): Level {
  const width = Math.ceil(level.width / 2);
  const height = Math.ceil(level.height / 2);
  const sums = new Float32Array(width * height * channels);
  for (let y = 0; y < level.height; y += 1) {
    for (let x = 0; x < level.width; x += 1) {
      const from = (y * level.width + x) * channels;
      const to = ((y >> 1) * width + (x >> 1)) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        sums[to + channel] = (sums[to + channel] ?? 0) + (level.sums[from + channel] ?? 0);
      }
    }
  }
  for (let at = 0; at < sums.length; at += channels) {
    const weight = sums[at + 4] ?? 0;
    if (weight <= 1) continue;
    for (let channel = 0; channel < channels; channel += 1) sums[at + channel] = (sums[at + channel] ?? 0) / weight;
  }
  return { width, height, sums };
}

/** Between the four nearest coarse values, or the filled hole would show their blocks. */
function fillHoles(fine: Level, coarse: Level): void {
  for (let y = 0; y < fine.height; y += 1) {
    for (let x = 0; x < fine.width; x += 1) {
      const to = (y * fine.width + x) * channels;
      if ((fine.sums[to + 4] ?? 0) > 0) continue;
      const [nearX, nearY] = [(x - 0.5) / 2, (y - 0.5) / 2];
      for (const [shiftX, shiftY] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const) {
        const cx = Math.min(coarse.width - 1, Math.max(0, Math.floor(nearX) + shiftX));
        const cy = Math.min(coarse.height - 1, Math.max(0, Math.floor(nearY) + shiftY));
        const part =
          (1 - Math.abs(nearX - Math.floor(nearX) - shiftX)) * (1 - Math.abs(nearY - Math.floor(nearY) - shiftY));
        const from = (cy * coarse.width + cx) * channels;
        for (let channel = 0; channel < channels; channel += 1) {
          fine.sums[to + channel] = (fine.sums[to + channel] ?? 0) + (coarse.sums[from + channel] ?? 0) * part;
        }
      }
    }
  }
}

function written(picture: Picture, mask: Mask, level: Level | undefined): Picture {
  const result = emptyPicture(picture.width, picture.height);
  result.pixels.set(picture.pixels);
  for (let index = 0; index < mask.weights.length; index += 1) {
    const weight = level?.sums[index * channels + 4] ?? 0;
    if (mask.weights[index] === 0 || weight <= 0) continue;
    for (let channel = 0; channel < 4; channel += 1) {
      result.pixels[index * 4 + channel] = Math.round((level?.sums[index * channels + channel] ?? 0) / weight);
    }
  }
  return result;
}

/** How far a colour may be from the background's, as a sum over the three channels. */
const tolerance = 30;

/** Makes transparent what is connected with the picture's edge and coloured like its neighbour there. */
export function cutOut(picture: Picture): Picture {
  const { width, height } = picture;
  const pixels = picture.pixels.slice();
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
    const near = [
      x > 0 ? index - 1 : -1,
      x < width - 1 ? index + 1 : -1,
      index - width,
      index + width < width * height ? index + width : -1,
    ];
    for (const other of near) if (other >= 0 && alike(picture.pixels, index, other)) visit(other);
  }
  return { ...picture, pixels };
}

function alike(pixels: Uint8Array, one: number, other: number): boolean {
  let difference = 0;
  for (let channel = 0; channel < 3; channel += 1) {
    difference += Math.abs((pixels[one * 4 + channel] ?? 0) - (pixels[other * 4 + channel] ?? 0));
  }
  return difference <= tolerance;
}
