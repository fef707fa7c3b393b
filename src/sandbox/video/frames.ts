/** Draws the frames of a video: a pan over a wide scene, faded from and to the given images. */

import { drawScene } from '../images/draw.ts';
import { type Bitmap, emptyBitmap } from '../images/raster/bitmap.ts';
import { writeCaption } from '../images/raster/letters.ts';
import { readScene } from '../images/scene/read-scene.ts';
import type { VideoPlan } from './video-plan.ts';

/** How much wider than a frame the scene is. */
const sceneWidth = 1.25;

interface GivenFrames {
  /** Of the video's own size. */
  readonly first: Bitmap | undefined;
  readonly last: Bitmap | undefined;
}

/** Returns the pixels of one frame after the other. They are valid until the next frame is drawn. */
export function framesOf(plan: VideoPlan, given: GivenFrames): (index: number) => Uint8Array {
  const { prompt, negativePrompt, width, height, seed } = plan;
  const scene = readScene(prompt, { negativePrompt });
  const wide = drawScene(scene, { width: Math.ceil(width * sceneWidth) + 1, height, seed });
  const frame = emptyBitmap(width, height);
  return (index) => {
    const share = plan.frames === 1 ? 0 : index / (plan.frames - 1);
    cutOut(frame, wide, share * (wide.width - width - 1));
    writeCaption(frame, prompt);
    if (given.first !== undefined) fadeTo(frame.pixels, given.first.pixels, 1 - ramp(share, 0.1, 0.45));
    if (given.last !== undefined) fadeTo(frame.pixels, given.last.pixels, ramp(share, 0.6, 0.95));
    return frame.pixels;
  };
}

/** From 0 to 1 between two points of the video. */
function ramp(share: number, from: number, to: number): number {
  const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
  return part * part * (3 - 2 * part);
}

/** Fades to another image: 0 keeps the first, 1 shows the other alone. */
function fadeTo(below: Uint8Array, pixels: Uint8Array, share: number): void {
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
function cutOut(target: Bitmap, wide: Bitmap, left: number): void {
  const whole = Math.floor(left);
  const weight = Math.round((left - whole) * 256);
  const rest = 256 - weight;
  const rowBytes = target.width * 4;
  for (let y = 0; y < target.height; y += 1) {
    const from = (y * wide.width + whole) * 4;
    const to = y * rowBytes;
    for (let at = 0; at < rowBytes; at += 1) {
      const here = (wide.pixels[from + at] ?? 0) * rest;
      target.pixels[to + at] = (here + (wide.pixels[from + at + 4] ?? 0) * weight + 128) >> 8;
    }
  }
}
