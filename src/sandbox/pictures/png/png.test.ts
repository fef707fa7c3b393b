/** PNG both ways: what is written is read back equal, every kind of file is read, and no damaged one does more than fail clearly. */

import { describe, expect, test } from 'bun:test';
import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import type { Picture } from '../raster/picture.ts';
import { randomFrom } from '../raster/random.ts';
import { PngError, signature, writeChunk } from './chunks.ts';
import { decodePng, pixelsMax } from './decode.ts';
import { encodePng } from './encode.ts';

function randomPicture(seed: string, width: number, height: number, opaque: boolean): Picture {
  const random = randomFrom(seed);
  const pixels = new Uint8Array(width * height * 4);
  // Runs of equal pixels between noise let every filter win somewhere.
  for (let at = 0; at < pixels.length; at += 4) {
    if (at > 0 && random.next() < 0.5) pixels.copyWithin(at, at - 4, at);
    else for (let channel = 0; channel < 4; channel += 1) pixels[at + channel] = random.below(256);
    if (opaque) pixels[at + 3] = 255;
  }
  return { width, height, pixels };
}

interface Kind {
  readonly colourType: number;
  readonly bits: number;
  readonly channels: number;
}

const kinds: readonly Kind[] = [
  ...[1, 2, 4, 8, 16].map((bits) => ({ colourType: 0, bits, channels: 1 })),
  ...[8, 16].map((bits) => ({ colourType: 2, bits, channels: 3 })),
  ...[1, 2, 4, 8].map((bits) => ({ colourType: 3, bits, channels: 1 })),
  ...[8, 16].map((bits) => ({ colourType: 4, bits, channels: 2 })),
  ...[8, 16].map((bits) => ({ colourType: 6, bits, channels: 4 })),
];

const plainPass = [[0, 0, 1, 1]] as const;
const sevenPasses = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function header(width: number, height: number, { colourType, bits }: Kind, interlaced: boolean): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bits, colourType, 0, 0, interlaced ? 1 : 0], 8);
  return data;
}

/** Writes samples row by row with the given filters, the slow and obvious way. */
function packRows(
  sample: (x: number, y: number, c: number) => number,
  width: number,
  height: number,
  kind: Kind,
  interlaced: boolean,
) {
  const out: number[] = [];
  let filter = 0;
  for (const [startX, startY, stepX, stepY] of interlaced ? sevenPasses : plainPass) {
    let above: number[] = [];
    if (startX >= width || startY >= height) continue;
    for (let y = startY; y < height; y += stepY) {
      let bitsText = '';
      for (let x = startX; x < width; x += stepX) {
        for (let c = 0; c < kind.channels; c += 1) bitsText += sample(x, y, c).toString(2).padStart(kind.bits, '0');
      }
      const row = (bitsText.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
      const step = Math.max(1, (kind.bits * kind.channels) / 8);
      filter = (filter + 1) % 5;
      out.push(filter, ...row.map((value, at) => (value - guess(filter, row, above, at, step) + 256) % 256));
      above = row;
    }
  }
  return deflateSync(Uint8Array.from(out));
}

function guess(filter: number, row: readonly number[], above: readonly number[], at: number, step: number): number {
  const left = row[at - step] ?? 0;
  const up = above[at] ?? 0;
  const corner = at >= step ? (above[at - step] ?? 0) : 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return Math.floor((left + up) / 2);
  if (filter === 0) return 0;
  const near = [left, up, corner].map((value) => Math.abs(left + up - corner - value));
  return [left, up, corner][near.indexOf(Math.min(...near))] ?? 0;
}

function file(...chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([signature, ...chunks, writeChunk('IEND', new Uint8Array())]);
}

describe('what is written is read back', () => {
  test('equal pixels for 60 random pictures of odd sizes, opaque or not', () => {
    for (let index = 0; index < 60; index += 1) {
      const random = randomFrom(`size ${index}`);
      const picture = randomPicture(`${index}`, 1 + random.below(40), 1 + random.below(40), index % 2 === 0);
      const level = index % 10;
      expect(decodePng(encodePng(picture, { level })).picture).toEqual(picture);
    }
  });

  test('the runtime reads the same pixels from our files', async () => {
    const picture = randomPicture('runtime', 33, 21, false);
    const theirs = await new Bun.Image(encodePng(picture)).png().bytes();
    expect(decodePng(theirs).picture).toEqual(picture);
  });

  test('words travel inside, in any script', () => {
    const text = { prompt: 'drei Äpfel', seed: '7', Title: '三つの赤い円 🍎' };
    const { text: read } = decodePng(encodePng(randomPicture('text', 3, 3, true), { text }));
    expect(Object.fromEntries(read)).toEqual(text);
  });
});

describe('every kind of file', () => {
  for (const kind of kinds) {
    for (const interlaced of [false, true]) {
      const name = `colour type ${kind.colourType}, ${kind.bits} bits${interlaced ? ', interlaced' : ''}`;
      test(name, () => {
        for (const [width, height] of [
          [1, 1],
          [3, 2],
          [9, 11],
          [17, 5],
        ] as const)
          checkKind(kind, interlaced, width, height);
      });
    }
  }

  function checkKind(kind: Kind, interlaced: boolean, width: number, height: number): void {
    const most = 2 ** kind.bits - 1;
    const random = randomFrom(`${JSON.stringify(kind)} ${width}`);
    const samples = Array.from({ length: width * height * kind.channels }, () => random.below(most + 1));
    const sample = (x: number, y: number, c: number): number => samples[(y * width + x) * kind.channels + c] ?? 0;
    const palette = Uint8Array.from({ length: (most + 1) * 3 }, () => random.below(256));
    const alphas = Uint8Array.from({ length: Math.ceil((most + 1) / 2) }, () => random.below(256));
    const extra = kind.colourType === 3 ? [writeChunk('PLTE', palette), writeChunk('tRNS', alphas)] : [];
    const packed = packRows(sample, width, height, kind, interlaced);
    const half = Math.floor(packed.length / 2);
    // Picture data may come in pieces.
    const { picture } = decodePng(
      file(
        writeChunk('IHDR', header(width, height, kind, interlaced)),
        ...extra,
        writeChunk('IDAT', packed.subarray(0, half)),
        writeChunk('IDAT', packed.subarray(half)),
      ),
    );
    const byte = (value: number): number => Math.round((value * 255) / most);
    const expected = Array.from({ length: width * height }, (_, index) => {
      const at = (c: number): number => samples[index * kind.channels + c] ?? 0;
      if (kind.colourType === 3) return [...palette.slice(at(0) * 3, at(0) * 3 + 3), alphas[at(0)] ?? 255];
      const colour = kind.channels < 3 ? [at(0), at(0), at(0)] : [at(0), at(1), at(2)];
      return [...colour.map(byte), kind.channels % 2 === 0 ? byte(at(kind.channels - 1)) : 255];
    });
    expect([...picture.pixels]).toEqual(expected.flat());
  }

  test('the one transparent colour of a grey and of a coloured file', () => {
    const grey = { colourType: 0, bits: 2, channels: 1 };
    const greyFile = file(
      writeChunk('IHDR', header(4, 1, grey, false)),
      writeChunk('tRNS', Uint8Array.of(0, 2)),
      writeChunk(
        'IDAT',
        packRows((x) => x, 4, 1, grey, false),
      ),
    );
    expect([...decodePng(greyFile).picture.pixels]).toEqual([
      0, 0, 0, 255, 85, 85, 85, 255, 170, 170, 170, 0, 255, 255, 255, 255,
    ]);
    const colour = { colourType: 2, bits: 8, channels: 3 };
    const colourFile = file(
      writeChunk('IHDR', header(2, 1, colour, false)),
      writeChunk('tRNS', Uint8Array.of(0, 10, 0, 11, 0, 12)),
      writeChunk(
        'IDAT',
        packRows((x, _y, c) => 10 + c + x, 2, 1, colour, false),
      ),
    );
    expect([...decodePng(colourFile).picture.pixels]).toEqual([10, 11, 12, 0, 11, 12, 13, 255]);
  });
});

describe('what cannot be read', () => {
  const rgba = { colourType: 6, bits: 8, channels: 4 };
  const whole = Buffer.from(encodePng(randomPicture('whole', 20, 20, false), { text: { prompt: 'x' } }));

  const refused: readonly (readonly [name: string, bytes: Uint8Array, message: RegExp])[] = [
    ['nothing', new Uint8Array(), /not a PNG/],
    ['text', Buffer.from('hello, this is no picture'), /not a PNG/],
    ['a flipped bit', flipped(whole, 60), /checksum|damaged/],
    ['no header', file(writeChunk('IDAT', new Uint8Array(4))), /header/],
    ['no data', file(writeChunk('IHDR', header(2, 2, rgba, false))), /no picture data/],
    ['no width', file(writeChunk('IHDR', header(0, 2, rgba, false))), /no pixels/],
    ['a wrong kind', file(writeChunk('IHDR', header(2, 2, { ...rgba, bits: 3 }, false))), /3 bits/],
    [
      'data that is no data',
      file(writeChunk('IHDR', header(2, 2, rgba, false)), writeChunk('IDAT', Buffer.from('garbage'))),
      /unpacked/,
    ],
    [
      'too few rows',
      file(writeChunk('IHDR', header(2, 2, rgba, false)), writeChunk('IDAT', deflateSync(new Uint8Array(9)))),
      /cut short/,
    ],
    [
      'one byte too many',
      file(writeChunk('IHDR', header(2, 2, rgba, false)), writeChunk('IDAT', deflateSync(new Uint8Array(19)))),
      /more picture data/,
    ],
    [
      'a small file that grows to 200 MB',
      file(writeChunk('IHDR', header(2, 2, rgba, false)), writeChunk('IDAT', deflateSync(new Uint8Array(200_000_000)))),
      /unpacked/,
    ],
    [
      'an unknown filter',
      file(
        writeChunk('IHDR', header(1, 1, rgba, false)),
        writeChunk('IDAT', deflateSync(Uint8Array.of(9, 0, 0, 0, 0))),
      ),
      /filter 9/,
    ],
    [
      'no palette',
      file(
        writeChunk('IHDR', header(1, 1, { colourType: 3, bits: 8, channels: 1 }, false)),
        writeChunk('IDAT', deflateSync(Uint8Array.of(0, 0))),
      ),
      /palette/,
    ],
    [
      'a colour beyond the palette',
      file(
        writeChunk('IHDR', header(1, 1, { colourType: 3, bits: 8, channels: 1 }, false)),
        writeChunk('PLTE', Uint8Array.of(1, 2, 3)),
        writeChunk('IDAT', deflateSync(Uint8Array.of(0, 1))),
      ),
      /palette of 1/,
    ],
  ];
  for (const [name, bytes, message] of refused) {
    test(name, () => {
      expect(() => decodePng(bytes)).toThrow(PngError);
      expect(() => decodePng(bytes)).toThrow(message);
    });
  }

  function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0x10;
    return copy;
  }

  test('every beginning of a file, and 2,000 damaged ones, fail clearly or not at all', () => {
    for (let end = 0; end < whole.length; end += 1) expect(() => decodePng(whole.subarray(0, end))).toThrow(PngError);
    const random = randomFrom('damage');
    for (let round = 0; round < 2_000; round += 1) {
      const copy = Buffer.from(whole);
      for (let hit = 0; hit < 3; hit += 1) copy[random.below(copy.length)] = random.below(256);
      try {
        decodePng(copy);
      } catch (error) {
        expect(error).toBeInstanceOf(PngError);
      }
    }
  });

  test('the limit of pixels is refused from the header alone, and not one pixel earlier', () => {
    const grey = { colourType: 0, bits: 1, channels: 1 };
    const claim = (width: number, height: number) => file(writeChunk('IHDR', header(width, height, grey, false)));
    expect(() => decodePng(claim(4096, 4096))).toThrow(/no picture data/);
    expect(() => decodePng(claim(4096, 4097))).toThrow(new RegExp(`at most ${pixelsMax}`));
    expect(() => decodePng(claim(4_294_967_295, 4_294_967_295))).toThrow(/at most/);
  });
});
