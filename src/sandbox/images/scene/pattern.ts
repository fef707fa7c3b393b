/** A pattern for prompts without a known word: its colors and shapes follow from the words. */

import type { Point } from '../raster/bitmap.ts';
import { type Canvas, regularPoints } from '../raster/canvas.ts';
import { type Color, darker, fromHue } from '../raster/colors.ts';
import { hashText, type Random, randomFrom } from '../raster/random.ts';

const grey: Color = [128, 128, 128];

/** One color for each word, close on the color wheel. */
function paletteOf(words: readonly string[]): Color[] {
  const start = hashText(words.join(' ')) % 360;
  const spread = [0, 28, 56, 180, 208, 332];
  const named = words.slice(0, 6).map((word, index) => {
    const hash = hashText(word);
    const hue = start + (spread[index] ?? 0) + (hash % 17);
    return fromHue(hue, 0.45 + (hash % 30) / 100, 0.42 + ((hash >>> 8) % 26) / 100);
  });
  while (named.length < 3) named.push(fromHue(start + named.length * 40, 0.55, 0.5));
  return named;
}

function drawWaves(canvas: Canvas, palette: readonly Color[], random: Random): void {
  const bands = 9;
  for (let band = 0; band < bands; band += 1) {
    const level = canvas.height * ((band + 0.6) / bands);
    const [shift, pace] = [random.between(0, 6.28), random.between(2.4, 5.5)];
    const crest = Array.from({ length: 91 }, (_, index): Point => {
      const x = (index / 90) * canvas.width;
      return [x, level + 0.055 * Math.sin(x * pace + shift) + 0.02 * Math.sin(x * pace * 2.3 + shift * 2)];
    });
    const color = palette[band % palette.length] ?? grey;
    const outline: Point[] = [...crest, [canvas.width, canvas.height], [0, canvas.height]];
    canvas.polygon(outline, { color, lower: darker(color, 0.35) });
  }
}

function drawShapes(canvas: Canvas, palette: readonly Color[], random: Random): void {
  for (let index = 0; index < 26; index += 1) {
    const [x, y] = [random.between(0, canvas.width), random.between(0, canvas.height)];
    const radius = random.between(0.06, 0.3) * (1 - index / 40);
    const paint = { color: palette[index % palette.length] ?? grey, alpha: random.between(0.35, 0.75) };
    const form = random.below(3);
    if (form === 0) canvas.circle(x, y, radius, paint);
    else if (form === 1) canvas.ring(x, y, radius, radius * 0.7, paint);
    else canvas.polygon(regularPoints(3 + random.below(4), x, y, radius, radius), paint);
  }
}

export function drawPattern(canvas: Canvas, words: readonly string[], seed: string, transparent: boolean): void {
  const random = randomFrom(`pattern ${seed}`);
  const palette = paletteOf(words);
  const [first = grey, second = grey] = palette;
  const withShapes = transparent || (hashText(words.join(' ')) + random.below(2)) % 2 === 0;
  if (!transparent)
    canvas.rectangle(0, 0, canvas.width, canvas.height, { color: darker(first, 0.5), lower: darker(second, 0.3) });
  if (withShapes) drawShapes(canvas, palette, random);
  else drawWaves(canvas, palette, random);
}
