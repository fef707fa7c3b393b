/** What stands on the ground: buildings and plants, each with its foot on the spot. */

import { type Colour, darker, lighter } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import type { GroundThingName } from '../scene/scene.ts';
import { creatures } from './creatures.ts';
import type { DrawThing, Spot, Thing } from './thing.ts';

const wood: Colour = [110, 75, 45];
const glass: Colour = [170, 210, 235];

/** Points given in the thing's own height, upwards from its foot. */
function placed({ x, y, size }: Spot, points: readonly Point[]): Point[] {
  return points.map(([across, up]) => [x + across * size, y - up * size]);
}

const house: DrawThing = (canvas, spot, colour = [225, 190, 140]) => {
  const { x, y, size } = spot;
  const roof: Colour = [150, 62, 48];
  canvas.rectangle(x + size * 0.2, y - size * 0.95, size * 0.12, size * 0.3, { colour: darker(roof, 0.25) });
  canvas.rectangle(x - size * 0.5, y - size * 0.58, size, size * 0.58, { colour });
  canvas.polygon(
    placed(spot, [
      [-0.6, 0.56],
      [0, 1],
      [0.6, 0.56],
    ]),
    { colour: roof },
  );
  canvas.rectangle(x - size * 0.09, y - size * 0.32, size * 0.18, size * 0.32, { colour: wood });
  for (const side of [-0.31, 0.31]) {
    canvas.rectangle(x + (side - 0.1) * size, y - size * 0.46, size * 0.2, size * 0.18, {
      colour: lighter(colour, 0.7),
    });
    canvas.rectangle(x + (side - 0.08) * size, y - size * 0.44, size * 0.16, size * 0.14, { colour: glass });
  }
};

const tree: DrawThing = (canvas, { x, y, size }, colour = [60, 135, 65], random) => {
  canvas.rectangle(x - size * 0.055, y - size * 0.45, size * 0.11, size * 0.45, { colour: wood });
  const crown = Array.from({ length: 7 }, (_, index) => {
    const angle = (index / 7) * 2 * Math.PI;
    const radius = size * random.between(0.17, 0.22);
    return { x: x + Math.cos(angle) * size * 0.19, y: y - size * 0.66 + Math.sin(angle) * size * 0.16, radius };
  });
  for (const leaf of crown) canvas.circle(leaf.x, leaf.y + size * 0.03, leaf.radius, { colour: darker(colour, 0.18) });
  for (const leaf of crown) canvas.circle(leaf.x - size * 0.015, leaf.y - size * 0.02, leaf.radius * 0.92, { colour });
  canvas.circle(x, y - size * 0.68, size * 0.2, { colour });
};

const pine: DrawThing = (canvas, spot, colour = [35, 95, 65]) => {
  const { x, y, size } = spot;
  canvas.rectangle(x - size * 0.04, y - size * 0.16, size * 0.08, size * 0.16, { colour: wood });
  for (const [foot, top, reach] of [
    [0.12, 0.58, 0.3],
    [0.36, 0.8, 0.24],
    [0.6, 1, 0.17],
  ] as const) {
    canvas.polygon(
      placed(spot, [
        [-reach, foot],
        [0, top],
        [reach, foot],
      ]),
      { colour, lower: darker(colour, 0.22) },
    );
  }
};

const palm: DrawThing = (canvas, spot, colour = [50, 140, 75]) => {
  const { x, y, size } = spot;
  canvas.polygon(
    placed(spot, [
      [-0.06, 0],
      [0.06, 0],
      [0.12, 0.4],
      [0.13, 0.78],
      [0.08, 0.78],
      [0.04, 0.4],
    ]),
    { colour: wood },
  );
  for (let leaf = 0; leaf < 7; leaf += 1) {
    const angle = Math.PI * (0.92 + (leaf / 6) * 1.16);
    const tip: Point = [
      x + size * 0.1 + Math.cos(angle) * size * 0.42,
      y - size * 0.72 + Math.sin(angle) * size * 0.22,
    ];
    const [tipX, tipY] = tip;
    const middleX = (x + size * 0.1 + tipX) / 2;
    canvas.polygon(
      [[x + size * 0.1, y - size * 0.8], [middleX, tipY - size * 0.13], tip, [middleX, tipY - size * 0.03]],
      { colour },
    );
  }
};

const flower: DrawThing = (canvas, { x, y, size }, colour = [225, 75, 130]) => {
  const stem: Colour = [60, 140, 60];
  canvas.line([x, y], [x, y - size * 0.65], size * 0.06, { colour: stem });
  canvas.ellipse(x + size * 0.12, y - size * 0.25, size * 0.13, size * 0.06, { colour: stem });
  for (let petal = 0; petal < 6; petal += 1) {
    const angle = (petal / 6) * 2 * Math.PI;
    canvas.circle(x + Math.cos(angle) * size * 0.17, y - size * 0.72 + Math.sin(angle) * size * 0.17, size * 0.12, {
      colour,
    });
  }
  canvas.circle(x, y - size * 0.72, size * 0.1, { colour: [250, 205, 60] });
};

const bush: DrawThing = (canvas, { x, y, size }, colour = [70, 140, 70]) => {
  for (const [across, up, radius] of [
    [-0.4, 0.3, 0.32],
    [0.4, 0.3, 0.32],
    [0, 0.45, 0.45],
  ] as const) {
    canvas.circle(x + across * size, y - up * size, radius * size, { colour, lower: darker(colour, 0.2) });
  }
};

const tower: DrawThing = (canvas, spot, colour = [200, 195, 190]) => {
  const { x, y, size } = spot;
  canvas.polygon(
    placed(spot, [
      [-0.16, 0],
      [-0.11, 0.8],
      [0.11, 0.8],
      [0.16, 0],
    ]),
    { colour },
  );
  for (let notch = 0; notch < 3; notch += 1) {
    canvas.rectangle(x + (notch * 0.11 - 0.15) * size, y - size * 0.9, size * 0.08, size * 0.1, { colour });
  }
  canvas.rectangle(x - size * 0.15, y - size * 0.84, size * 0.3, size * 0.08, { colour: darker(colour, 0.15) });
  for (const up of [0.62, 0.4]) {
    canvas.rectangle(x - size * 0.03, y - up * size, size * 0.06, size * 0.1, { colour: [60, 60, 75] });
  }
  canvas.rectangle(x - size * 0.05, y - size * 0.16, size * 0.1, size * 0.16, { colour: wood });
};

const building: DrawThing = (canvas, { x, y, size }, colour = [110, 125, 145]) => {
  canvas.rectangle(x - size * 0.2, y - size, size * 0.4, size, { colour });
  for (let floor = 0; floor < 9; floor += 1) {
    for (let pane = 0; pane < 3; pane += 1) {
      const left = x + (pane * 0.115 - 0.155) * size;
      canvas.rectangle(left, y - size * (0.96 - floor * 0.1), size * 0.08, size * 0.06, {
        colour: lighter(glass, 0.1),
      });
    }
  }
};

const tent: DrawThing = (canvas, spot, colour = [225, 120, 55]) => {
  canvas.polygon(
    placed(spot, [
      [-0.75, 0],
      [0, 1],
      [0.75, 0],
    ]),
    { colour },
  );
  canvas.polygon(
    placed(spot, [
      [-0.2, 0],
      [0, 0.72],
      [0.2, 0],
    ]),
    { colour: darker(colour, 0.5) },
  );
};

const rock: DrawThing = (canvas, spot, colour = [135, 135, 140]) => {
  canvas.polygon(
    placed(spot, [
      [-0.8, 0],
      [-0.6, 0.6],
      [-0.1, 0.95],
      [0.45, 0.75],
      [0.8, 0.2],
      [0.75, 0],
    ]),
    {
      colour: lighter(colour, 0.12),
      lower: darker(colour, 0.15),
    },
  );
};

const mushroom: DrawThing = (canvas, spot, colour = [205, 55, 50]) => {
  const { x, y, size } = spot;
  canvas.rectangle(x - size * 0.13, y - size * 0.55, size * 0.26, size * 0.55, { colour: [240, 230, 210] });
  canvas.polygon(
    placed(spot, [
      [-0.5, 0.45],
      [-0.42, 0.72],
      [-0.2, 0.93],
      [0.2, 0.93],
      [0.42, 0.72],
      [0.5, 0.45],
    ]),
    { colour },
  );
  for (const [across, up] of [
    [-0.22, 0.68],
    [0.2, 0.62],
    [0, 0.82],
  ] as const) {
    canvas.circle(x + across * size, y - up * size, size * 0.07, { colour: [250, 245, 240] });
  }
};

const cactus: DrawThing = (canvas, { x, y, size }, colour = [70, 140, 80]) => {
  const paint = { colour };
  canvas.rectangle(x - size * 0.09, y - size * 0.92, size * 0.18, size * 0.92, paint);
  canvas.circle(x, y - size * 0.91, size * 0.09, paint);
  for (const [side, up] of [
    [-1, 0.42],
    [1, 0.54],
  ] as const) {
    const outer = x + side * size * 0.26;
    canvas.rectangle(Math.min(x, outer), y - size * up, size * 0.26, size * 0.12, paint);
    canvas.rectangle(outer - size * 0.06, y - size * (up + 0.2), size * 0.12, size * 0.3, paint);
    canvas.circle(outer, y - size * (up + 0.2), size * 0.06, paint);
  }
};

const snowman: DrawThing = (canvas, spot, colour = [248, 250, 252]) => {
  const { x, y, size } = spot;
  const coal: Colour = [40, 40, 45];
  for (const [up, radius] of [
    [0.24, 0.26],
    [0.58, 0.19],
    [0.82, 0.13],
  ] as const) {
    canvas.circle(x, y - up * size, radius * size, { colour, lower: darker(colour, 0.12) });
  }
  for (const side of [-0.045, 0.045]) canvas.circle(x + side * size, y - size * 0.85, size * 0.017, { colour: coal });
  canvas.polygon(
    placed(spot, [
      [0, 0.83],
      [0.15, 0.8],
      [0, 0.79],
    ]),
    { colour: [240, 130, 40] },
  );
  canvas.rectangle(x - size * 0.16, y - size * 0.95, size * 0.32, size * 0.03, { colour: coal });
  canvas.rectangle(x - size * 0.1, y - size * 1.08, size * 0.2, size * 0.14, { colour: coal });
};

export const groundThings: Readonly<Record<GroundThingName, Thing>> = {
  ...creatures,
  house: { size: 0.34, breadth: 1.25, draw: house },
  tree: { size: 0.36, breadth: 0.8, draw: tree },
  pine: { size: 0.38, breadth: 0.62, draw: pine },
  palm: { size: 0.4, breadth: 1, draw: palm },
  flower: { size: 0.15, breadth: 0.62, draw: flower },
  bush: { size: 0.13, breadth: 1.5, draw: bush },
  tower: { size: 0.5, breadth: 0.36, draw: tower },
  building: { size: 0.52, breadth: 0.42, draw: building },
  tent: { size: 0.2, breadth: 1.55, draw: tent },
  rock: { size: 0.1, breadth: 1.65, draw: rock },
  mushroom: { size: 0.14, breadth: 1.05, draw: mushroom },
  cactus: { size: 0.28, breadth: 0.7, draw: cactus },
  snowman: { size: 0.26, breadth: 0.56, draw: snowman },
};
