/** Scenes contain what the words asked for: counted in the pixels, not in what the drawing says of itself. */

import { describe, expect, test } from 'bun:test';
import { sampled } from '../../../test/harness/size.ts';
import { drawScene } from './draw.ts';
import { type Bitmap, isOpaque } from './raster/bitmap.ts';
import { namedColors } from './raster/colors.ts';
import { readScene } from './scene/read-scene.ts';

function draw(prompt: string, seed = 0, width = 256, height = 256, transparent = false): Bitmap {
  return drawScene(readScene(prompt), { width, height, seed, transparent, caption: true });
}

interface Patch {
  readonly pixels: number;
  readonly x: number;
  readonly y: number;
}

/** Connected areas of a named color, with their middles; single pixels at smooth edges do not count. */
function patches({ width, height, pixels }: Bitmap, name: string): Patch[] {
  const [red, green, blue] = namedColors.get(name) ?? [0, 0, 0];
  const is = (index: number): boolean => {
    const at = index * 4;
    const away =
      Math.abs((pixels[at] ?? 0) - red) +
      Math.abs((pixels[at + 1] ?? 0) - green) +
      Math.abs((pixels[at + 2] ?? 0) - blue);
    return pixels[at + 3] === 255 && away < 12;
  };
  const seen = new Uint8Array(width * height);
  const found: Patch[] = [];
  for (let start = 0; start < width * height; start += 1) {
    if (seen[start] === 1 || !is(start)) continue;
    const waiting = [start];
    seen[start] = 1;
    let [count, sumX, sumY] = [0, 0, 0];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      count += 1;
      sumX += index % width;
      sumY += Math.floor(index / width);
      const x = index % width;
      for (const other of [x > 0 ? index - 1 : -1, x < width - 1 ? index + 1 : -1, index - width, index + width]) {
        if (other < 0 || other >= width * height || seen[other] === 1 || !is(other)) continue;
        seen[other] = 1;
        waiting.push(other);
      }
    }
    if (count >= 20) found.push({ pixels: count, x: sumX / count, y: sumY / count });
  }
  return found;
}

describe('counts and colors', () => {
  const cases: readonly (readonly [prompt: string, color: string, count: number])[] = [
    ['three red circles', 'red', 3],
    ['Draw 7 blue squares, please', 'blue', 7],
    ['twelve green triangles', 'green', 12],
    ['a purple star', 'purple', 1],
    ['two orange hearts and five teal diamonds', 'orange', 2],
    ['two orange hearts and five teal diamonds', 'teal', 5],
    ['a pair of pink hexagons at night by the sea', 'pink', 2],
    ['circles in magenta', 'magenta', 3],
    ['20 small red circles', 'red', 20],
    ['a big, red circle on a white background', 'red', 1],
  ];
  for (const [index, [prompt, color, count]] of cases.entries()) {
    test(`${prompt}: ${count} ${color}`, () => {
      for (const seed of sampled([0, 1, 2, 3, 4], index, 2))
        expect(patches(draw(prompt, seed), color)).toHaveLength(count);
      for (const [width, height] of sampled([[512, 200] as const, [180, 420] as const], index))
        expect(patches(draw(prompt, 0, width, height), color)).toHaveLength(count);
    });
  }

  test('what is not named is not there', () => {
    expect(patches(draw('three red circles'), 'blue')).toHaveLength(0);
    expect(patches(draw('no red circles, one blue square'), 'red')).toHaveLength(0);
  });

  test('large is larger than small', () => {
    const size = (prompt: string) => patches(draw(prompt), 'red')[0]?.pixels ?? 0;
    expect(size('a small red circle')).toBeGreaterThan(0);
    expect(size('a red circle')).toBeGreaterThan(size('a small red circle') * 1.5);
    expect(size('a huge red circle')).toBeGreaterThan(size('a red circle') * 1.5);
  });
});

describe('places', () => {
  const middle = (prompt: string, color: string): Patch => {
    const found = patches(draw(prompt), color).sort((one, other) => other.pixels - one.pixels)[0];
    if (found === undefined) throw new Error(`No ${color} in "${prompt}".`);
    return found;
  };

  test('a house under a sun, left of and right of, above and below', () => {
    const house = 'a blue house under a yellow sun';
    expect(middle(house, 'blue').y).toBeGreaterThan(middle(house, 'yellow').y + 50);
    for (const prompt of ['a red circle to the left of a blue square', 'a blue square right of a red circle']) {
      expect(middle(prompt, 'red').x).toBeLessThan(middle(prompt, 'blue').x - 30);
    }
    for (const prompt of ['a red circle above a blue square', 'a blue square below a red circle']) {
      expect(middle(prompt, 'red').y).toBeLessThan(middle(prompt, 'blue').y - 30);
    }
    expect(middle('a red circle on the right', 'red').x).toBeGreaterThan(140);
    expect(middle('a red circle at the bottom', 'red').y).toBeGreaterThan(120);
  });
});

describe('settings', () => {
  const light = (image: Bitmap, fromRow: number, toRow: number): readonly number[] => {
    const sums = [0, 0, 0];
    const { width, height, pixels } = image;
    const [from, to] = [Math.floor(height * fromRow) * width, Math.floor(height * toRow) * width];
    for (let index = from; index < to; index += 1) {
      for (let channel = 0; channel < 3; channel += 1)
        sums[channel] = (sums[channel] ?? 0) + (pixels[index * 4 + channel] ?? 0);
    }
    return sums.map((sum) => sum / (to - from));
  };

  test('night is dark, an ocean blue below, a meadow green, a desert sandy, snow bright', () => {
    const [nightRed = 255, , nightBlue = 0] = light(draw('mountains at night'), 0, 0.2);
    const [dayRed = 0] = light(draw('mountains'), 0, 0.2);
    expect(nightRed).toBeLessThan(60);
    expect(nightBlue).toBeGreaterThan(nightRed);
    expect(dayRed).toBeGreaterThan(90);
    const [oceanRed = 255, , oceanBlue = 0] = light(draw('ocean'), 0.7, 0.9);
    expect(oceanBlue).toBeGreaterThan(oceanRed * 2);
    const [meadowRed = 0, meadowGreen = 0, meadowBlue = 255] = light(draw('a meadow'), 0.7, 0.9);
    expect(meadowGreen).toBeGreaterThan(Math.max(meadowRed, meadowBlue) + 30);
    const [sandRed = 0, , sandBlue = 255] = light(draw('a desert'), 0.7, 0.9);
    expect(sandRed).toBeGreaterThan(sandBlue + 40);
    expect(Math.min(...light(draw('snow'), 0.7, 0.9))).toBeGreaterThan(200);
  });

  test('each setting gives another image', () => {
    const prompts = 'ocean forest city desert mountains rain snow night sunset dawn space meadow'.split(' ');
    const hashes = prompts.map((prompt) => Bun.hash(draw(prompt, 0, 64, 64).pixels));
    expect(new Set(hashes).size).toBe(prompts.length);
  });
});

describe('the same every time', () => {
  test('equal words, seed and size give equal pixels; another seed or word does not', () => {
    for (const prompt of ['a house and three trees in the rain', 'entropy of desire', 'city at night']) {
      const once = draw(prompt, 5);
      expect(Buffer.compare(draw(prompt, 5).pixels, once.pixels)).toBe(0);
      expect(Buffer.compare(draw(prompt, 6).pixels, once.pixels)).not.toBe(0);
    }
    expect(Buffer.compare(draw('entropy of desire').pixels, draw('entropy of despair').pixels)).not.toBe(0);
  });

  test('a draft shows the same composition as the image', () => {
    const [small, large] = [
      patches(draw('four red circles', 3, 128, 128), 'red'),
      patches(draw('four red circles', 3, 512, 512), 'red'),
    ];
    expect(large).toHaveLength(4);
    expect(small).toHaveLength(4);
    for (const one of small) {
      expect(Math.min(...large.map(({ x, y }) => Math.hypot(one.x * 4 - x, one.y * 4 - y)))).toBeLessThan(6);
    }
  });
});

describe('a transparent background', () => {
  test('only the things are there', () => {
    for (const prompt of ['three red circles', 'a boat', 'mountains at night', 'nothing known here']) {
      const { pixels } = draw(prompt, 0, 200, 200, true);
      const clear = pixels.filter((_, index) => index % 4 === 3 && pixels[index] === 0).length;
      const shown = pixels.filter((_, index) => index % 4 === 3 && (pixels[index] ?? 0) > 80).length;
      expect(clear).toBeGreaterThan(200 * 200 * 0.1);
      expect(shown).toBeGreaterThan(200);
    }
    expect(patches(draw('three red circles', 0, 200, 200, true), 'red')).toHaveLength(3);
    expect(isOpaque(draw('a boat'))).toBe(true);
  });
});

test('any prompt can be drawn at any size, even a long or strange one', () => {
  const strange = [
    '',
    '???',
    '999999 red circles',
    '0 cats',
    '🍎🍏',
    '三つの赤い円',
    'a'.repeat(50_000),
    'red '.repeat(5_000),
    'left of under above',
    '\0\uD800',
  ];
  for (const prompt of strange) {
    for (const [width, height] of [
      [16, 16],
      [16, 300],
      [300, 16],
    ] as const) {
      expect(draw(prompt, 0, width, height).pixels).toHaveLength(width * height * 4);
    }
  }
});
