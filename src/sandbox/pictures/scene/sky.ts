/** The sky behind everything, and the weather before everything. */

import type { Canvas } from '../raster/canvas.ts';
import { type Colour, darker, lighter, mix } from '../raster/colours.ts';
import { blendPixel, type Point } from '../raster/picture.ts';
import type { Random } from '../raster/random.ts';
import type { Scene, TimeOfDay } from './scene.ts';

type Gradient = readonly [top: Colour, bottom: Colour];

const skies: Readonly<Record<TimeOfDay, Gradient>> = {
  day: [
    [95, 165, 235],
    [208, 232, 250],
  ],
  night: [
    [12, 16, 45],
    [52, 62, 110],
  ],
  sunset: [
    [72, 58, 125],
    [252, 156, 92],
  ],
  dawn: [
    [122, 152, 212],
    [255, 208, 172],
  ],
};

const overcast: Gradient = [
  [110, 118, 130],
  [178, 184, 192],
];

export function drawSky(canvas: Canvas, scene: Scene, random: Random): void {
  const [top, bottom] = skyColours(scene);
  canvas.rectangle(0, 0, canvas.width, canvas.height, { colour: top, lower: bottom });
  if (scene.stars) drawStars(canvas, random, scene.backdrop === 'space' ? 1 : 0.6);
}

function skyColours(scene: Scene): Gradient {
  if (scene.skyColour !== undefined) return [scene.skyColour.colour, lighter(scene.skyColour.colour, 0.45)];
  if (scene.backdrop === 'space') {
    return [
      [8, 8, 24],
      [30, 18, 58],
    ];
  }
  const [top, bottom] = skies[scene.time];
  const covered = scene.weather.has('rain') || scene.weather.has('snow') || scene.weather.has('cloudy');
  const share = scene.weather.has('storm') ? 0.8 : covered ? 0.65 : 0;
  const dim = scene.time === 'night' ? 0.65 : scene.weather.has('storm') ? 0.4 : 0;
  return [mix(top, darker(overcast[0], dim), share), mix(bottom, darker(overcast[1], dim), share)];
}

/** Down to which part of the height there are stars. */
function drawStars(canvas: Canvas, random: Random, reach: number): void {
  for (let star = 0; star < 160; star += 1) {
    const x = random.between(0, canvas.width);
    const y = random.between(0, canvas.height * reach);
    const radius = 0.0012 + 0.003 * random.next() ** 3;
    canvas.circle(x, y, radius, { colour: [255, 252, 235], alpha: random.between(0.5, 1) });
  }
}

export function drawWeather(canvas: Canvas, scene: Scene, random: Random): void {
  if (scene.weather.has('storm')) drawLightning(canvas, random);
  if (scene.weather.has('fog')) drawFog(canvas);
  if (scene.weather.has('rain') || scene.weather.has('storm')) {
    for (let drop = 0; drop < 170; drop += 1) {
      const x = random.between(-0.05, canvas.width);
      const y = random.between(-0.05, canvas.height);
      const length = random.between(0.025, 0.055);
      canvas.line([x, y], [x + length * 0.25, y + length], 0.0028, { colour: [205, 222, 240], alpha: 0.55 });
    }
  }
  if (scene.weather.has('snow')) {
    for (let flake = 0; flake < 150; flake += 1) {
      const radius = random.between(0.003, 0.008);
      canvas.circle(random.between(0, canvas.width), random.between(0, canvas.height), radius, {
        colour: [255, 255, 255],
        alpha: 0.85,
      });
    }
  }
}

export function drawLightning(canvas: Canvas, random: Random): void {
  let x = canvas.width * random.between(0.25, 0.75);
  const step = (canvas.height * 0.56) / 6;
  const right: Point[] = [];
  const left: Point[] = [];
  for (let corner = 0; corner <= 6; corner += 1) {
    const half = 0.014 * (1 - corner / 6);
    right.push([x + half, corner * step]);
    left.unshift([x - half, corner * step]);
    x += random.between(-0.07, 0.07);
  }
  canvas.polygon([...right, ...left], { colour: [255, 248, 190] });
}

function drawFog({ picture }: Canvas): void {
  const fog: Colour = [225, 230, 235];
  for (let y = 0; y < picture.height; y += 1) {
    const depth = y / picture.height;
    const alpha = 0.25 + 0.5 * Math.max(0, 1 - Math.abs(depth - 0.6) * 2.4);
    for (let x = 0; x < picture.width; x += 1) blendPixel(picture.pixels, (y * picture.width + x) * 4, fog, alpha);
  }
}
