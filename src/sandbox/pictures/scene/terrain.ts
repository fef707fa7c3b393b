/** The land and water of a landscape, from the far mountains to the near shore. */

import type { Canvas } from '../raster/canvas.ts';
import { type Colour, darker, lighter, mix } from '../raster/colours.ts';
import type { Point } from '../raster/picture.ts';
import type { Random } from '../raster/random.ts';
import { groundThings } from '../things/ground-things.ts';
import { drawCity } from './city.ts';
import type { Scene } from './scene.ts';

/** The horizon's place, and the shore's where there is sea before land, as parts of the height. */
export const horizonAt = 0.58;
export const shoreAt = 0.8;

/** At night and at dusk the land takes the light of the sky. */
function lit(colour: Colour, scene: Scene): Colour {
  if (scene.time === 'night') return mix(colour, [16, 22, 58], 0.62);
  if (scene.time === 'sunset') return mix(colour, [120, 60, 70], 0.35);
  return scene.weather.has('storm') ? darker(colour, 0.3) : colour;
}

export function drawTerrain(canvas: Canvas, scene: Scene, random: Random, transparent: boolean): void {
  const { terrain } = scene;
  const tone = (colour: Colour): Colour => lit(colour, scene);
  const horizon = canvas.height * horizonAt;
  if (terrain.has('mountains')) drawMountains(canvas, horizon, tone, random);
  if (terrain.has('city')) drawCity(canvas, horizon, tone, scene.time === 'night', random);
  if (!transparent) drawGround(canvas, scene, tone, random);
  if (terrain.has('hills') && !terrain.has('ocean')) drawHills(canvas, scene, tone, random);
  if (terrain.has('lake')) drawLake(canvas, tone);
  if (terrain.has('river')) drawRiver(canvas, tone);
  if (terrain.has('road')) drawRoad(canvas, tone);
  if (terrain.has('forest')) drawForest(canvas, scene, tone, random);
}

type Tone = (colour: Colour) => Colour;

/** A line across the picture made of two waves, closed along the bottom. */
function rolling(canvas: Canvas, level: number, height: number, random: Random): Point[] {
  const [first, second] = [random.between(0, 6.28), random.between(0, 6.28)];
  const points = Array.from({ length: 81 }, (_, index): Point => {
    const x = (index / 80) * canvas.width;
    return [x, level - height * (0.6 * Math.sin(x * 2.6 + first) + 0.4 * Math.sin(x * 5.1 + second))];
  });
  return [...points, [canvas.width, canvas.height], [0, canvas.height]];
}

function drawMountains(canvas: Canvas, horizon: number, tone: Tone, random: Random): void {
  for (const [layer, colour] of [
    [0, tone([140, 155, 180])],
    [1, tone([98, 112, 135])],
  ] as const) {
    const count = Math.max(3, Math.round(canvas.width * (layer === 0 ? 4 : 3)));
    for (let peak = 0; peak < count; peak += 1) {
      const x = ((peak + random.between(0.25, 0.75)) / count) * canvas.width;
      const height = canvas.height * (layer === 0 ? random.between(0.26, 0.4) : random.between(0.16, 0.28));
      drawPeak(canvas, [x, horizon + 0.02], height, height * random.between(0.75, 0.95), colour, tone, random);
    }
  }
}

function drawPeak(
  canvas: Canvas,
  [x, foot]: Point,
  height: number,
  half: number,
  colour: Colour,
  tone: Tone,
  random: Random,
): void {
  const top = foot - height;
  canvas.polygon(
    [
      [x, top],
      [x + half, foot],
      [x - half, foot],
    ],
    { colour: lighter(colour, 0.1), lower: colour },
  );
  canvas.polygon(
    [
      [x, top],
      [x + half, foot],
      [x + half * 0.1, foot],
    ],
    { colour: darker(colour, 0.18) },
  );
  const line = 0.28;
  const zigzag = Array.from({ length: 7 }, (_, index): Point => {
    const share = (index / 6) * 2 - 1;
    const down = index === 0 || index === 6 ? line : line + (index % 2 === 0 ? -0.07 : 0.08) * random.between(0.6, 1);
    return [x + share * half * line, top + height * down];
  });
  canvas.polygon([[x, top], ...zigzag.reverse()], { colour: tone([248, 250, 255]), lower: tone([222, 230, 242]) });
}

function drawGround(canvas: Canvas, scene: Scene, tone: Tone, random: Random): void {
  const { terrain } = scene;
  const horizon = canvas.height * horizonAt;
  const fill = (colour: Colour, lower: Colour): void =>
    canvas.rectangle(0, horizon, canvas.width, canvas.height - horizon, { colour: tone(colour), lower: tone(lower) });
  if (terrain.has('ocean')) {
    fill([62, 130, 190], [24, 72, 128]);
    drawWaves(canvas, horizon, tone, random);
    const land = scene.items.some((item) => item.place === 'ground') || terrain.has('beach');
    if (land) drawShore(canvas, scene, tone, random);
    return;
  }
  if (terrain.has('desert')) {
    fill([238, 208, 150], [214, 170, 105]);
    for (const [level, height] of [
      [0.64, 0.03],
      [0.75, 0.035],
      [0.88, 0.03],
    ] as const) {
      const colour = tone(mix([236, 204, 146], [206, 160, 98], level - 0.5));
      canvas.polygon(rolling(canvas, canvas.height * level, height, random), { colour, lower: darker(colour, 0.1) });
    }
    return;
  }
  if (terrain.has('snowfield')) {
    fill([240, 245, 250], [214, 226, 238]);
    canvas.polygon(rolling(canvas, canvas.height * 0.72, 0.025, random), {
      colour: tone([246, 249, 252]),
      lower: tone([220, 230, 242]),
    });
    return;
  }
  if (scene.autumn) fill([196, 168, 84], [148, 112, 52]);
  else fill([128, 190, 92], [70, 138, 62]);
  drawTufts(canvas, horizon, tone(scene.autumn ? [170, 130, 60] : [62, 128, 56]), random);
}

function drawTufts(canvas: Canvas, horizon: number, colour: Colour, random: Random): void {
  for (let tuft = 0; tuft < 70; tuft += 1) {
    const depth = random.next();
    const x = random.between(0, canvas.width);
    const y = horizon + 0.02 + depth * (canvas.height - horizon);
    const blade = 0.006 + 0.014 * depth;
    for (const lean of [-0.5, 0, 0.5]) {
      canvas.line([x, y], [x + lean * blade, y - blade], blade * 0.16, { colour, alpha: 0.7 });
    }
  }
}

function drawWaves(canvas: Canvas, horizon: number, tone: Tone, random: Random): void {
  const colour = tone([205, 228, 245]);
  for (let wave = 0; wave < 70; wave += 1) {
    const depth = random.next() ** 1.3;
    const y = horizon + 0.008 + depth * (canvas.height - horizon);
    canvas.ellipse(random.between(0, canvas.width), y, 0.02 + 0.05 * depth, 0.0012 + 0.0025 * depth, {
      colour,
      alpha: 0.4,
    });
  }
}

function drawShore(canvas: Canvas, scene: Scene, tone: Tone, random: Random): void {
  const points = rolling(canvas, canvas.height * shoreAt, 0.018, random);
  const raised = points.map(([x, y], index): Point => [x, index < 81 ? y - 0.014 : y]);
  const snowy = scene.terrain.has('snowfield');
  canvas.polygon(raised, { colour: tone([235, 244, 250]), alpha: 0.8 });
  canvas.polygon(points, {
    colour: tone(snowy ? [240, 244, 250] : [240, 216, 164]),
    lower: tone(snowy ? [220, 230, 240] : [222, 186, 124]),
  });
}

function drawHills(canvas: Canvas, scene: Scene, tone: Tone, random: Random): void {
  const snowy = scene.terrain.has('snowfield');
  for (const [level, height, colour] of [
    [horizonAt + 0.01, 0.06, [120, 178, 102]],
    [horizonAt + 0.1, 0.05, [96, 162, 80]],
  ] as const) {
    const base = tone(snowy ? lighter(colour, 0.75) : scene.autumn ? mix(colour, [205, 150, 60], 0.6) : colour);
    canvas.polygon(rolling(canvas, canvas.height * level, height, random), { colour: base, lower: darker(base, 0.25) });
  }
}

function drawLake(canvas: Canvas, tone: Tone): void {
  const y = canvas.height * (horizonAt + 0.15);
  canvas.ellipse(canvas.width / 2, y, canvas.width * 0.4, canvas.height * 0.09, { colour: tone([196, 190, 140]) });
  canvas.ellipse(canvas.width / 2, y, canvas.width * 0.385, canvas.height * 0.08, {
    colour: tone([120, 180, 220]),
    lower: tone([58, 120, 180]),
  });
}

function drawRiver(canvas: Canvas, tone: Tone): void {
  const horizon = canvas.height * horizonAt;
  const bank = (side: number): Point[] =>
    Array.from({ length: 41 }, (_, index): Point => {
      const depth = index / 40;
      const middle = canvas.width * (0.52 + 0.16 * Math.sin(depth * 5.2) * (0.3 + depth * 0.7));
      return [middle + side * (0.012 + 0.13 * depth ** 1.4), horizon + depth * (canvas.height - horizon)];
    });
  canvas.polygon([...bank(-1), ...bank(1).reverse()], { colour: tone([128, 188, 226]), lower: tone([62, 126, 186]) });
}

function drawRoad(canvas: Canvas, tone: Tone): void {
  const horizon = canvas.height * horizonAt;
  const middle = canvas.width / 2;
  const at = (depth: number, across: number): Point => [
    middle + across * (0.012 + 0.26 * depth),
    horizon + depth * (canvas.height - horizon),
  ];
  canvas.polygon([at(0, -1), at(0, 1), at(1, 1), at(1, -1)], { colour: tone([96, 98, 104]) });
  for (let dash = 0; dash < 7; dash += 1) {
    const from = (dash / 7) ** 1.7;
    const to = ((dash + 0.55) / 7) ** 1.7;
    canvas.polygon([at(from, -0.05), at(from, 0.05), at(to, 0.05), at(to, -0.05)], { colour: tone([240, 236, 215]) });
  }
}

function drawForest(canvas: Canvas, scene: Scene, tone: Tone, random: Random): void {
  const autumn: readonly Colour[] = [
    [205, 110, 40],
    [222, 160, 50],
    [170, 70, 40],
  ];
  const summer: readonly Colour[] = [
    [36, 98, 66],
    [58, 124, 62],
    [44, 110, 58],
  ];
  const palette = scene.autumn ? autumn : summer;
  for (let row = 0; row < 3; row += 1) {
    const count = Math.round(canvas.width * (15 - row * 3));
    for (let index = 0; index < count; index += 1) {
      const x = ((index + random.between(0.1, 0.9)) / count) * canvas.width;
      const y = canvas.height * (horizonAt + 0.02 + row * 0.055) + random.between(-0.01, 0.01);
      const thing = random.next() < (scene.autumn ? 0.2 : 0.6) ? groundThings.pine : groundThings.tree;
      const colour = tone(palette[random.below(palette.length)] ?? [58, 124, 62]);
      const size = (0.22 + row * 0.06) * random.between(0.85, 1.15);
      thing.draw(canvas, { x, y, size }, darker(colour, 0.3 - row * 0.15), random);
    }
  }
}
