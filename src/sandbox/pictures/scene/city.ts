/** A skyline: two rows of towers against the sky, with windows that are lit at night. */

import type { Canvas } from '../raster/canvas.ts';
import { type Colour, lighter } from '../raster/colours.ts';
import type { Random } from '../raster/random.ts';

type Tone = (colour: Colour) => Colour;

const lamp: Colour = [255, 222, 130];
const day: Colour = [186, 208, 226];

interface Block {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly foot: number;
}

export function drawCity(canvas: Canvas, horizon: number, tone: Tone, night: boolean, random: Random): void {
  for (const [row, colour] of [
    [0, tone([150, 160, 178])],
    [1, tone([102, 112, 132])],
  ] as const) {
    let left = -0.02;
    while (left < canvas.width) {
      const width = random.between(0.07, 0.13);
      const height = canvas.height * (row === 0 ? random.between(0.24, 0.42) : random.between(0.1, 0.27));
      const block = { left, top: horizon - height, width, foot: horizon + 0.02 };
      canvas.rectangle(left, block.top, width, block.foot - block.top, {
        colour: lighter(colour, 0.06),
        lower: colour,
      });
      drawWindows(canvas, block, night, random);
      left += width + random.between(0, 0.015);
    }
  }
}

function drawWindows(canvas: Canvas, { left, top, width, foot }: Block, night: boolean, random: Random): void {
  const columns = 4;
  const step = width / (columns + 0.5);
  for (let y = top + step * 0.6; y < foot - step; y += step * 1.1) {
    for (let column = 0; column < columns; column += 1) {
      const dark = random.next() < (night ? 0.55 : 0.15);
      if (dark) continue;
      const paint = night ? { colour: lamp, alpha: 0.9 } : { colour: day, alpha: 0.7 };
      canvas.rectangle(left + step * (0.5 + column), y, step * 0.52, step * 0.6, paint);
    }
  }
}
