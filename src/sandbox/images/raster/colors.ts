/** Colors by name, and colors made from others. */

export type Color = readonly [red: number, green: number, blue: number];

export function rgb(hex: number): Color {
  return [hex >> 16, (hex >> 8) & 0xff, hex & 0xff];
}

const white: Color = [255, 255, 255];
const black: Color = [0, 0, 0];

export const namedColors: ReadonlyMap<string, Color> = new Map<string, Color>([
  ['red', [220, 38, 38]],
  ['crimson', [190, 18, 60]],
  ['scarlet', [239, 40, 20]],
  ['maroon', [115, 20, 30]],
  ['orange', [245, 130, 25]],
  ['amber', [251, 176, 20]],
  ['yellow', [250, 214, 30]],
  ['gold', [232, 184, 35]],
  ['golden', [232, 184, 35]],
  ['green', [34, 150, 70]],
  ['lime', [140, 215, 40]],
  ['olive', [120, 125, 40]],
  ['emerald', [16, 170, 120]],
  ['teal', [15, 130, 130]],
  ['turquoise', [45, 200, 190]],
  ['cyan', [20, 200, 220]],
  ['aqua', [60, 210, 225]],
  ['blue', [37, 90, 225]],
  ['navy', [20, 35, 95]],
  ['azure', [40, 130, 240]],
  ['indigo', [70, 50, 190]],
  ['purple', [130, 50, 185]],
  ['violet', [145, 85, 235]],
  ['magenta', [215, 40, 190]],
  ['pink', [244, 114, 182]],
  ['lavender', [190, 170, 240]],
  ['brown', [125, 75, 40]],
  ['tan', [205, 170, 125]],
  ['beige', [226, 210, 180]],
  ['cream', [250, 240, 210]],
  ['ivory', [250, 248, 232]],
  ['white', [250, 250, 250]],
  ['black', [25, 25, 28]],
  ['grey', [130, 135, 140]],
  ['gray', [130, 135, 140]],
  ['silver', [192, 198, 205]],
]);

export function mix(one: Color, other: Color, share: number): Color {
  const between = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [between(one[0], other[0]), between(one[1], other[1]), between(one[2], other[2])];
}

export function lighter(color: Color, share: number): Color {
  return mix(color, white, share);
}

export function darker(color: Color, share: number): Color {
  return mix(color, black, share);
}

/** Weighted as the eye sees them. */
export function luminance([red, green, blue]: Color): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Hue in degrees, the other two from 0 to 1. */
export function fromHue(hue: number, saturation: number, lightness: number): Color {
  const chroma = (1 - Math.abs(2 * lightness - 1)) * saturation;
  const channel = (shift: number): number => {
    const place = (((hue / 60 + shift) % 6) + 6) % 6;
    const rise = Math.min(1, Math.max(0, 2 - Math.abs(place - 3)));
    return Math.round(255 * (lightness + chroma * (rise - 0.5)));
  };
  return [channel(3), channel(1), channel(5)];
}
