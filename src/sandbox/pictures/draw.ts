/** Draws the picture that a prompt asks for: the same words, seed and size always give the same pixels. */

import { type Canvas, createCanvas } from './raster/canvas.ts';
import { darker, fromHue, lighter } from './raster/colours.ts';
import { writeCaption } from './raster/letters.ts';
import { emptyPicture, type Picture } from './raster/picture.ts';
import { hashText, randomFrom } from './raster/random.ts';
import { layOut } from './scene/layout.ts';
import { drawPattern } from './scene/pattern.ts';
import { wordsOf } from './scene/read-scene.ts';
import type { Scene } from './scene/scene.ts';
import { drawSky, drawWeather } from './scene/sky.ts';
import { drawTerrain } from './scene/terrain.ts';

export interface DrawOptions {
  readonly width: number;
  readonly height: number;
  readonly seed: number;
  /** Things alone, nothing behind them. */
  readonly transparent?: boolean;
  /** Writes the prompt under the picture where that is large enough. */
  readonly caption?: boolean;
}

export function drawScene(scene: Scene, options: DrawOptions): Picture {
  const picture = emptyPicture(options.width, options.height);
  const canvas = createCanvas(picture);
  const seed = `${options.seed} ${scene.prompt}`;
  const transparent = options.transparent === true;
  const placed = layOut(scene, canvas, randomFrom(`layout ${seed}`));
  const drawThings = (inSky: boolean): void =>
    placed.forEach(({ item, thing, spot }, index) => {
      if ((item.place === 'sky') !== inSky) return;
      thing.draw(canvas, spot, item.colour?.colour, randomFrom(`${index} ${item.thing} ${seed}`));
    });
  drawBackdrop(canvas, scene, seed, transparent);
  drawThings(true);
  // The sun sets behind the mountains, so the land comes after what hangs in the sky.
  if (scene.backdrop === 'landscape') drawTerrain(canvas, scene, randomFrom(`terrain ${seed}`), transparent);
  drawThings(false);
  if (!transparent) drawWeather(canvas, scene, randomFrom(`weather ${seed}`));
  if (options.caption === true && !transparent) writeCaption(picture, scene.prompt);
  return picture;
}

/** What lies behind everything; shared with films, which draw it apart from the rest. */
export function drawBackdrop(canvas: Canvas, scene: Scene, seed: string, transparent: boolean): void {
  switch (scene.backdrop) {
    case 'pattern':
      drawPattern(canvas, wordsOf(scene.prompt), seed, transparent);
      return;
    case 'plain':
      if (!transparent) drawPlain(canvas, scene);
      return;
    case 'space':
    case 'landscape':
      if (!transparent) drawSky(canvas, scene, randomFrom(`sky ${seed}`));
      return;
  }
}

/** Pale and nearly grey, so that a thing of any named colour stands out from it. */
function drawPlain(canvas: Canvas, scene: Scene): void {
  const asked = scene.backgroundColour?.colour;
  const pale = fromHue(hashText(scene.prompt) % 360, 0.22, 0.93);
  const colour = asked === undefined ? pale : lighter(asked, 0.06);
  canvas.rectangle(0, 0, canvas.width, canvas.height, { colour, lower: darker(asked ?? pale, 0.08) });
}
