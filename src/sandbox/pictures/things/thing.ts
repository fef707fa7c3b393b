/** How every thing of a scene is drawn: at a spot, in its own colour or the one asked for. */

import type { Canvas } from '../raster/canvas.ts';
import type { Colour } from '../raster/colours.ts';
import type { Random } from '../raster/random.ts';

/** What stands on the ground has its foot here, everything else its middle. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  /** The thing's height, in the canvas's units. */
  readonly size: number;
}

export type DrawThing = (canvas: Canvas, spot: Spot, colour: Colour | undefined, random: Random) => void;

export interface Thing {
  /** The height it has where there is room for it. */
  readonly size: number;
  /** Its width for a height of 1. */
  readonly breadth: number;
  readonly draw: DrawThing;
}
