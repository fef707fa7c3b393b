import { describe, expect, test } from 'bun:test';
import { bare, everyOption, linked, lost, upload } from '../../../test/harness/video-samples.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { MakeVideoRequest } from '../video.ts';
import {
  aspectRatioOf,
  mediumAddress,
  nearest,
  nearestShape,
  nearestSize,
  reportFurtherImages,
  reportUnsupportedVideo,
  resolutionOf,
  takenExtras,
  wholeWithin,
} from './video-options.ts';

function withLosses<Value>(act: (losses: LossList) => Value): [Value, string[]] {
  const losses = new LossList();
  return [act(losses), lost(losses.all)];
}

const asked = (options: Partial<MakeVideoRequest>): MakeVideoRequest => ({ ...bare, ...options });

describe('options that the wire did not carry', () => {
  test('are reported by the names that callers know, a size once', () => {
    const everything = { ...everyOption, images: [linked], lastFrame: linked, video: linked };
    expect(withLosses((losses) => reportUnsupportedVideo(everything, [], losses))[1]).toEqual([
      ...['aspect_ratio', 'fps', 'images', 'last_frame', 'n', 'negative_prompt', 'seconds', 'seed', 'size', 'video'],
    ]);
    const said = ['seconds', 'width', 'height', 'count', 'images'] as const;
    expect(withLosses((losses) => reportUnsupportedVideo(everything, said, losses))[1]).toEqual([
      ...['aspect_ratio', 'fps', 'last_frame', 'negative_prompt', 'seed', 'video'],
    ]);
    expect(withLosses((losses) => reportUnsupportedVideo(bare, [], losses))[1]).toEqual([]);
  });

  test('are images beyond the number', () => {
    const request = asked({ images: [linked, linked, linked] });
    expect(withLosses((losses) => reportFurtherImages(request, 1, losses))[1]).toEqual(['images[1]', 'images[2]']);
    expect(withLosses((losses) => reportFurtherImages(request, 3, losses))[1]).toEqual([]);
  });

  test('are files where only URLs fit', () => {
    expect(withLosses((losses) => mediumAddress(upload, 'video', losses))).toEqual([undefined, ['video']]);
    expect(withLosses((losses) => mediumAddress(linked, 'video', losses))).toEqual(['https://example.com/a.png', []]);
  });
});

test.each([
  [{}, undefined],
  [{ width: 1_280, height: 720 }, '16:9'],
  [{ width: 720, height: 720 }, '1:1'],
  [{ width: 1_280 }, undefined],
  [{ aspectRatio: '21:9', width: 1_280, height: 720 }, '21:9'],
])('the shape of %j', (options, expected) => {
  expect(aspectRatioOf(asked(options))).toBe(expected as string);
});

test.each([
  [{}, undefined],
  [{ width: 1_280, height: 720 }, '720p'],
  [{ width: 1_080, height: 1_920 }, '1080p'],
  [{ width: 320, height: 240 }, '480p'],
  [{ height: 600 }, '720p'],
] as const)('the resolution of %j', (options, expected) => {
  expect(resolutionOf(asked(options))).toBe(expected as '720p');
});

describe('a shape and a resolution', () => {
  const shape = (options: object) =>
    withLosses((losses) => nearestShape(asked(options), ['16:9', '9:16', '1:1'], ['480p', '720p'], losses));

  test.each([
    [{}, undefined, undefined, []],
    [{ width: 1_280, height: 720 }, '16:9', '720p', []],
    [{ width: 480, height: 854 }, '9:16', '480p', []],
    [{ width: 1_920, height: 1_080 }, '16:9', '720p', ['size']],
    [{ width: 720, height: 700 }, '1:1', '720p', ['size']],
    [{ width: 720, height: 1_280, aspectRatio: '16:9' }, '16:9', '720p', ['size']],
    [{ aspectRatio: '16:9' }, '16:9', undefined, []],
    [{ aspectRatio: '4:3' }, '1:1', undefined, ['aspect_ratio']],
    [{ aspectRatio: 'wide' }, undefined, undefined, ['aspect_ratio']],
  ])('of %j', (options, ratio, resolution, losses) => {
    expect(shape(options) as unknown).toEqual([{ ratio, resolution }, losses]);
  });
});

describe('a whole size', () => {
  const size = (options: object) =>
    withLosses((losses) => nearestSize(asked(options), ['1280x720', '720x1280', '1920x1080', '960x960'], losses));

  test.each([
    [{}, undefined, []],
    [{ width: 1_920, height: 1_080 }, '1920x1080', []],
    [{ width: 3_840, height: 2_160 }, '1920x1080', ['size']],
    [{ width: 854, height: 480 }, '1280x720', ['size']],
    [{ aspectRatio: '16:9' }, '1280x720', []],
    [{ aspectRatio: '5:4' }, '960x960', ['aspect_ratio']],
    [{ aspectRatio: 'wide' }, undefined, ['aspect_ratio']],
    [{ height: 1_080 }, '1920x1080', ['size']],
  ])('for %j', (options, expected, losses) => {
    expect(size(options) as unknown).toEqual([expected, losses]);
  });
});

test.each([
  [undefined, undefined, []],
  [8, 8, []],
  [5, 4, ['seconds']],
  [6, 8, ['seconds']],
  [60, 12, ['seconds']],
])('the number nearest to %p', (value, expected, losses) => {
  expect(withLosses((list) => nearest(value, [4, 8, 12], 'seconds', list)) as unknown).toEqual([expected, losses]);
});

test.each([
  [undefined, undefined, []],
  [3, 3, []],
  [2.5, 3, ['seconds']],
  [1, 2, ['seconds']],
  [11, 10, ['seconds']],
])('the whole number for %p', (value, expected, losses) => {
  expect(withLosses((list) => wholeWithin(value, 2, 10, 'seconds', list)) as unknown).toEqual([expected, losses]);
});

test('a field for one provider does not replace a field of the request itself', () => {
  const extras = { style: 'ink', model: 'another', ['__proto__']: { polluted: true } };
  const [taken, losses] = withLosses((list) => takenExtras(extras, ['model'], list));
  expect(taken).toEqual({ style: 'ink', ['__proto__']: { polluted: true } });
  expect(Object.getPrototypeOf(taken)).toBe(Object.prototype);
  expect(losses).toEqual(['model']);
});
