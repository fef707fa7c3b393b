/** Draws the things of a scene. Plain shapes have exactly one flat color, so that they can be counted. */

import type { Point } from '../raster/bitmap.ts';
import { type Canvas, regularPoints } from '../raster/canvas.ts';
import { type Color, darker, fromHue, lighter } from '../raster/colors.ts';
import type { Random } from '../raster/random.ts';
import type { ThingName } from './scene.ts';

/** Where a thing is drawn: its foot for things on the ground or afloat on water, its center for all others. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  /** The height, in the canvas's units. */
  readonly size: number;
}

type DrawThing = (canvas: Canvas, spot: Spot, color: Color | undefined, random: Random) => void;

export interface Thing {
  /** The height where there is room for it. */
  readonly size: number;
  /** The width for a height of 1. */
  readonly breadth: number;
  readonly draw: DrawThing;
}

type DrawShape = (canvas: Canvas, spot: Spot, paint: { readonly color: Color }) => void;

function shape(draw: DrawShape): Thing {
  const drawn: DrawThing = (canvas, spot, color, random) =>
    draw(canvas, spot, { color: color ?? fromHue(random.between(0, 360), 0.65, 0.5) });
  return { size: 0.42, breadth: 1.05, draw: drawn };
}

const regular = (count: number, breadth = 1): Thing =>
  shape((canvas, { x, y, size }, paint) =>
    canvas.polygon(regularPoints(count, x, y, (size / 2) * breadth, size / 2), paint),
  );

/** Corners as pairs of numbers in the thing's own height, to the right and upward from its spot. */
function corners({ x, y, size }: Spot, pairs: readonly number[]): Point[] {
  return Array.from({ length: pairs.length / 2 }, (_, index): Point => {
    return [x + (pairs[index * 2] ?? 0) * size, y - (pairs[index * 2 + 1] ?? 0) * size];
  });
}

function starPoints({ x, y, size }: Spot): Point[] {
  const outer = regularPoints(5, x, y, size / 2, size / 2);
  const inner = regularPoints(5, x, y, -size * 0.21, -size * 0.21);
  return outer.flatMap((point, index) => [point, inner[(index + 3) % 5] ?? point]);
}

function heartPoints({ x, y, size }: Spot): Point[] {
  return Array.from({ length: 80 }, (_, index): Point => {
    const angle = (index / 80) * 2 * Math.PI;
    const across = 16 * Math.sin(angle) ** 3;
    const up = 13 * Math.cos(angle) - 5 * Math.cos(2 * angle) - 2 * Math.cos(3 * angle) - Math.cos(4 * angle);
    return [x + (across / 34) * size, y - ((up + 2.5) / 34) * size];
  });
}

const sun: DrawThing = (canvas, { x, y, size }, color = [255, 205, 50]) => {
  const radius = size * 0.3;
  canvas.glow(x, y, size * 1.1, lighter(color, 0.5), 0.45);
  for (let ray = 0; ray < 12; ray += 1) {
    const at = (reach: number, turn: number): Point => {
      const angle = (ray / 12) * 2 * Math.PI + turn;
      return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach];
    };
    canvas.polygon([at(radius * 1.15, -0.1), at(radius * 1.6, 0), at(radius * 1.15, 0.1)], { color });
  }
  canvas.circle(x, y, radius, { color });
};

const moon: DrawThing = (canvas, { x, y, size }, color = [240, 238, 215], random) => {
  const radius = size * 0.3;
  canvas.glow(x, y, size, color, 0.28);
  canvas.circle(x, y, radius, { color });
  for (let crater = 0; crater < 6; crater += 1) {
    const angle = random.between(0, 2 * Math.PI);
    const away = radius * random.between(0.1, 0.68);
    const width = radius * random.between(0.08, 0.2);
    canvas.circle(x + Math.cos(angle) * away, y + Math.sin(angle) * away, width, { color: darker(color, 0.1) });
  }
};

const cloud: DrawThing = (canvas, { x, y, size }, color = [250, 252, 255], random) => {
  const shade = darker(color, 0.1);
  const puffs = Array.from({ length: 5 }, (_, index) => ({
    x: x + (index - 2) * size * 0.32,
    y: y - Math.cos((index - 2) * 0.7) * size * random.between(0.1, 0.2),
    radius: size * (0.22 + 0.13 * Math.cos((index - 2) * 0.75)) * random.between(0.9, 1.1),
  }));
  for (const puff of puffs) canvas.circle(puff.x, puff.y + size * 0.04, puff.radius, { color: shade });
  canvas.ellipse(x, y + size * 0.12, size * 0.85, size * 0.14, { color: shade });
  for (const puff of puffs) canvas.circle(puff.x, puff.y, puff.radius, { color });
};

const wood: Color = [110, 75, 45];

const house: DrawThing = (canvas, spot, color = [225, 190, 140]) => {
  const { x, y, size } = spot;
  const roof: Color = [150, 62, 48];
  canvas.rectangle(x + size * 0.2, y - size * 0.95, size * 0.12, size * 0.3, { color: darker(roof, 0.25) });
  canvas.rectangle(x - size * 0.5, y - size * 0.58, size, size * 0.58, { color });
  canvas.polygon(corners(spot, [-0.6, 0.56, 0, 1, 0.6, 0.56]), { color: roof });
  canvas.rectangle(x - size * 0.09, y - size * 0.32, size * 0.18, size * 0.32, { color: wood });
  for (const side of [-0.31, 0.31]) {
    canvas.rectangle(x + (side - 0.1) * size, y - size * 0.46, size * 0.2, size * 0.18, { color: lighter(color, 0.7) });
    canvas.rectangle(x + (side - 0.08) * size, y - size * 0.44, size * 0.16, size * 0.14, { color: [170, 210, 235] });
  }
};

const tree: DrawThing = (canvas, { x, y, size }, color = [60, 135, 65], random) => {
  canvas.rectangle(x - size * 0.055, y - size * 0.45, size * 0.11, size * 0.45, { color: wood });
  const crown = Array.from({ length: 7 }, (_, index) => {
    const angle = (index / 7) * 2 * Math.PI;
    const radius = size * random.between(0.17, 0.22);
    return { x: x + Math.cos(angle) * size * 0.19, y: y - size * 0.66 + Math.sin(angle) * size * 0.16, radius };
  });
  for (const leaf of crown) canvas.circle(leaf.x, leaf.y + size * 0.03, leaf.radius, { color: darker(color, 0.18) });
  for (const leaf of crown) canvas.circle(leaf.x - size * 0.015, leaf.y - size * 0.02, leaf.radius * 0.92, { color });
  canvas.circle(x, y - size * 0.68, size * 0.2, { color });
};

const boat: DrawThing = (canvas, spot, color = [150, 85, 50]) => {
  canvas.polygon(corners(spot, [-0.015, 0.1, -0.015, 1, 0.015, 1, 0.015, 0.1]), { color: [90, 65, 45] });
  canvas.polygon(corners(spot, [0.03, 0.98, 0.42, 0.3, 0.03, 0.3]), { color: [248, 246, 240] });
  canvas.polygon(corners(spot, [-0.03, 0.88, -0.34, 0.3, -0.03, 0.3]), { color: [230, 228, 222] });
  canvas.polygon(corners(spot, [-0.55, 0.22, 0.6, 0.22, 0.4, 0, -0.4, 0]), { color });
};

/** A conifer for forests; prompts cannot name it. */
export const pine: DrawThing = (canvas, spot, color = [35, 95, 65]) => {
  const { x, y, size } = spot;
  canvas.rectangle(x - size * 0.04, y - size * 0.16, size * 0.08, size * 0.16, { color: wood });
  for (const up of [0, 0.24, 0.48]) {
    const reach = 0.3 - up * 0.27;
    const outline = corners(spot, [-reach, 0.12 + up, 0, 0.58 + up * 0.9, reach, 0.12 + up]);
    canvas.polygon(outline, { color, lower: darker(color, 0.22) });
  }
};

export const things: Readonly<Record<ThingName, Thing>> = {
  circle: shape((canvas, { x, y, size }, paint) => canvas.circle(x, y, size / 2, paint)),
  ring: shape((canvas, { x, y, size }, paint) => canvas.ring(x, y, size / 2, size * 0.3, paint)),
  square: shape(({ rectangle }, { x, y, size }, paint) =>
    rectangle(x - size * 0.45, y - size * 0.45, size * 0.9, size * 0.9, paint),
  ),
  triangle: regular(3),
  star: shape(({ polygon }, spot, paint) => polygon(starPoints(spot), paint)),
  heart: shape(({ polygon }, spot, paint) => polygon(heartPoints(spot), paint)),
  diamond: regular(4, 0.72),
  pentagon: regular(5),
  hexagon: regular(6),
  octagon: regular(8),
  sun: { size: 0.32, breadth: 1, draw: sun },
  moon: { size: 0.3, breadth: 1, draw: moon },
  cloud: { size: 0.17, breadth: 2, draw: cloud },
  house: { size: 0.34, breadth: 1.25, draw: house },
  tree: { size: 0.36, breadth: 0.8, draw: tree },
  boat: { size: 0.26, breadth: 1.2, draw: boat },
};
