/** Edits do what the words say and leave everything outside the mask as it was, byte for byte. */

import { describe, expect, test } from 'bun:test';
import { drawScene } from './draw.ts';
import { type EditRequest, editBitmap } from './edit.ts';
import { readEdit } from './edits/read-edit.ts';
import { type Bitmap, emptyBitmap, isOpaque } from './raster/bitmap.ts';
import { randomFrom } from './raster/random.ts';
import { fitInto, resize } from './raster/resize.ts';
import { readScene } from './scene/read-scene.ts';

const side = 96;
const photo = drawScene(readScene('a red house and a tree by the mountains'), { width: side, height: side, seed: 1 });

/** Noise shows a change of a single pixel that a flat area would hide. */
function noise(width = side, height = side): Bitmap {
  const random = randomFrom(`noise ${width}`);
  const image = emptyBitmap(width, height);
  image.pixels.forEach((_, at) => {
    image.pixels[at] = at % 4 === 3 ? 255 : random.below(256);
  });
  return image;
}

function filled(width: number, height: number, color: readonly [number, number, number], alpha = 255): Bitmap {
  const image = emptyBitmap(width, height);
  for (let at = 0; at < image.pixels.length; at += 4) image.pixels.set([...color, alpha], at);
  return image;
}

/** Clear in a disc, half clear around it, opaque elsewhere. */
function discMask(): Bitmap {
  const mask = filled(side, side, [255, 255, 255]);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const away = Math.hypot(x - 50, y - 40);
      mask.pixels[(y * side + x) * 4 + 3] = away < 22 ? 0 : away < 26 ? 128 : 255;
    }
  }
  return mask;
}

function edit(prompt: string, more: Partial<EditRequest> = {}): Bitmap {
  return editBitmap({ prompt, images: [photo], seed: 0, transparent: false, ...more }).bitmap;
}

function pixel({ width, pixels }: Bitmap, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

function mean({ pixels }: Bitmap): readonly [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    for (const channel of [0, 1, 2] as const) sums[channel] += (pixels[at + channel] ?? 0) / (pixels.length / 4);
  }
  return sums;
}

describe('with a mask', () => {
  const prompts = [
    'make it black and white',
    'blur it a lot',
    'brighter',
    'make it much darker and warmer',
    'red tint',
    'add a yellow sun',
    'remove the tree',
    'three red circles',
    'an ocean at night',
    'gibberish wolpertinger',
    'invert',
    'pixelate',
    'sharpen it',
    'mirror it',
    'turn it upside down',
    'remove the background',
    'change the background to blue',
    'replace the house with a green square',
  ];
  for (const prompt of prompts) {
    test(`"${prompt}" changes inside and nowhere else`, () => {
      const before = noise();
      const mask = discMask();
      const after = edit(prompt, { images: [before], mask });
      let changed = 0;
      for (let index = 0; index < side * side; index += 1) {
        const same = [0, 1, 2, 3].every(
          (channel) => after.pixels[index * 4 + channel] === before.pixels[index * 4 + channel],
        );
        if (mask.pixels[index * 4 + 3] === 255) expect(same).toBe(true);
        else if (!same) changed += 1;
      }
      expect(changed).toBeGreaterThan(100);
    });
  }

  test('several images and a mask: the others go inside', () => {
    const [before, mask] = [noise(), discMask()];
    const after = edit('put it there', { images: [before, filled(40, 40, [10, 200, 30])], mask });
    expect(pixel(after, 50, 40)).toEqual([10, 200, 30, 255]);
    expect(pixel(after, 5, 5)).toEqual(pixel(before, 5, 5));
  });

  test('an opaque mask changes nothing and says so', () => {
    const result = editBitmap({
      prompt: 'blur',
      images: [photo],
      mask: filled(side, side, [0, 0, 0]),
      seed: 0,
      transparent: false,
    });
    expect(result.bitmap.pixels).toEqual(photo.pixels);
    expect(result.description).toContain('mask is opaque');
  });

  test('a removed patch takes the color of what is around it', () => {
    const field = filled(side, side, [40, 120, 200]);
    for (let y = 30; y < 50; y += 1)
      for (let x = 40; x < 60; x += 1) field.pixels.set([250, 10, 10, 255], (y * side + x) * 4);
    const after = edit('remove the red thing', { images: [field], mask: discMask() });
    expect(pixel(after, 50, 40)).toEqual([40, 120, 200, 255]);
  });
});

describe('without a mask', () => {
  test('black and white has no color left', () => {
    const { pixels } = edit('make it black and white');
    for (let at = 0; at < pixels.length; at += 4)
      expect([pixels[at + 1], pixels[at + 2]]).toEqual([pixels[at], pixels[at]]);
  });

  test('brighter, darker, warmer, cooler and tints move the colors their way', () => {
    const [red, green, blue] = mean(photo);
    expect(mean(edit('brighter'))[1]).toBeGreaterThan(green + 10);
    expect(mean(edit('make it darker'))[1]).toBeLessThan(green - 10);
    expect(mean(edit('make it much darker'))[1]).toBeLessThan(mean(edit('slightly darker'))[1] - 10);
    const [warmRed, , warmBlue] = mean(edit('warmer'));
    expect(warmRed - warmBlue).toBeGreaterThan(red - blue + 15);
    const [coolRed, , coolBlue] = mean(edit('cooler'));
    expect(coolBlue - coolRed).toBeGreaterThan(blue - red + 15);
    const [tintRed, tintGreen] = mean(edit('make it all red'));
    expect(tintRed - tintGreen).toBeGreaterThan(red - green + 40);
  });

  test('a blur smooths, mirroring twice gives the image back', () => {
    const rough = (image: Bitmap): number => {
      let sum = 0;
      for (let at = 4; at < image.pixels.length; at += 4)
        sum += Math.abs((image.pixels[at] ?? 0) - (image.pixels[at - 4] ?? 0));
      return sum;
    };
    expect(rough(edit('blur', { images: [noise()] }))).toBeLessThan(rough(noise()) / 4);
    expect(edit('mirror', { images: [edit('mirror')] }).pixels).toEqual(photo.pixels);
    expect(edit('flip vertically', { images: [edit('upside down')] }).pixels).toEqual(photo.pixels);
  });

  test('something added leaves the rest, a described scene is blended with it', () => {
    const before = filled(side, side, [10, 10, 10]);
    const added = edit('add a red circle', { images: [before] });
    const red = (image: Bitmap) => image.pixels.filter((value, at) => at % 4 === 0 && value > 200).length;
    expect(red(added)).toBeGreaterThan(100);
    expect(added.pixels.filter((value, at) => at % 4 === 0 && value === 10).length).toBeGreaterThan(side * side * 0.4);
    const blended = edit('an ocean', { images: [before] });
    expect(pixel(blended, 2, side - 20)).not.toEqual([10, 10, 10, 255]);
  });

  test('the background at the edges is cut out, the thing stays', () => {
    const cut = edit('remove the background', {
      images: [drawScene(readScene('a red circle on a white background'), { width: side, height: side, seed: 0 })],
    });
    expect(pixel(cut, 0, 0)[3]).toBe(0);
    expect(isOpaque(cut)).toBe(false);
    expect(cut.pixels.filter((value, at) => at % 4 === 3 && value === 255).length).toBeGreaterThan(300);
  });

  test('removing without a mask is not pretended', () => {
    const result = editBitmap({ prompt: 'remove the dog', images: [photo], seed: 0, transparent: false });
    expect(result.bitmap.pixels).toEqual(photo.pixels);
    expect(result.description).toContain('send a mask');
  });
});

describe('several images', () => {
  const [red, blue] = [filled(40, 20, [200, 0, 0]), filled(10, 10, [0, 0, 200])];

  test('stand side by side, in order, in the height of the first', () => {
    const both = edit('combine these', { images: [red, blue] });
    expect([both.width, both.height]).toEqual([60, 20]);
    expect(pixel(both, 10, 10)).toEqual([200, 0, 0, 255]);
    expect(pixel(both, 50, 10)).toEqual([0, 0, 200, 255]);
  });

  test('or lie on one another where the words say so', () => {
    const both = edit('overlay them', { images: [red, blue] });
    expect([both.width, both.height]).toEqual([40, 20]);
    expect(pixel(both, 20, 10)).toEqual([0, 0, 200, 255]);
    expect(pixel(both, 2, 10)).toEqual([200, 0, 0, 255]);
  });
});

describe('what a prompt asks for', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['make it black and white', ['effect']],
    ['Make it brighter and blur it', ['effect', 'effect']],
    ['add a black and white house', ['draw']],
    ['a dark red circle', ['draw']],
    ['make the sky blue and add a sun', ['draw', 'draw']],
    ['turn it blue', ['tint']],
    ['remove the background', ['remove-background']],
    ['make the background transparent', ['remove-background']],
    ['replace the background with a beach', ['replace-background']],
    ['erase the car, then make it warmer', ['remove', 'effect']],
    ['blur it, wonderfully', ['effect']],
  ];
  for (const [prompt, kinds] of cases) {
    test(prompt, () => {
      const read: string[] = readEdit(prompt).steps.map((step) => step.kind);
      expect(read.sort()).toEqual([...kinds].sort());
    });
  }

  test('"replace X with Y" draws Y and not X', () => {
    const [step] = readEdit('replace the red house with two blue circles').steps;
    const things = step?.kind === 'draw' ? step.scene.items.map((item) => item.thing) : [];
    expect(things).toEqual(['circle']);
  });
});

describe('sizes', () => {
  test('fitting keeps the whole image and its shape', () => {
    const wide = fitInto(filled(40, 20, [200, 0, 0], 255), { width: 100, height: 100 });
    expect([wide.width, wide.height]).toEqual([100, 100]);
    expect(pixel(wide, 50, 50)).toEqual([200, 0, 0, 255]);
    const clear = fitInto(filled(40, 20, [200, 0, 0], 128), { width: 100, height: 100 });
    expect(pixel(clear, 50, 5)[3]).toBe(0);
    expect(pixel(clear, 50, 50)).toEqual([200, 0, 0, 128]);
  });

  test('an equal size changes nothing, a flat color stays itself, invisible colors do not shine through', () => {
    expect(resize(photo, side, side)).toBe(photo);
    expect(new Set(resize(filled(31, 17, [9, 99, 199]), 64, 8).pixels)).toEqual(new Set([9, 99, 199, 255]));
    const edge = filled(2, 1, [255, 255, 255]);
    edge.pixels.set([255, 0, 0, 0], 4);
    expect(pixel(resize(edge, 1, 1), 0, 0)).toEqual([255, 255, 255, 128]);
  });
});
