/** The plain figures: circles, squares and their kin, each in exactly one flat colour so that it can be counted. */

import { type Canvas, regularPoints } from '../raster/canvas.ts';
import { type Colour, fromHue } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import type { ShapeName } from '../scene/scene.ts';
import type { Spot, Thing } from './thing.ts';

const size = 0.42;

type DrawShape = (canvas: Canvas, spot: Spot, paint: { readonly colour: Colour }) => void;

function shape(draw: DrawShape, breadth = 1): Thing {
  return {
    size,
    breadth,
    draw: (canvas, spot, colour, random) =>
      draw(canvas, spot, { colour: colour ?? fromHue(random.between(0, 360), 0.65, 0.5) }),
  };
}

const regular = (corners: number): Thing =>
  shape((canvas, { x, y, size: height }, paint) =>
    canvas.polygon(regularPoints(corners, x, y, height / 2, height / 2), paint),
  );

export const shapes: Readonly<Record<ShapeName, Thing>> = {
  circle: shape((canvas, spot, paint) => canvas.circle(spot.x, spot.y, spot.size / 2, paint)),
  ring: shape((canvas, spot, paint) => canvas.ring(spot.x, spot.y, spot.size / 2, spot.size * 0.3, paint)),
  square: shape(({ rectangle }, { x, y, size: side }, paint) =>
    rectangle(x - side * 0.45, y - side * 0.45, side * 0.9, side * 0.9, paint),
  ),
  rectangle: shape(
    ({ rectangle }, { x, y, size: side }, paint) =>
      rectangle(x - side * 0.65, y - side * 0.38, side * 1.3, side * 0.76, paint),
    1.35,
  ),
  triangle: shape(({ polygon }, { x, y, size: side }, paint) =>
    polygon(
      [
        [x, y - side * 0.48],
        [x + side * 0.52, y + side * 0.42],
        [x - side * 0.52, y + side * 0.42],
      ],
      paint,
    ),
  ),
  star: shape(({ polygon }, { x, y, size: side }, paint) => polygon(starPoints(x, y, side / 2), paint)),
  heart: shape(({ polygon }, { x, y, size: side }, paint) => polygon(heartPoints(x, y, side), paint)),
  diamond: shape((canvas, { x, y, size: side }, paint) =>
    canvas.polygon(regularPoints(4, x, y, side * 0.36, side / 2), paint),
  ),
  pentagon: regular(5),
  hexagon: regular(6),
  octagon: regular(8),
  oval: shape((canvas, { x, y, size: side }, paint) => canvas.ellipse(x, y, side * 0.62, side * 0.4, paint), 1.3),
  cross: shape(({ polygon }, { x, y, size: side }, paint) => polygon(crossPoints(x, y, side / 2), paint)),
};

export function starPoints(x: number, y: number, radius: number): Point[] {
  const outer = regularPoints(5, x, y, radius, radius);
  const inner = regularPoints(5, x, y, -radius * 0.42, -radius * 0.42);
  return outer.flatMap((point, index) => [point, inner[(index + 3) % 5] ?? point]);
}

function heartPoints(x: number, y: number, side: number): Point[] {
  return Array.from({ length: 80 }, (_, index): Point => {
    const angle = (index / 80) * 2 * Math.PI;
    const across = 16 * Math.sin(angle) ** 3;
    const up = 13 * Math.cos(angle) - 5 * Math.cos(2 * angle) - 2 * Math.cos(3 * angle) - Math.cos(4 * angle);
    return [x + (across / 34) * side, y - ((up + 2.5) / 34) * side];
  });
}

function crossPoints(x: number, y: number, reach: number): Point[] {
  const arm = reach * 0.32;
  const corners: readonly Point[] = [
    [-arm, -reach],
    [arm, -reach],
    [arm, -arm],
    [reach, -arm],
    [reach, arm],
    [arm, arm],
    [arm, reach],
    [-arm, reach],
    [-arm, arm],
    [-reach, arm],
    [-reach, -arm],
    [-arm, -arm],
  ];
  return corners.map(([across, down]): Point => [x + across, y + down]);
}
