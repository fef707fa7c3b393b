/**
 * Draws a text as a QR code: ISO/IEC 18004, byte mode, error correction level M, versions 1 to 15 (412 bytes). Small
 * enough to own, and the text is a secret that no other service should see.
 */

import { errorCorrection } from './qr-error-correction.ts';

/** Of each version: error correction bytes of a block, and the number of blocks. */
const blocksOfVersion: readonly (readonly [correctionBytes: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
];
const levelM = 0;
/** Light modules around the code. */
const margin = 4;

class QrError extends Error {}

/** Rows of modules; true is dark. */
export type QrCode = readonly (readonly boolean[])[];

export function qrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  const version = blocksOfVersion.findIndex((_, index) => bytes.length <= capacity(index + 1)) + 1;
  if (version === 0) throw new QrError(`a QR code of ${bytes.length} bytes is too large`);
  const codewords = interleaved(dataOf(bytes, version), version);
  const candidates = Array.from({ length: 8 }, (_, mask) => drawn(codewords, version, mask));
  const best = candidates.toSorted((one, other) => penalty(one) - penalty(other))[0];
  if (best === undefined) throw new QrError('no mask fits');
  return best;
}

/** One SVG path over all dark modules, for a view box as wide as `size`. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const code = qrCode(text);
  const runs: string[] = [];
  for (const [y, row] of code.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (row[x] !== true) continue;
      let end = x;
      while (row[end] === true) end++;
      runs.push(`M${x + margin} ${y + margin}h${end - x}v1h-${end - x}z`);
      x = end;
    }
  }
  return { size: code.length + 2 * margin, path: runs.join('') };
}

/** Modules that carry codewords: all but the patterns and the information about format and version. */
function rawBytes(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const patterns = Math.floor(version / 7) + 2;
    modules -= (25 * patterns - 10) * patterns - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

function dataBytes(version: number): number {
  const [correctionBytes, blocks] = blocksOfVersion[version - 1] ?? [0, 0];
  return rawBytes(version) - correctionBytes * blocks;
}

const lengthBits = (version: number): number => (version < 10 ? 8 : 16);
const capacity = (version: number): number => Math.floor((dataBytes(version) * 8 - 4 - lengthBits(version)) / 8);

/** Mode, length, text and padding. */
function dataOf(bytes: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  const total = dataBytes(version);
  put(4, 4);
  put(bytes.length, lengthBits(version));
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, total * 8 - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  const data = new Uint8Array(total);
  for (const [index, bit] of bits.entries()) data[index >> 3] = ((data[index >> 3] ?? 0) << 1) | bit;
  for (let index = bits.length / 8, odd = true; index < total; index++, odd = !odd) data[index] = odd ? 0xec : 0x11;
  return data;
}

/** The blocks' bytes in turn: first the data, then the error correction. The last blocks have one byte more. */
function interleaved(data: Uint8Array, version: number): Uint8Array {
  const [correctionBytes, count] = blocksOfVersion[version - 1] ?? [0, 1];
  const short = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  const blocks: Uint8Array[] = [];
  for (let index = 0, at = 0; index < count; index++) {
    const end = at + short + (index < shortBlocks ? 0 : 1);
    blocks.push(data.subarray(at, end));
    at = end;
  }
  const corrections = blocks.map((block) => errorCorrection(block, correctionBytes));
  const turns = (parts: readonly Uint8Array[], length: number): number[] =>
    Array.from({ length }, (_, at) => parts.flatMap((part) => (at < part.length ? [part[at] ?? 0] : []))).flat();
  return Uint8Array.from([...turns(blocks, short + 1), ...turns(corrections, correctionBytes)]);
}

function drawn(codewords: Uint8Array, version: number, mask: number): QrCode {
  const canvas = new Canvas(17 + 4 * version);
  drawPatterns(canvas, version);
  drawFormat(canvas, mask);
  if (version >= 7) drawVersion(canvas, version);
  drawCodewords(canvas, codewords, masks[mask] ?? (() => false));
  return canvas.rows;
}

class Canvas {
  readonly rows: boolean[][];
  readonly #fixed: boolean[][];
  readonly size: number;

  constructor(size: number) {
    this.size = size;
    this.rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
    this.#fixed = this.rows.map((row) => [...row]);
  }

  /** Part of a pattern: no codeword is written there. */
  fix(x: number, y: number, isDark: boolean): void {
    const [row, fixed] = [this.rows[y], this.#fixed[y]];
    if (row === undefined || fixed === undefined || x < 0 || x >= this.size) return;
    row[x] = isDark;
    fixed[x] = true;
  }

  isFixed(x: number, y: number): boolean {
    return this.#fixed[y]?.[x] === true;
  }

  set(x: number, y: number, isDark: boolean): void {
    const row = this.rows[y];
    if (row !== undefined) row[x] = isDark;
  }
}

function drawPatterns(canvas: Canvas, version: number): void {
  const { size } = canvas;
  for (let at = 0; at < size; at++) {
    canvas.fix(6, at, at % 2 === 0);
    canvas.fix(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawRings(canvas, x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }
  const places = alignmentPlaces(version);
  const last = places.length - 1;
  for (const [row, y] of places.entries()) {
    for (const [column, x] of places.entries()) {
      const isCorner = (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0);
      if (!isCorner) drawRings(canvas, x, y, 2, (ring) => ring !== 1);
    }
  }
}

function drawRings(canvas: Canvas, x: number, y: number, radius: number, isDark: (ring: number) => boolean): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      canvas.fix(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

function alignmentPlaces(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = Array.from({ length: count - 1 }, (_, index) => version * 4 + 10 - index * step);
  return [6, ...places.toReversed()];
}

/** The remainder of a division by a polynomial over bits. */
function remainder(value: number, generator: number, bits: number): number {
  let rest = value;
  for (let index = 0; index < bits; index++) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator);
  return rest;
}

const bitOf = (value: number, bit: number): boolean => ((value >> bit) & 1) === 1;

function drawFormat(canvas: Canvas, mask: number): void {
  const { size } = canvas;
  const data = (levelM << 3) | mask;
  const bits = ((data << 10) | remainder(data, 0x537, 10)) ^ 0x5412;
  const fix = (x: number, y: number, bit: number): void => canvas.fix(x, y, bitOf(bits, bit));
  for (let bit = 0; bit <= 5; bit++) fix(8, bit, bit);
  fix(8, 7, 6);
  fix(8, 8, 7);
  fix(7, 8, 8);
  for (let bit = 9; bit < 15; bit++) fix(14 - bit, 8, bit);
  for (let bit = 0; bit < 8; bit++) fix(size - 1 - bit, 8, bit);
  for (let bit = 8; bit < 15; bit++) fix(8, size - 15 + bit, bit);
  canvas.fix(8, size - 8, true);
}

function drawVersion(canvas: Canvas, version: number): void {
  const bits = (version << 12) | remainder(version, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit++) {
    const near = Math.floor(bit / 3);
    const far = canvas.size - 11 + (bit % 3);
    canvas.fix(far, near, bitOf(bits, bit));
    canvas.fix(near, far, bitOf(bits, bit));
  }
}

/** In which modules a mask inverts the codewords. */
const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Two columns at a time from the right, upward and downward in turn; the vertical timing pattern is left out. */
function drawCodewords(canvas: Canvas, codewords: Uint8Array, isMasked: (x: number, y: number) => boolean): void {
  const { size } = canvas;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (canvas.isFixed(x, y)) continue;
        const isDark = bit < codewords.length * 8 && bitOf(codewords[bit >> 3] ?? 0, 7 - (bit & 7));
        bit++;
        canvas.set(x, y, isDark !== isMasked(x, y));
      }
    }
  }
}

/** How hard a code is to read: long runs, blocks, shapes like the corners, and too much of one color. */
function penalty(code: QrCode): number {
  const size = code.length;
  const columns = code.map((_, x) => code.map((row) => row[x] === true));
  let points = 0;
  let dark = 0;
  for (const line of [...code, ...columns]) points += linePenalty(line);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const module = code[y]?.[x];
      if (module === true) dark++;
      if (x > 0 && y > 0 && [code[y]?.[x - 1], code[y - 1]?.[x], code[y - 1]?.[x - 1]].every((one) => one === module))
        points += 3;
    }
  }
  return points + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10;
}

const cornerShapes = ['10111010000', '00001011101'] as const;

function linePenalty(line: readonly boolean[]): number {
  const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
  let points = 0;
  for (const run of text.match(/0+|1+/g) ?? []) if (run.length >= 5) points += run.length - 2;
  for (const shape of cornerShapes) {
    for (let at = text.indexOf(shape); at !== -1; at = text.indexOf(shape, at + 1)) points += 40;
  }
  return points;
}
