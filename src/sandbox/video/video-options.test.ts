/** What can be asked of a video, at the edges. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { planOf, readVideoOptions } from './video-options.ts';

const planFor = (fields: Record<string, unknown>, image?: { width: number; height: number }) =>
  planOf(
    readVideoOptions({ prompt: 'a boat', ...fields }),
    image && { ...image, file: new Uint8Array([1]) },
    undefined,
  );

test('the defaults', () => {
  expect(planFor({})).toMatchObject({ width: 640, height: 360, fps: 24, frames: 96, negativePrompt: '' });
  expect(planFor({}).seed).toBe(planFor({}).seed);
  expect(planFor({}).seed).not.toBe(planFor({ prompt: 'a ship' }).seed);
});

describe('sizes', () => {
  test.each([
    [{ width: 320, height: 180 }, 320, 180],
    [{ width: 321, height: 179 }, 322, 180],
    [{ width: 1_920, height: 1_080 }, 1_280, 720],
    [{ width: 1_080, height: 1_920 }, 720, 1_280],
    [{ width: 1_280, height: 1_280 }, 720, 720],
    [{ width: 1_282, height: 100 }, 1_280, 100],
    [{ width: 1, height: 1 }, 32, 32],
    [{ width: 16_384, height: 1 }, 1_280, 32],
    [{ width: 800 }, 800, 450],
    [{ height: 450 }, 800, 450],
    [{ aspect_ratio: '9:16' }, 360, 640],
    [{ aspect_ratio: '1:1' }, 360, 360],
    [{ aspect_ratio: '9999:1' }, 1_280, 32],
    [{ width: 500, aspect_ratio: '1:1' }, 500, 500],
    [{ width: 500, height: 300, aspect_ratio: '1:1' }, 500, 300],
  ])('%p', (asked, width, height) => {
    expect(planFor(asked)).toMatchObject({ width, height });
  });

  test('the shape of the first image, unless another is said', () => {
    expect(planFor({}, { width: 300, height: 600 })).toMatchObject({ width: 360, height: 720 });
    expect(planFor({ aspect_ratio: '16:9' }, { width: 300, height: 600 })).toMatchObject({ width: 640, height: 360 });
  });
});

test.each([
  [{ duration: 2 }, 24, 48],
  [{ duration: 0.5, fps: 10 }, 10, 5],
  [{ duration: 0.001 }, 24, 1],
  [{ duration: 60, fps: 60 }, 30, 600],
  [{ duration: 20, fps: 30 }, 30, 600],
  [{ fps: 1 }, 1, 4],
])('length and pace: %p', (asked, fps, frames) => {
  expect(planFor(asked)).toMatchObject({ fps, frames });
});

test('long words are cut at a whole character, and control characters are none', () => {
  const { prompt } = planFor({ prompt: `a\u0000\nboat \ud800${'ä'.repeat(2_000)}` });
  expect(prompt.startsWith('a boat \ufffdää')).toBe(true);
  expect(Buffer.byteLength(prompt)).toBeGreaterThan(1_490);
  expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(1_500);
});

test.each([
  [{ prompt: undefined }, 'prompt'],
  [{ prompt: '  ' }, 'prompt'],
  [{ prompt: 7 }, 'prompt'],
  [{ prompt: 'x'.repeat(32_001) }, 'prompt'],
  [{ negative_prompt: 7 }, 'negative_prompt'],
  [{ duration: 0 }, 'duration'],
  [{ duration: -4 }, 'duration'],
  [{ duration: 3_601 }, 'duration'],
  [{ duration: Number.NaN }, 'duration'],
  [{ duration: '4' }, 'duration'],
  [{ fps: 0 }, 'fps'],
  [{ fps: 24.5 }, 'fps'],
  [{ fps: 241 }, 'fps'],
  [{ width: 0 }, 'width'],
  [{ width: 16_385 }, 'width'],
  [{ height: 7.5 }, 'height'],
  [{ seed: -1 }, 'seed'],
  [{ seed: 2 ** 53 }, 'seed'],
  [{ n: 2 }, 'n'],
  [{ n: 0 }, 'n'],
  [{ aspect_ratio: 'wide' }, 'aspect_ratio'],
  [{ aspect_ratio: '0:9' }, 'aspect_ratio'],
  [{ aspect_ratio: '16:0' }, 'aspect_ratio'],
  [{ video: 'data:video/mp4;base64,AAAA' }, 'video'],
  [{ images: 'x' }, 'images'],
  [{ images: ['a', 'b'] }, 'images'],
  [{ images: ['a'], image: 'b' }, 'images'],
  [{ image: 7 }, 'image'],
  [{ last_frame: '' }, 'last_frame'],
])('%p is refused by its name', (fields, param) => {
  let thrown: unknown;
  try {
    planFor(fields);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(GatewayError);
  expect(thrown).toMatchObject({ status: 400, param });
});
