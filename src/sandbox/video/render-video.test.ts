/** Videos as files: what a player reads in them, that equal plans give equal bytes, and that something moves. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { encodePng } from '../images/png.ts';
import { type Bitmap, emptyBitmap } from '../images/raster/bitmap.ts';
import { framesOf } from './frames.ts';
import { renderVideo } from './render-video.ts';
import type { VideoPlan } from './video-plan.ts';

/** Videos share the processor with everything else that is tested. */
setDefaultTimeout(30_000);

const listenersBefore = {
  unhandledRejection: process.listenerCount('unhandledRejection'),
  uncaughtException: process.listenerCount('uncaughtException'),
};
const none = new Uint8Array(0);
const plan: VideoPlan = {
  prompt: 'a red house, two clouds and a boat on a lake',
  negativePrompt: '',
  seed: 7,
  width: 96,
  height: 54,
  fps: 12,
  frames: 30,
  first: none,
  last: none,
};
const quiet = (): void => undefined;

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Every box by its type, with its content; a container's boxes come with it. */
function boxesOf(file: Uint8Array, found = new Map<string, Uint8Array>()): Map<string, Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < file.length; at += view.getUint32(at)) {
    const type = new TextDecoder('latin1').decode(file.subarray(at + 4, at + 8));
    const content = file.subarray(at + 8, at + view.getUint32(at));
    found.set(type, content);
    if (containers.has(type)) boxesOf(content, found);
    if (type === 'stsd') boxesOf(content.subarray(8), found);
    if (type === 'avc1') boxesOf(content.subarray(78), found);
  }
  return found;
}

/** The numbers of a box from an offset on, four bytes each. */
function numbers(box: Uint8Array | undefined, from = 0): number[] {
  if (box === undefined) throw new Error('no such box');
  const view = new DataView(box.buffer, box.byteOffset, box.byteLength);
  return Array.from({ length: (box.length - from) >> 2 }, (_, index) => view.getUint32(from + index * 4));
}

describe('the file', () => {
  test.each([
    [12, 30],
    [24, 1],
    [30, 61],
    [7, 20],
  ])('at %d frames a second, %d of them', async (fps, frames) => {
    const file = await renderVideo({ ...plan, fps, frames }, quiet);
    const boxes = boxesOf(file);
    const [timescale = 0, ticks = 0] = numbers(boxes.get('mdhd'), 12);
    expect(Math.abs(ticks / timescale - frames / fps)).toBeLessThan(0.001);
    expect(Math.abs((numbers(boxes.get('mvhd'), 16)[0] ?? 0) / timescale - frames / fps)).toBeLessThan(0.001);
    expect(numbers(boxes.get('stsz'), 8)[0]).toBe(frames);
    expect(numbers(boxes.get('stts'), 4).slice(0, 2)).toEqual([1, frames]);
  });

  test('has its index in front, its size, and the decoder described', async () => {
    const file = await renderVideo(plan, quiet);
    const boxes = boxesOf(file);
    expect([...boxes.keys()].filter((type) => ['ftyp', 'moov', 'mdat'].includes(type))).toEqual([
      'ftyp',
      'moov',
      'mdat',
    ]);
    const avc1 = boxes.get('avc1') ?? none;
    expect(numbers(avc1, 24)[0]).toBe((plan.width << 16) | plan.height);
    const track = numbers(boxes.get('tkhd'));
    expect(track.slice(-2)).toEqual([plan.width << 16, plan.height << 16]);
    const decoder = boxes.get('avcC') ?? none;
    // Version 1, baseline profile, lengths of four bytes, one parameter set.
    expect([decoder[0], decoder[1], (decoder[4] ?? 0) & 3, (decoder[5] ?? 0) & 31]).toEqual([1, 66, 3, 1]);
  });

  test('names exactly the frames that stand for themselves, and each chunk begins with a frame', async () => {
    const file = await renderVideo(plan, quiet);
    const boxes = boxesOf(file);
    const [, ...keyFrames] = numbers(boxes.get('stss'), 4);
    expect(keyFrames).toEqual([1, 13, 25]);
    const [, ...sizes] = numbers(boxes.get('stsz'), 8);
    const [, ...offsets] = numbers(boxes.get('stco'), 4);
    const mdat = boxes.get('mdat') ?? none;
    const begins: number[] = [];
    let at = mdat.byteOffset - file.byteOffset;
    const units = sizes.map((size) => {
      begins.push(at);
      const [length = 0] = numbers(file.subarray(at, at + 4));
      expect(length).toBe(size - 4);
      at += size;
      return (file[at - size + 4] ?? 0) & 31;
    });
    expect(at).toBe(file.length);
    expect(units.flatMap((unit, index) => (unit === 5 ? [index + 1] : []))).toEqual(keyFrames);
    expect(offsets.length).toBeGreaterThan(0);
    for (const offset of offsets) expect(begins).toContain(offset);
  });

  test('holds no clock', async () => {
    const boxes = boxesOf(await renderVideo(plan, quiet));
    for (const type of ['mvhd', 'tkhd', 'mdhd']) expect(numbers(boxes.get(type), 4).slice(0, 2)).toEqual([0, 0]);
  });
});

describe('drawing', () => {
  test('equal plans give equal bytes, another seed or prompt another video', async () => {
    const [one, same, other, different] = await Promise.all([
      renderVideo(plan, quiet),
      renderVideo({ ...plan }, quiet),
      renderVideo({ ...plan, seed: 8 }, quiet),
      renderVideo({ ...plan, prompt: 'rain at night' }, quiet),
    ]);
    expect(Buffer.compare(one, same)).toBe(0);
    expect(Buffer.compare(one, other)).not.toBe(0);
    expect(Buffer.compare(one, different)).not.toBe(0);
  });

  test.each([
    ['a boat and the sun'],
    ['a storm over the ocean'],
    ['falling snow'],
    ['a circle in space'],
    ['five circles'],
    ['quixotic zeitgeist'],
    ['a cloud over a city'],
  ])('something moves: %s', (prompt) => {
    const draw = framesOf({ ...plan, prompt }, { first: undefined, last: undefined });
    const frames = [0, 10, 29].map((index) => draw(index).slice());
    for (const frame of frames) {
      const clear = frame.filter((_, at) => at % 4 === 3).some((alpha) => alpha !== 255);
      expect(clear).toBe(false);
    }
    expect(frames[0]).not.toEqual(frames[1]);
    expect(frames[1]).not.toEqual(frames[2]);
  });

  test('does not depend on which frames were drawn before', () => {
    const [one, other] = [1, 2].map(() => framesOf(plan, { first: undefined, last: undefined }));
    for (let index = 0; index < 20; index += 1) one?.(index);
    expect(one?.(20)).toEqual(other?.(20) ?? none);
  });

  test('begins and ends with the given images', () => {
    const [first, last] = [painted([200, 10, 10]), painted([10, 10, 200])];
    const draw = framesOf(plan, { first, last });
    expect(draw(0)).toEqual(first.pixels);
    expect(draw(plan.frames - 1)).toEqual(last.pixels);
    const middle = Math.floor(plan.frames * 0.52);
    const alone = framesOf(plan, { first: undefined, last: undefined });
    expect(Buffer.compare(draw(middle), alone(middle))).toBe(0);
  });

  test('given images reach the file, whatever their shape', async () => {
    const first = encodePng(painted([200, 10, 10], 31, 70), {});
    const [plain, begun] = await Promise.all([renderVideo(plan, quiet), renderVideo({ ...plan, first }, quiet)]);
    expect(Buffer.compare(plain, begun)).not.toBe(0);
  });
});

function painted([red, green, blue]: readonly [number, number, number], width = 96, height = 54): Bitmap {
  const image = emptyBitmap(width, height);
  for (let at = 0; at < image.pixels.length; at += 4) image.pixels.set([red, green, blue, 255], at);
  return image;
}

test('reports its progress', async () => {
  const percents: number[] = [];
  await renderVideo({ ...plan, width: 320, height: 180, frames: 200, fps: 30 }, (percent) => percents.push(percent));
  expect(percents.length).toBeGreaterThan(0);
  expect(percents).toEqual([...percents].sort((one, other) => one - other));
  expect(percents.at(-1)).toBeLessThanOrEqual(100);
});

test('leaves the faults of its process alone', async () => {
  await renderVideo(plan, quiet);
  expect(process.listenerCount('unhandledRejection')).toBe(listenersBefore.unhandledRejection);
  expect(process.listenerCount('uncaughtException')).toBe(listenersBefore.uncaughtException);
});
