/** People, animals and what moves: on land, and the boats and fish of the water. */

import { regularPoints } from '../raster/canvas.ts';
import { type Colour, darker, lighter, luminance } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import type { GroundThingName, WaterThingName } from '../scene/scene.ts';
import type { DrawThing, Spot, Thing } from './thing.ts';

const dark: Colour = [35, 32, 35];

function placed({ x, y, size }: Spot, points: readonly Point[]): Point[] {
  return points.map(([across, up]) => [x + across * size, y - up * size]);
}

const person: DrawThing = (canvas, spot, colour = [70, 110, 180]) => {
  const { x, y, size } = spot;
  const skin: Colour = [224, 178, 140];
  const trousers: Colour = [60, 65, 85];
  for (const side of [-1, 1]) {
    canvas.line(jointAt(spot, side * 0.05, 0.42), jointAt(spot, side * 0.08, 0), size * 0.08, { colour: trousers });
    canvas.line(jointAt(spot, side * 0.1, 0.72), jointAt(spot, side * 0.2, 0.42), size * 0.06, { colour: skin });
  }
  canvas.polygon(
    placed(spot, [
      [-0.13, 0.76],
      [0.13, 0.76],
      [0.1, 0.38],
      [-0.1, 0.38],
    ]),
    { colour },
  );
  canvas.circle(x, y - size * 0.88, size * 0.1, { colour: skin });
  const hair = regularPoints(40, x, y - size * 0.89, size * 0.105, size * 0.105).filter(
    ([, py]) => py < y - size * 0.9,
  );
  canvas.polygon(hair, { colour: [75, 50, 35] });
};

function jointAt(spot: Spot, across: number, up: number): Point {
  return [spot.x + across * spot.size, spot.y - up * spot.size];
}

const robot: DrawThing = (canvas, { x, y, size }, colour = [150, 165, 180]) => {
  const shade = darker(colour, 0.3);
  const light: Colour = [90, 230, 240];
  canvas.line([x, y - size * 0.9], [x, y - size], size * 0.025, { colour: shade });
  canvas.circle(x, y - size, size * 0.035, { colour: [230, 70, 60] });
  for (const side of [-1, 1]) {
    canvas.rectangle(x + (side * 0.1 - 0.05) * size, y - size * 0.2, size * 0.1, size * 0.2, { colour: shade });
    canvas.rectangle(x + (side * 0.29 - 0.04) * size, y - size * 0.58, size * 0.08, size * 0.3, { colour: shade });
  }
  canvas.rectangle(x - size * 0.23, y - size * 0.6, size * 0.46, size * 0.42, { colour });
  canvas.rectangle(x - size * 0.2, y - size * 0.9, size * 0.4, size * 0.28, { colour });
  for (const side of [-0.09, 0.09]) canvas.circle(x + side * size, y - size * 0.78, size * 0.05, { colour: light });
  canvas.rectangle(x - size * 0.1, y - size * 0.69, size * 0.2, size * 0.025, { colour: shade });
  canvas.rectangle(x - size * 0.12, y - size * 0.5, size * 0.24, size * 0.14, { colour: lighter(colour, 0.4) });
};

/** Eyes and whiskers must be seen on a black cat too. */
function contrast(colour: Colour): Colour {
  return luminance(colour) > 90 ? dark : [240, 225, 140];
}

const cat: DrawThing = (canvas, spot, colour = [225, 150, 75]) => {
  const { x, y, size } = spot;
  const mark = contrast(colour);
  const tail: Point[] = [jointAt(spot, 0.3, 0.12), jointAt(spot, 0.52, 0.3), jointAt(spot, 0.46, 0.58)];
  tail.slice(1).forEach((to, index) => {
    canvas.line(tail[index] ?? to, to, size * 0.08, { colour });
    canvas.circle(to[0], to[1], size * 0.04, { colour });
  });
  canvas.ellipse(x, y - size * 0.28, size * 0.3, size * 0.3, { colour });
  for (const side of [-1, 1]) {
    canvas.ellipse(x + side * size * 0.14, y - size * 0.05, size * 0.1, size * 0.06, { colour: lighter(colour, 0.2) });
    canvas.polygon(
      placed(spot, [
        [side * 0.24, 0.72],
        [side * 0.23, 1.02],
        [side * 0.06, 0.86],
      ]),
      { colour },
    );
  }
  canvas.circle(x, y - size * 0.68, size * 0.25, { colour });
  for (const side of [-0.1, 0.1])
    canvas.ellipse(x + side * size, y - size * 0.71, size * 0.035, size * 0.05, { colour: mark });
  canvas.polygon(
    placed(spot, [
      [-0.035, 0.64],
      [0.035, 0.64],
      [0, 0.6],
    ]),
    { colour: [225, 120, 130] },
  );
  for (const side of [-1, 1]) {
    for (const lift of [0.63, 0.57]) {
      canvas.line(jointAt(spot, side * 0.08, 0.61), jointAt(spot, side * 0.34, lift), size * 0.012, { colour: mark });
    }
  }
};

const dog: DrawThing = (canvas, spot, colour = [165, 115, 70]) => {
  const { x, y, size } = spot;
  const ear = darker(colour, 0.3);
  canvas.line(jointAt(spot, -0.48, 0.52), jointAt(spot, -0.68, 0.82), size * 0.09, { colour });
  for (const across of [-0.4, -0.22, 0.2, 0.36]) {
    canvas.rectangle(x + across * size - size * 0.05, y - size * 0.34, size * 0.1, size * 0.34, {
      colour: darker(colour, 0.1),
    });
  }
  canvas.ellipse(x, y - size * 0.45, size * 0.52, size * 0.2, { colour });
  canvas.polygon(
    placed(spot, [
      [0.25, 0.5],
      [0.5, 0.45],
      [0.6, 0.75],
      [0.35, 0.8],
    ]),
    { colour },
  );
  canvas.circle(x + size * 0.5, y - size * 0.78, size * 0.2, { colour });
  canvas.ellipse(x + size * 0.68, y - size * 0.72, size * 0.16, size * 0.1, { colour: lighter(colour, 0.15) });
  canvas.circle(x + size * 0.82, y - size * 0.75, size * 0.045, { colour: dark });
  canvas.circle(x + size * 0.55, y - size * 0.83, size * 0.03, { colour: contrast(colour) });
  canvas.ellipse(x + size * 0.36, y - size * 0.76, size * 0.075, size * 0.17, { colour: ear });
};

const car: DrawThing = (canvas, spot, colour = [205, 60, 55]) => {
  const { x, y, size } = spot;
  canvas.polygon(
    placed(spot, [
      [-0.6, 0.55],
      [-0.35, 1],
      [0.35, 1],
      [0.65, 0.55],
    ]),
    { colour },
  );
  canvas.polygon(
    placed(spot, [
      [-0.46, 0.58],
      [-0.29, 0.9],
      [-0.04, 0.9],
      [-0.04, 0.58],
    ]),
    { colour: [190, 220, 240] },
  );
  canvas.polygon(
    placed(spot, [
      [0.04, 0.58],
      [0.04, 0.9],
      [0.3, 0.9],
      [0.5, 0.58],
    ]),
    { colour: [190, 220, 240] },
  );
  canvas.rectangle(x - size, y - size * 0.6, size * 2, size * 0.4, { colour });
  canvas.circle(x + size * 0.96, y - size * 0.45, size * 0.07, { colour: [255, 235, 150] });
  for (const side of [-0.55, 0.55]) {
    canvas.circle(x + side * size, y - size * 0.2, size * 0.21, { colour: dark });
    canvas.circle(x + side * size, y - size * 0.2, size * 0.1, { colour: [190, 192, 198] });
  }
};

const boat: DrawThing = (canvas, spot, colour = [150, 85, 50]) => {
  canvas.line(jointAt(spot, 0, 0.1), jointAt(spot, 0, 1), spot.size * 0.03, { colour: [90, 65, 45] });
  canvas.polygon(
    placed(spot, [
      [0.03, 0.98],
      [0.42, 0.3],
      [0.03, 0.3],
    ]),
    { colour: [248, 246, 240] },
  );
  canvas.polygon(
    placed(spot, [
      [-0.03, 0.88],
      [-0.34, 0.3],
      [-0.03, 0.3],
    ]),
    { colour: [230, 228, 222] },
  );
  canvas.polygon(
    placed(spot, [
      [-0.55, 0.22],
      [0.6, 0.22],
      [0.4, 0],
      [-0.4, 0],
    ]),
    { colour },
  );
};

const fish: DrawThing = (canvas, spot, colour = [245, 140, 50]) => {
  const { x, y, size } = spot;
  canvas.polygon(
    placed(spot, [
      [-0.5, 0.5],
      [-0.95, 0.85],
      [-0.95, 0.15],
    ]),
    { colour: darker(colour, 0.12) },
  );
  canvas.ellipse(x, y - size * 0.5, size * 0.65, size * 0.36, { colour });
  canvas.polygon(
    placed(spot, [
      [-0.15, 0.82],
      [0.25, 0.8],
      [-0.2, 1.05],
    ]),
    { colour: darker(colour, 0.12) },
  );
  canvas.circle(x + size * 0.36, y - size * 0.57, size * 0.09, { colour: [255, 255, 255] });
  canvas.circle(x + size * 0.38, y - size * 0.57, size * 0.045, { colour: dark });
};

type CreatureName = Extract<GroundThingName, 'person' | 'robot' | 'cat' | 'dog' | 'car'>;

export const creatures: Readonly<Record<CreatureName, Thing>> = {
  person: { size: 0.26, breadth: 0.46, draw: person },
  robot: { size: 0.3, breadth: 0.68, draw: robot },
  cat: { size: 0.22, breadth: 1.05, draw: cat },
  dog: { size: 0.2, breadth: 1.75, draw: dog },
  car: { size: 0.15, breadth: 2.1, draw: car },
};

export const waterThings: Readonly<Record<WaterThingName, Thing>> = {
  boat: { size: 0.26, breadth: 1.2, draw: boat },
  fish: { size: 0.1, breadth: 2, draw: fish },
};
