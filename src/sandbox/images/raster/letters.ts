/** Writes a line along the bottom of an image in a built-in font of 5 by 7 dots. */

import { type Bitmap, blendPixel } from './bitmap.ts';

/** Seven rows of five dots, each row one digit to the base 32. */
const glyphs: ReadonlyMap<string, string> = new Map(
  (
    'A ehhvhhh B uhhuhhu C ehggghe D uhhhhhu E vgguggv F vgguggg G ehgnhhf H hhhvhhh I e44444e J 72222ic K hikokih ' +
    'L ggggggv M hrllhhh N hhpljhh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih S fgge11u T v444444 U hhhhhhe V hhhhha4 ' +
    'W hhhllla X hha4ahh Y hhha444 Z v1248gv 0 ehjlphe 1 4c4444e 2 eh1248v 3 v2421he 4 26aiv22 5 vgu11he 6 68guhhe ' +
    "7 v124888 8 ehhehhe 9 ehhf12c . 00000cc , 0000c48 ! 4444404 ? eh12404 : 0cc0cc0 ; 0cc0c48 ' 4480000 " +
    '" aaa0000 - 000v000 _ 000000v ( 2488842 ) 8422248 / 01248g0 + 044v440 = 00v0v00 # aavavaa % op248j3 & cik8lid ' +
    '* 04lel40 @ eh1dlle'
  )
    .split(' ')
    .reduce<[string, string][]>((pairs, word, index, words) => {
      if (index % 2 === 0) pairs.push([word, words[index + 1] ?? '']);
      return pairs;
    }, []),
);

const glyphWidth = 6;
const glyphHeight = 7;
const sideMin = 128;

/** Without accents and without characters that have no glyph. */
function writable(text: string): string {
  const plain = text.replaceAll('ß', 'ss').normalize('NFD').toUpperCase();
  return [...plain]
    .map((character) => (/\s/.test(character) ? ' ' : glyphs.has(character) ? character : ''))
    .join('')
    .replace(/ +/g, ' ')
    .trim();
}

/** Small images get no caption. */
export function writeCaption(bitmap: Bitmap, text: string): void {
  if (Math.min(bitmap.width, bitmap.height) < sideMin) return;
  const dot = Math.max(1, Math.round(Math.min(bitmap.width, bitmap.height) / 480));
  const margin = dot * 4;
  const room = Math.floor((bitmap.width - margin * 2) / (glyphWidth * dot));
  const whole = writable(text.slice(0, 2_000));
  if (whole === '') return;
  const shown = whole.length <= room ? whole : `${whole.slice(0, Math.max(0, room - 3))}...`;
  const top = bitmap.height - glyphHeight * dot - margin * 2;
  darken(bitmap, top);
  [...shown].forEach((character, index) => {
    writeGlyph(bitmap, glyphs.get(character) ?? '', margin + index * glyphWidth * dot, top + margin, dot);
  });
}

function darken({ width, height, pixels }: Bitmap, top: number): void {
  for (let at = top * width * 4; at < width * height * 4; at += 4) blendPixel(pixels, at, [15, 18, 25], 0.55);
}

function writeGlyph({ width, pixels }: Bitmap, glyph: string, left: number, top: number, dot: number): void {
  for (let y = 0; y < glyphHeight * dot; y += 1) {
    const row = Number.parseInt(glyph[Math.floor(y / dot)] ?? '0', 32);
    for (let x = 0; x < 5 * dot; x += 1) {
      const lit = (row >> (4 - Math.floor(x / dot))) & 1;
      if (lit === 1) blendPixel(pixels, ((top + y) * width + left + x) * 4, [245, 245, 240], 1);
    }
  }
}
