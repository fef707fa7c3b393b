/** The changes that need no understanding of a picture: light, colour, sharpness and direction. */

import type { Colour } from '../raster/colours.ts';
import { luminance } from '../raster/colours.ts';
import { emptyPicture, type Picture } from '../raster/picture.ts';
import { resize } from '../raster/resize.ts';

export type Effect = (picture: Picture, strength: number) => Picture;

/** Changes every colour by itself and leaves the alpha. */
function recolour(picture: Picture, change: (colour: Colour) => Colour): Picture {
  const { pixels } = picture;
  const out = pixels.slice();
  for (let at = 0; at < pixels.length; at += 4) {
    const changed = change([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]);
    for (let channel = 0; channel < 3; channel += 1) {
      out[at + channel] = Math.min(255, Math.max(0, Math.round(changed[channel] ?? 0)));
    }
  }
  return { ...picture, pixels: out };
}

export const grey: Effect = (picture) =>
  recolour(picture, (colour) => {
    const light = luminance(colour);
    return [light, light, light];
  });

export const sepia: Effect = (picture) =>
  recolour(picture, (colour) => {
    const light = luminance(colour);
    return [light * 1.07 + 12, light * 0.9 + 4, light * 0.68];
  });

export const invert: Effect = (picture) =>
  recolour(picture, ([red, green, blue]) => [255 - red, 255 - green, 255 - blue]);

export const brighten: Effect = (picture, strength) =>
  recolour(picture, ([red, green, blue]) => {
    const lift = (value: number) => value + (255 - value) * 0.3 * strength;
    return [lift(red), lift(green), lift(blue)];
  });

export const darken: Effect = (picture, strength) => {
  const factor = Math.max(0, 1 - 0.35 * strength);
  return recolour(picture, ([red, green, blue]) => [red * factor, green * factor, blue * factor]);
};

export const addContrast: Effect = (picture, strength) => {
  const factor = 1 + 0.4 * strength;
  const stretch = (value: number) => (value - 128) * factor + 128;
  return recolour(picture, ([red, green, blue]) => [stretch(red), stretch(green), stretch(blue)]);
};

export const saturate: Effect = (picture, strength) =>
  recolour(picture, (colour) => {
    const light = luminance(colour);
    const away = (value: number) => light + (value - light) * (1 + 0.6 * strength);
    return [away(colour[0]), away(colour[1]), away(colour[2])];
  });

export const warm: Effect = (picture, strength) =>
  recolour(picture, ([red, green, blue]) => [
    red * (1 + 0.16 * strength) + 6,
    green * 1.03,
    blue * (1 - 0.22 * strength),
  ]);

export const cool: Effect = (picture, strength) =>
  recolour(picture, ([red, green, blue]) => [red * (1 - 0.2 * strength), green, blue * (1 + 0.18 * strength) + 6]);

/** Keeps light and dark and gives them one colour. */
export function tint(picture: Picture, colour: Colour, strength: number): Picture {
  const share = Math.min(1, 0.6 * strength);
  return recolour(picture, (old) => {
    const light = luminance(old) / 255;
    const toned = (value: number) => (light < 0.5 ? value * light * 2 : value + (255 - value) * (light - 0.5) * 1.4);
    const blend = (before: number, after: number) => before + (after - before) * share;
    return [blend(old[0], toned(colour[0])), blend(old[1], toned(colour[1])), blend(old[2], toned(colour[2]))];
  });
}

/** A coarse copy and its enlargement: each block becomes one colour. */
export const pixelate: Effect = (picture, strength) => {
  const block = Math.max(2, Math.round((Math.min(picture.width, picture.height) / 40) * strength));
  const small = resize(
    picture,
    Math.max(1, Math.ceil(picture.width / block)),
    Math.max(1, Math.ceil(picture.height / block)),
  );
  return moved(picture, small, (x, y) => Math.floor(y / block) * small.width + Math.floor(x / block));
};

export const mirror: Effect = (picture) => moved(picture, picture, (x, y) => (y + 1) * picture.width - 1 - x);

export const turnOver: Effect = (picture) =>
  moved(picture, picture, (x, y) => (picture.height - 1 - y) * picture.width + x);

function moved({ width, height }: Picture, source: Picture, from: (x: number, y: number) => number): Picture {
  const result = emptyPicture(width, height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = from(x, y) * 4;
      const to = (y * width + x) * 4;
      for (let channel = 0; channel < 4; channel += 1) result.pixels[to + channel] = source.pixels[at + channel] ?? 0;
    }
  }
  return result;
}

export const blur: Effect = (picture, strength) => {
  const radius = Math.max(1, Math.round((Math.min(picture.width, picture.height) / 90) * strength));
  // Three means of neighbours come close to the bell curve that looks natural.
  let result = picture;
  for (let pass = 0; pass < 3; pass += 1) result = meanAlong(meanAlong(result, radius, true), radius, false);
  return result;
};

/** The mean of the neighbours on one line, colours weighed by their alpha. */
function meanAlong({ width, height, pixels }: Picture, radius: number, across: boolean): Picture {
  const result = emptyPicture(width, height);
  const [lines, length] = across ? [height, width] : [width, height];
  const step = across ? 4 : width * 4;
  for (let line = 0; line < lines; line += 1) {
    const start = across ? line * width * 4 : line * 4;
    const sums = [0, 0, 0, 0];
    const count = (at: number, sign: number): void => {
      if (at < 0 || at >= length) return;
      const from = start + at * step;
      const alpha = (pixels[from + 3] ?? 0) * sign;
      for (let channel = 0; channel < 3; channel += 1) {
        sums[channel] = (sums[channel] ?? 0) + (pixels[from + channel] ?? 0) * alpha;
      }
      sums[3] = (sums[3] ?? 0) + alpha;
    };
    for (let at = 0; at < radius; at += 1) count(at, 1);
    for (let at = 0; at < length; at += 1) {
      count(at + radius, 1);
      count(at - radius - 1, -1);
      const total = sums[3] ?? 0;
      const neighbours = Math.min(length - 1, at + radius) - Math.max(0, at - radius) + 1;
      const to = start + at * step;
      for (let channel = 0; channel < 3; channel += 1) {
        result.pixels[to + channel] = total > 0 ? Math.round((sums[channel] ?? 0) / total) : 0;
      }
      result.pixels[to + 3] = Math.round(total / neighbours);
    }
  }
  return result;
}

/** What a blur takes away is added once more. */
export const sharpen: Effect = (picture, strength) => {
  const soft = meanAlong(meanAlong(picture, 1, true), 1, false).pixels;
  const out = picture.pixels.slice();
  for (let at = 0; at < out.length; at += 1) {
    if (at % 4 === 3) continue;
    const value = picture.pixels[at] ?? 0;
    out[at] = Math.min(255, Math.max(0, Math.round(value + (value - (soft[at] ?? 0)) * 1.2 * strength)));
  }
  return { ...picture, pixels: out };
};
