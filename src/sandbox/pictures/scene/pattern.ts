/** What words become that nobody could draw: a pattern whose colours and figures come from them and from nothing else. */

import { type Canvas, regularPoints } from '../raster/canvas.ts';
import { type Colour, darker, fromHue } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import { hashText, type Random, randomFrom } from '../raster/random.ts';

type DrawPattern = (canvas: Canvas, palette: readonly Colour[], random: Random) => void;

/** Each word gives one colour; neighbours on the colour wheel, so that they go together. */
function paletteOf(words: readonly string[]): Colour[] {
  const start = hashText(words.join(' ')) % 360;
  const spread = [0, 28, 56, 180, 208, 332];
  const named = words.slice(0, 6).map((word, index) => {
    const hash = hashText(word);
    return fromHue(
      start + (spread[index] ?? 0) + (hash % 17),
      0.45 + (hash % 30) / 100,
      0.42 + ((hash >>> 8) % 26) / 100,
    );
  });
  while (named.length < 3) named.push(fromHue(start + named.length * 40, 0.55, 0.5));
  return named;
}

const waves: DrawPattern = (canvas, palette, random) => {
  const bands = 9;
  for (let band = 0; band < bands; band += 1) {
    const level = canvas.height * ((band + 0.6) / bands);
    const [shift, pace] = [random.between(0, 6.28), random.between(2.4, 5.5)];
    const crest = Array.from({ length: 91 }, (_, index): Point => {
      const x = (index / 90) * canvas.width;
      return [x, level + 0.055 * Math.sin(x * pace + shift) + 0.02 * Math.sin(x * pace * 2.3 + shift * 2)];
    });
    const colour = palette[band % palette.length] ?? [128, 128, 128];
    canvas.polygon([...crest, [canvas.width, canvas.height], [0, canvas.height]], {
      colour,
      lower: darker(colour, 0.35),
    });
  }
};

const tiles: DrawPattern = (canvas, palette, random) => {
  const side = Math.max(canvas.width, canvas.height) / 7;
  for (let y = 0; y < canvas.height; y += side) {
    for (let x = 0; x < canvas.width; x += side) {
      const colour = palette[random.below(palette.length)] ?? [128, 128, 128];
      const other = palette[random.below(palette.length)] ?? [64, 64, 64];
      canvas.rectangle(x, y, side * 1.005, side * 1.005, { colour });
      const corner = random.below(4);
      const [cornerX, cornerY] = [x + (corner % 2) * side, y + (corner >> 1) * side];
      for (const [reach, paint] of [
        [0.95, { colour: other }],
        [0.6, { colour: darker(colour, 0.2) }],
        [0.28, { colour: other }],
      ] as const) {
        canvas.polygon(quarter(cornerX, cornerY, side * reach, corner), paint);
      }
    }
  }
};

/** The quarter of a disc that lies inside the tile whose corner is its middle. */
function quarter(x: number, y: number, radius: number, corner: number): Point[] {
  const start = [0, Math.PI / 2, -Math.PI / 2, Math.PI][corner] ?? 0;
  const arc = Array.from({ length: 25 }, (_, index): Point => {
    const angle = start + (index / 24) * (Math.PI / 2);
    return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
  });
  return [[x, y], ...arc];
}

const orbits: DrawPattern = (canvas, palette, random) => {
  for (let figure = 0; figure < 26; figure += 1) {
    const [x, y] = [random.between(0, canvas.width), random.between(0, canvas.height)];
    const radius = random.between(0.06, 0.3) * (1 - figure / 40);
    const paint = { colour: palette[figure % palette.length] ?? [128, 128, 128], alpha: random.between(0.35, 0.75) };
    const form = random.below(3);
    if (form === 0) canvas.circle(x, y, radius, paint);
    else if (form === 1) canvas.ring(x, y, radius, radius * 0.7, paint);
    else canvas.polygon(regularPoints(3 + random.below(4), x, y, radius, radius), paint);
  }
};

const patterns: readonly DrawPattern[] = [waves, tiles, orbits];

export function drawPattern(canvas: Canvas, words: readonly string[], seed: string, transparent: boolean): void {
  const random = randomFrom(`pattern ${seed}`);
  const palette = paletteOf(words);
  const [first = [90, 90, 120], second = [160, 160, 190]] = palette;
  // Without a background only figures that stand for themselves are drawn.
  const draw = transparent
    ? orbits
    : (patterns[(hashText(words.join(' ')) + random.below(3)) % patterns.length] ?? orbits);
  if (!transparent)
    canvas.rectangle(0, 0, canvas.width, canvas.height, { colour: darker(first, 0.5), lower: darker(second, 0.3) });
  draw(canvas, palette, random);
}
