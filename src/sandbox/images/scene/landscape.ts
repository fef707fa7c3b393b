/** The sky, the terrain and the weather of a landscape. */

import type { Point } from '../raster/bitmap.ts';
import type { Canvas } from '../raster/canvas.ts';
import { type Color, darker, lighter, mix, rgb } from '../raster/colors.ts';
import type { Random } from '../raster/random.ts';
import { horizonAt, shoreAt } from './layout.ts';
import type { Scene, TimeOfDay } from './scene.ts';
import { pine, things } from './things.ts';

type Gradient = readonly [top: Color, bottom: Color];
type Tone = (color: Color) => Color;

const skies: Readonly<Record<TimeOfDay | 'space' | 'overcast', Gradient>> = {
  day: [rgb(0x5fa5eb), rgb(0xd0e8fa)],
  night: [rgb(0x0c102d), rgb(0x343e6e)],
  sunset: [rgb(0x483a7d), rgb(0xfc9c5c)],
  dawn: [rgb(0x7a98d4), rgb(0xffd0ac)],
  space: [rgb(0x080818), rgb(0x1e123a)],
  overcast: [rgb(0x6e7682), rgb(0xb2b8c0)],
};

export function drawSky(canvas: Canvas, scene: Scene, random: Random): void {
  const [top, bottom] = skyColors(scene);
  canvas.rectangle(0, 0, canvas.width, canvas.height, { color: top, lower: bottom });
  if (!scene.stars) return;
  const reach = canvas.height * (scene.backdrop === 'space' ? 1 : 0.6);
  for (let star = 0; star < 160; star += 1) {
    const [x, y] = [random.between(0, canvas.width), random.between(0, reach)];
    const radius = 0.0012 + 0.003 * random.next() ** 3;
    canvas.circle(x, y, radius, { color: [255, 252, 235], alpha: random.between(0.5, 1) });
  }
}

function skyColors({ skyColor, backdrop, time, weather }: Scene): Gradient {
  if (skyColor !== undefined) return [skyColor.color, lighter(skyColor.color, 0.45)];
  if (backdrop === 'space') return skies.space;
  if (weather === undefined) return skies[time];
  const dim = time === 'night' ? 0.65 : 0;
  const covered = (at: 0 | 1): Color => mix(skies[time][at], darker(skies.overcast[at], dim), 0.65);
  return [covered(0), covered(1)];
}

export function drawWeather(canvas: Canvas, { weather }: Scene, random: Random): void {
  for (let drop = 0; weather !== undefined && drop < 160; drop += 1) {
    const [x, y] = [random.between(-0.05, canvas.width), random.between(-0.05, canvas.height)];
    const length = random.between(0.025, 0.055);
    if (weather === 'snow') canvas.circle(x, y, length / 7, { color: [255, 255, 255], alpha: 0.85 });
    else canvas.line([x, y], [x + length / 4, y + length], 0.0028, { color: [205, 222, 240], alpha: 0.55 });
  }
}

/** At night and at dusk the land takes the light of the sky. */
function toneOf({ time }: Scene): Tone {
  if (time === 'night') return (color) => mix(color, [16, 22, 58], 0.62);
  return time === 'sunset' ? (color) => mix(color, [120, 60, 70], 0.35) : (color) => color;
}

export function drawTerrain(canvas: Canvas, scene: Scene, random: Random, transparent: boolean): void {
  const { terrain } = scene;
  const tone = toneOf(scene);
  if (terrain.has('mountains')) drawMountains(canvas, tone, random);
  if (terrain.has('city')) drawCity(canvas, tone, scene.time === 'night', random);
  if (!transparent) drawGround(canvas, scene, tone, random);
  if (terrain.has('forest')) drawForest(canvas, tone, random);
}

/** A wavy line across the image, closed along the bottom. */
function rolling(canvas: Canvas, level: number, height: number, random: Random): Point[] {
  const [first, second] = [random.between(0, 6.28), random.between(0, 6.28)];
  const points = Array.from({ length: 81 }, (_, index): Point => {
    const x = (index / 80) * canvas.width;
    return [x, level - height * (0.6 * Math.sin(x * 2.6 + first) + 0.4 * Math.sin(x * 5.1 + second))];
  });
  return [...points, [canvas.width, canvas.height], [0, canvas.height]];
}

function drawMountains(canvas: Canvas, tone: Tone, random: Random): void {
  const foot = canvas.height * horizonAt + 0.02;
  for (const [base, density, low, high] of [
    [0x8c9bb4, 4, 0.26, 0.4],
    [0x627087, 3, 0.16, 0.28],
  ] as const) {
    const count = Math.max(3, Math.round(canvas.width * density));
    const color = tone(rgb(base));
    for (let peak = 0; peak < count; peak += 1) {
      const x = ((peak + random.between(0.25, 0.75)) / count) * canvas.width;
      const height = canvas.height * random.between(low, high);
      const half = height * random.between(0.75, 0.95);
      const top = foot - height;
      const cap: Point[] = [0.28, 0.21, 0.35, 0.22, 0.34, 0.21, 0.28].map((share, index) => [
        x + (index / 3 - 1) * half * 0.28,
        top + height * share,
      ]);
      const down = (across: number): Point => [x + half * across, foot];
      canvas.polygon([[x, top], down(1), down(-1)], { color: lighter(color, 0.1), lower: color });
      canvas.polygon([[x, top], down(1), down(0.1)], { color: darker(color, 0.18) });
      canvas.polygon([[x, top], ...cap.reverse()], { color: tone([248, 250, 255]), lower: tone([222, 230, 242]) });
    }
  }
}

function drawCity(canvas: Canvas, tone: Tone, night: boolean, random: Random): void {
  const horizon = canvas.height * horizonAt;
  const light = { color: night ? rgb(0xffde82) : rgb(0xbad0e2), alpha: night ? 0.9 : 0.7 };
  for (const [base, low, high] of [
    [0x96a0b2, 0.24, 0.42],
    [0x667084, 0.1, 0.27],
  ] as const) {
    const color = tone(rgb(base));
    for (let left = -0.02; left < canvas.width; ) {
      const width = random.between(0.07, 0.13);
      const top = horizon - canvas.height * random.between(low, high);
      canvas.rectangle(left, top, width, horizon + 0.02 - top, { color: lighter(color, 0.06), lower: color });
      const step = width / 4.5;
      for (let y = top + step * 0.6; y < horizon - step; y += step * 1.1) {
        for (let column = 0; column < 4; column += 1) {
          if (random.next() < (night ? 0.55 : 0.15)) continue;
          canvas.rectangle(left + step * (0.5 + column), y, step * 0.52, step * 0.6, light);
        }
      }
      left += width + random.between(0, 0.015);
    }
  }
}

function drawGround(canvas: Canvas, scene: Scene, tone: Tone, random: Random): void {
  const horizon = canvas.height * horizonAt;
  const [color, lower] = groundColors(scene);
  canvas.rectangle(0, horizon, canvas.width, canvas.height - horizon, { color: tone(color), lower: tone(lower) });
  if (scene.terrain.has('sea')) {
    drawWaves(canvas, horizon, tone, random);
    if (!scene.items.some((item) => item.place === 'ground')) return;
    const sand = rolling(canvas, canvas.height * shoreAt, 0.018, random);
    const surf = sand.map(([x, y], index): Point => [x, index < 81 ? y - 0.014 : y]);
    canvas.polygon(surf, { color: tone([235, 244, 250]), alpha: 0.8 });
    canvas.polygon(sand, { color: tone([240, 216, 164]), lower: tone([222, 186, 124]) });
  } else if (scene.terrain.has('desert') || scene.weather === 'snow') {
    for (const level of [0.64, 0.75, 0.88]) {
      const base = tone(mix(color, lower, level - 0.5));
      canvas.polygon(rolling(canvas, canvas.height * level, 0.03, random), { color: base, lower: darker(base, 0.08) });
    }
  } else drawGrass(canvas, horizon, tone, random);
}

function groundColors({ terrain, weather }: Scene): Gradient {
  if (terrain.has('sea')) return [rgb(0x3e82be), rgb(0x184880)];
  if (terrain.has('desert')) return [rgb(0xeed096), rgb(0xd6aa69)];
  return weather === 'snow' ? [rgb(0xf4f8fc), rgb(0xdae5f0)] : [rgb(0x80be5c), rgb(0x468a3e)];
}

function drawGrass(canvas: Canvas, horizon: number, tone: Tone, random: Random): void {
  for (let tuft = 0; tuft < 70; tuft += 1) {
    const depth = random.next();
    const [x, y] = [random.between(0, canvas.width), horizon + 0.02 + depth * (canvas.height - horizon)];
    const blade = 0.006 + 0.014 * depth;
    for (const lean of [-0.5, 0, 0.5]) {
      canvas.line([x, y], [x + lean * blade, y - blade], blade * 0.16, { color: tone([62, 128, 56]), alpha: 0.7 });
    }
  }
}

function drawWaves(canvas: Canvas, horizon: number, tone: Tone, random: Random): void {
  for (let wave = 0; wave < 70; wave += 1) {
    const depth = random.next() ** 1.3;
    const [x, y] = [random.between(0, canvas.width), horizon + 0.008 + depth * (canvas.height - horizon)];
    const paint = { color: tone([205, 228, 245]), alpha: 0.4 };
    canvas.ellipse(x, y, 0.02 + 0.05 * depth, 0.0012 + 0.0025 * depth, paint);
  }
}

function drawForest(canvas: Canvas, tone: Tone, random: Random): void {
  for (let row = 0; row < 3; row += 1) {
    const count = Math.round(canvas.width * (15 - row * 3));
    for (let index = 0; index < count; index += 1) {
      const x = ((index + random.between(0.1, 0.9)) / count) * canvas.width;
      const y = canvas.height * (horizonAt + 0.02 + row * 0.055) + random.between(-0.01, 0.01);
      const draw = random.next() < 0.6 ? pine : things.tree.draw;
      const color = tone(mix([36, 98, 66], [62, 128, 62], random.next()));
      const size = (0.22 + row * 0.06) * random.between(0.85, 1.15);
      draw(canvas, { x, y, size }, darker(color, 0.3 - row * 0.15), random);
    }
  }
}
