/** Draws the image for a prompt: equal words, seed and size give equal pixels. */

import { type Bitmap, emptyBitmap } from './raster/bitmap.ts';
import { type Canvas, createCanvas } from './raster/canvas.ts';
import { darker, fromHue, lighter } from './raster/colors.ts';
import { writeCaption } from './raster/letters.ts';
import { hashText, randomFrom } from './raster/random.ts';
import { drawSky, drawTerrain, drawWeather } from './scene/landscape.ts';
import { layOut } from './scene/layout.ts';
import { drawPattern } from './scene/pattern.ts';
import { wordsOf } from './scene/read-scene.ts';
import type { Scene } from './scene/scene.ts';

interface DrawOptions {
  readonly width: number;
  readonly height: number;
  readonly seed: number;
  /** Draws the things without a background. */
  readonly transparent?: boolean;
  /** Writes the prompt along the bottom where the image is large enough. */
  readonly caption?: boolean;
}

export function drawScene(scene: Scene, options: DrawOptions): Bitmap {
  const bitmap = emptyBitmap(options.width, options.height);
  const canvas = createCanvas(bitmap);
  const seed = `${options.seed} ${scene.prompt}`;
  const transparent = options.transparent === true;
  const placed = layOut(scene, canvas, randomFrom(`layout ${seed}`));
  const drawThings = (inSky: boolean): void =>
    placed.forEach(({ item, thing, spot }, index) => {
      if ((item.place === 'sky') !== inSky) return;
      thing.draw(canvas, spot, item.color?.color, randomFrom(`${index} ${item.thing} ${seed}`));
    });
  drawBackdrop(canvas, scene, seed, transparent);
  drawThings(true);
  // The sun sets behind the mountains, so the terrain comes after the things in the sky.
  if (scene.backdrop === 'landscape') drawTerrain(canvas, scene, randomFrom(`terrain ${seed}`), transparent);
  drawThings(false);
  if (!transparent) drawWeather(canvas, scene, randomFrom(`weather ${seed}`));
  if (options.caption === true && !transparent) writeCaption(bitmap, scene.prompt);
  return bitmap;
}

function drawBackdrop(canvas: Canvas, scene: Scene, seed: string, transparent: boolean): void {
  if (scene.backdrop === 'pattern') drawPattern(canvas, wordsOf(scene.prompt), seed, transparent);
  else if (transparent) return;
  else if (scene.backdrop === 'plain') drawPlain(canvas, scene);
  else drawSky(canvas, scene, randomFrom(`sky ${seed}`));
}

/** Pale and nearly gray, so that a thing of any color contrasts with it. */
function drawPlain(canvas: Canvas, scene: Scene): void {
  const asked = scene.backgroundColor?.color;
  const pale = fromHue(hashText(scene.prompt) % 360, 0.22, 0.93);
  const color = asked === undefined ? pale : lighter(asked, 0.06);
  canvas.rectangle(0, 0, canvas.width, canvas.height, { color, lower: darker(asked ?? pale, 0.08) });
}
