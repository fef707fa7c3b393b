/** What hangs or flies in the sky. */

import { regularPoints } from '../raster/canvas.ts';
import { type Colour, darker, lighter } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import type { SkyThingName } from '../scene/scene.ts';
import type { DrawThing, Thing } from './thing.ts';

const sun: DrawThing = (canvas, { x, y, size }, colour = [255, 205, 50]) => {
  const radius = size * 0.3;
  canvas.glow(x, y, size * 1.1, lighter(colour, 0.5), 0.45);
  for (let ray = 0; ray < 12; ray += 1) {
    const angle = (ray / 12) * 2 * Math.PI;
    const at = (reach: number, turn: number): Point => [
      x + Math.cos(angle + turn) * reach,
      y + Math.sin(angle + turn) * reach,
    ];
    canvas.polygon([at(radius * 1.15, -0.1), at(radius * 1.6, 0), at(radius * 1.15, 0.1)], { colour });
  }
  canvas.circle(x, y, radius, { colour });
};

const moon: DrawThing = (canvas, { x, y, size }, colour = [240, 238, 215], random) => {
  const radius = size * 0.3;
  canvas.glow(x, y, size, colour, 0.28);
  canvas.circle(x, y, radius, { colour });
  for (let crater = 0; crater < 6; crater += 1) {
    const angle = random.between(0, 2 * Math.PI);
    const away = radius * random.between(0.1, 0.68);
    const width = radius * random.between(0.08, 0.2);
    canvas.circle(x + Math.cos(angle) * away, y + Math.sin(angle) * away, width, { colour: darker(colour, 0.1) });
  }
};

const cloud: DrawThing = (canvas, { x, y, size }, colour = [250, 252, 255], random) => {
  const shade = darker(colour, 0.1);
  const puffs = Array.from({ length: 5 }, (_, index) => ({
    x: x + (index - 2) * size * 0.32,
    y: y - Math.cos((index - 2) * 0.7) * size * random.between(0.1, 0.2),
    radius: size * (0.22 + 0.13 * Math.cos((index - 2) * 0.75)) * random.between(0.9, 1.1),
  }));
  for (const puff of puffs) canvas.circle(puff.x, puff.y + size * 0.04, puff.radius, { colour: shade });
  canvas.ellipse(x, y + size * 0.12, size * 0.85, size * 0.14, { colour: shade });
  for (const puff of puffs) canvas.circle(puff.x, puff.y, puff.radius, { colour });
};

const rainbow: DrawThing = (canvas, { x, y, size }) => {
  const bands: readonly Colour[] = [
    [225, 60, 60],
    [245, 150, 50],
    [250, 220, 70],
    [80, 180, 90],
    [70, 120, 230],
    [120, 80, 200],
  ];
  const radius = size * 0.95;
  const half = (reach: number, backwards: boolean): Point[] => {
    const points = Array.from({ length: 61 }, (_, index): Point => {
      const angle = Math.PI + (index / 60) * Math.PI;
      return [x + Math.cos(angle) * reach, y + size * 0.5 + Math.sin(angle) * reach];
    });
    return backwards ? points.reverse() : points;
  };
  bands.forEach((colour, index) => {
    const outer = radius - index * size * 0.05;
    canvas.polygon([...half(outer, false), ...half(outer - size * 0.052, true)], { colour, alpha: 0.8 });
  });
};

const bird: DrawThing = (canvas, { x, y, size }, colour = [50, 50, 60]) => {
  const paint = { colour };
  for (const side of [-1, 1]) {
    canvas.polygon(
      [
        [x, y + size * 0.1],
        [x + side * size * 0.35, y - size * 0.32],
        [x + side * size * 0.85, y - size * 0.12],
        [x + side * size * 0.4, y - size * 0.16],
        [x, y + size * 0.3],
      ],
      paint,
    );
  }
};

const balloon: DrawThing = (canvas, { x, y, size }, colour = [225, 70, 80]) => {
  const string: Colour = [120, 110, 110];
  canvas.line([x, y + size * 0.15], [x, y + size * 0.5], size * 0.012, { colour: string });
  canvas.ellipse(x, y - size * 0.15, size * 0.27, size * 0.33, { colour });
  const knot: Point[] = [
    [x, y + size * 0.15],
    [x + size * 0.05, y + size * 0.22],
    [x - size * 0.05, y + size * 0.22],
  ];
  canvas.polygon(knot, { colour });
  canvas.ellipse(x - size * 0.1, y - size * 0.27, size * 0.05, size * 0.09, { colour: lighter(colour, 0.55) });
};

const plane: DrawThing = (canvas, { x, y, size }, colour = [235, 238, 242]) => {
  const shade = darker(colour, 0.25);
  const at = (points: readonly Point[]): Point[] => points.map(([px, py]) => [x + px * size, y + py * size]);
  const tail: readonly Point[] = [
    [-0.8, -0.42],
    [-0.62, -0.42],
    [-0.4, -0.05],
    [-0.75, -0.05],
  ];
  const wing: readonly Point[] = [
    [-0.1, 0.05],
    [0.25, 0.05],
    [-0.25, 0.5],
    [-0.42, 0.5],
  ];
  canvas.polygon(at(tail), { colour: shade });
  canvas.ellipse(x, y, size * 0.85, size * 0.14, { colour });
  canvas.polygon(at(wing), { colour: shade });
  for (let pane = 0; pane < 5; pane += 1) {
    canvas.circle(x + (pane * 0.2 - 0.35) * size, y - size * 0.03, size * 0.035, { colour: [90, 130, 170] });
  }
};

const rocket: DrawThing = (canvas, { x, y, size }, colour = [230, 232, 236]) => {
  const fin: Colour = [210, 60, 60];
  const at = (points: readonly Point[]): Point[] => points.map(([px, py]) => [x + px * size, y + py * size]);
  canvas.polygon(
    at([
      [-0.08, 0.3],
      [0.08, 0.3],
      [0, 0.55],
    ]),
    { colour: [250, 170, 50], lower: [250, 230, 120] },
  );
  canvas.polygon(
    at([
      [-0.13, 0.05],
      [-0.26, 0.36],
      [-0.1, 0.28],
    ]),
    { colour: fin },
  );
  canvas.polygon(
    at([
      [0.13, 0.05],
      [0.26, 0.36],
      [0.1, 0.28],
    ]),
    { colour: fin },
  );
  canvas.polygon(
    at([
      [0, -0.5],
      [0.11, -0.3],
      [0.14, 0],
      [0.1, 0.3],
      [-0.1, 0.3],
      [-0.14, 0],
      [-0.11, -0.3],
    ]),
    { colour },
  );
  canvas.circle(x, y - size * 0.12, size * 0.065, { colour: [80, 140, 200] });
};

const planet: DrawThing = (canvas, { x, y, size }, colour = [215, 165, 105]) => {
  canvas.ellipse(x, y, size * 0.78, size * 0.16, { colour: lighter(colour, 0.35), alpha: 0.55 });
  canvas.circle(x, y, size * 0.4, { colour, lower: darker(colour, 0.3) });
  const front = regularPoints(60, x, y, size * 0.78, size * 0.16).filter(([, py]) => py >= y);
  const back = regularPoints(60, x, y, size * 0.52, size * 0.08).filter(([, py]) => py >= y);
  canvas.polygon([...front, ...back.reverse()], { colour: lighter(colour, 0.35), alpha: 0.9 });
};

export const skyThings: Readonly<Record<SkyThingName, Thing>> = {
  sun: { size: 0.32, breadth: 1, draw: sun },
  moon: { size: 0.3, breadth: 1, draw: moon },
  cloud: { size: 0.17, breadth: 2, draw: cloud },
  rainbow: { size: 0.5, breadth: 2, draw: rainbow },
  bird: { size: 0.08, breadth: 1.8, draw: bird },
  balloon: { size: 0.26, breadth: 0.6, draw: balloon },
  plane: { size: 0.2, breadth: 1.8, draw: plane },
  rocket: { size: 0.32, breadth: 0.6, draw: rocket },
  planet: { size: 0.26, breadth: 1.6, draw: planet },
};
