/** A queue with three places: each field that is written, each state that is read, and where the key may go. */

import { describe, expect, test } from 'bun:test';
import {
  bare,
  everyOption,
  image,
  imageAddress,
  jsonOf,
  linked,
  lost,
  replied,
  toModel,
  upload,
} from '../../../../test/harness/video-samples.ts';
import type { VideoTicket } from '../../video.ts';
import type { VideoPlaces } from '../../video-wire.ts';
import { falVideo } from './fal-video.ts';

const places: VideoPlaces = { create: 'https://q.example/a/wan/v2/text-to-video', base: 'https://q.example' };
const clip = { kind: 'url', url: 'https://example.com/a.mp4' } as const;
const ticket: VideoTicket = {
  status: '/a/wan/requests/r-1/status',
  response: '/a/wan/requests/r-1',
  cancel: '/a/wan/requests/r-1/cancel',
};
const done: VideoTicket = { ...ticket, done: 'yes' };

function made(model: string, options: object, extras = {}) {
  const { value, losses } = falVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  return { tree: jsonOf(value), suffix: value.suffix, lost: lost(losses) };
}

const state = (tree: unknown) => falVideo.readProgress(replied(tree), ticket, places);
const result = (tree: unknown) => falVideo.readProgress(replied(tree), done, places);

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { value, losses } = falVideo.writeRequest(everyOption, toModel('a/wan/v2/text-to-video'));
    expect(jsonOf(value)).toEqual({
      prompt: 'a red boat',
      duration: '8',
      aspect_ratio: '16:9',
      resolution: '720p',
      seed: 7,
      negative_prompt: 'rain',
    });
    expect(value.suffix).toBeUndefined();
    expect(lost(losses)).toEqual(['fps', 'n']);
  });

  test('writes nothing that was not requested', () => {
    expect(made('a/wan', {})).toEqual({ tree: { prompt: 'a red boat' }, suffix: undefined, lost: [] });
  });

  test('has the webhook URL in its own URL', () => {
    const { value } = falVideo.writeRequest(bare, toModel('a/wan', { hookUrl: 'https://weir.example/h?t=1&s=2' }));
    expect(value.suffix).toBe('?fal_webhook=https%3A%2F%2Fweir.example%2Fh%3Ft%3D1%26s%3D2');
    expect(new URL(`https://q.example/a${value.suffix}`).searchParams.get('fal_webhook')).toBe(
      'https://weir.example/h?t=1&s=2',
    );
  });

  test.each([
    ['a/kling-video/v2.1/pro/image-to-video', 5, '5', []],
    ['a/veo3.1/fast', 8, '8s', []],
    ['a/luma-dream-machine/ray-2', 5, '5s', []],
    ['a/sora-2/text-to-video', 4, 4, []],
    ['a/wan', 4.5, '5', ['seconds']],
    ['a/wan', 300, '60', ['seconds']],
  ])('%s is asked for %d seconds', (model, seconds, duration, expected) => {
    const { tree, lost } = made(model, { seconds });
    expect(tree).toEqual({ prompt: 'a red boat', duration });
    expect(lost).toEqual(expected);
  });

  test.each([
    [{ width: 1_080, height: 1_920 }, { aspect_ratio: '9:16', resolution: '1080p' }, []],
    [{ width: 1_000, height: 1_000 }, { aspect_ratio: '1:1', resolution: '1080p' }, ['size']],
    [{ aspectRatio: '3:2' }, { aspect_ratio: '4:3' }, ['aspect_ratio']],
  ])('says %j as it can', (options, fields, expected) => {
    const { tree, lost } = made('a/wan', options);
    expect(tree).toEqual({ prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('images and videos', () => {
  const begun = { images: [linked], lastFrame: image };
  test.each([
    ['a/wan/image-to-video', begun, { image_url: linked.url, end_image_url: imageAddress }, []],
    ['a/kling-video/v2.1/pro/image-to-video', begun, { image_url: linked.url, tail_image_url: imageAddress }, []],
    ['a/kling-video/v3/pro/image-to-video', begun, { start_image_url: linked.url, end_image_url: imageAddress }, []],
    ['a/kling-video/o1/image-to-video', begun, { start_image_url: linked.url, end_image_url: imageAddress }, []],
    ['a/veo3.1/first-last-frame-to-video', begun, { first_frame_url: linked.url, last_frame_url: imageAddress }, []],
    ['a/veo3.1/reference-to-video', { images: [linked, image] }, { image_urls: [linked.url, imageAddress] }, []],
    [
      'a/veo3.1/reference-to-video',
      { images: [linked], lastFrame: linked },
      { image_urls: [linked.url] },
      ['last_frame'],
    ],
    ['a/vidu/q1/reference-to-video', { images: [linked] }, { reference_image_urls: [linked.url] }, []],
    ['a/kling-video/v1.6/pro/elements', { images: [linked] }, { input_image_urls: [linked.url] }, []],
    ['a/wan/video-to-video', { video: clip }, { video_url: clip.url }, []],
    ['a/wan/image-to-video', { images: [linked, linked] }, { image_url: linked.url }, ['images[1]']],
    ['a/wan/image-to-video', { images: [upload] }, {}, ['images[0]']],
    ['a/veo3.1/first-last-frame-to-video', { video: clip }, {}, ['video']],
  ])('%s names them in its own way', (model, options, fields, expected) => {
    const { tree, lost } = made(model, options);
    expect(tree).toEqual({ prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('a field for this provider alone', () => {
  test('is sent beside everything else, and changes nothing that was requested and paid for', () => {
    const extras = { loop: true, resolution: '1080p', duration: '60', num_frames: 999, prompt: 'x', seed: 8 };
    const { tree, lost } = made('a/wan', { seed: 7 }, extras);
    expect(tree).toEqual({ prompt: 'a red boat', seed: 7, loop: true, resolution: '1080p' });
    expect(lost).toEqual(['duration', 'num_frames', 'prompt', 'seed']);
  });
});

describe('a ticket', () => {
  const reply = {
    ...{ request_id: 'r-1', status: 'IN_QUEUE', queue_position: 3 },
    status_url: 'https://q.example/a/wan/requests/r-1/status',
    response_url: 'https://q.example/a/wan/requests/r-1',
    cancel_url: 'https://q.example/a/wan/requests/r-1/cancel',
  };

  test('remembers paths, whatever host the reply names', () => {
    expect(falVideo.readTicket(replied(reply))).toEqual(ticket);
    const elsewhere = { ...reply, status_url: 'https://evil.example/a/wan/requests/r-1/status' };
    const remembered = falVideo.readTicket(replied(elsewhere));
    expect(falVideo.ask(remembered, places).url).toBe('https://q.example/a/wan/requests/r-1/status');
    expect(falVideo.ask(remembered, { ...places, base: 'https://gate.example/q' }).url).toBe(
      'https://gate.example/q/a/wan/requests/r-1/status',
    );
  });

  test('is asked for its state, then for its result, and stopped at a third place', () => {
    expect(falVideo.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://q.example/a/wan/requests/r-1/status' });
    expect(falVideo.ask(done, places)).toEqual({ method: 'GET', url: 'https://q.example/a/wan/requests/r-1' });
    const stopped = { method: 'PUT', url: 'https://q.example/a/wan/requests/r-1/cancel' } as const;
    expect(falVideo.cancel?.(ticket, places)).toEqual(stopped);
    const { cancel_url: _, ...without } = reply;
    expect(falVideo.cancel?.(falVideo.readTicket(replied(without)), places)).toEqual(stopped);
  });

  test('needs both places', () => {
    for (const tree of [{}, { ...reply, status_url: '' }, { ...reply, response_url: 'x' }, [], null, undefined]) {
      expect(() => falVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });
});

describe('a state', () => {
  test('waits, works, and leads to the result at once', () => {
    expect(state({ status: 'IN_QUEUE', queue_position: 2 })).toEqual({ state: 'queued' });
    expect(state({ status: 'IN_PROGRESS', logs: null })).toEqual({ state: 'in_progress' });
    expect(state({ status: 'COMPLETED', metrics: { inference_time: 3 } })).toEqual({
      state: 'in_progress',
      ticket: done,
      askNow: true,
    });
  });

  test('may be that of a failure', () => {
    expect(state({ status: 'COMPLETED', error: 'Runner died', error_type: 'runner_error' })).toEqual({
      state: 'failed',
      reason: 'failed',
      message: 'Runner died',
    });
    expect(state({ status: 'COMPLETED', error: 'content_policy_violation' })).toMatchObject({ reason: 'refused' });
    expect(state({ status: 'FAILED' })).toMatchObject({ state: 'failed', reason: 'failed' });
    expect(state({ status: 'ERROR', detail: 'flagged' })).toMatchObject({ reason: 'refused' });
    for (const status of ['CANCELED', 'CANCELLED']) expect(state({ status })).toMatchObject({ reason: 'cancelled' });
  });

  test('that is unknown is none', () => {
    for (const status of ['DONE', '', undefined, null, 3]) expect(() => state({ status })).toThrow(SyntaxError);
    for (const tree of [undefined, null, 'x', [], {}]) expect(() => state(tree)).toThrow(SyntaxError);
  });
});

describe('a result', () => {
  test('is one video or several', () => {
    const file = { url: 'https://cdn.example/1.mp4', content_type: 'video/mp4' };
    expect(result({ video: { ...file, duration: 5.04, fps: 24, width: 1_280, height: 720 }, seed: 9 })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: file.url, needsKey: false }],
      facts: { seconds: 5.04, fps: 24, width: 1_280, height: 720, seed: 9 },
      consumption: { videos: 1, videoSeconds: 5 },
    });
    expect(result({ videos: [file, { url: 'https://cdn.example/2.mp4' }] })).toEqual({
      state: 'completed',
      videos: [
        { kind: 'url', url: file.url, needsKey: false },
        { kind: 'url', url: 'https://cdn.example/2.mp4', needsKey: false },
      ],
      facts: {},
      consumption: { videos: 2 },
    });
  });

  test('without a URL has no video', () => {
    for (const tree of [{}, { video: null }, { video: { url: '' } }, { videos: [] }, { videos: [null, {}] }]) {
      expect(result(tree)).toMatchObject({ state: 'completed', videos: [] });
    }
  });

  test('may be a failure, or not there yet', () => {
    expect(result({ detail: [{ loc: ['body'], msg: 'Input should be less', type: 'x' }] })).toMatchObject({
      state: 'failed',
      reason: 'failed',
      message: 'Input should be less',
    });
    expect(result({ detail: [{ msg: 'The content was flagged by a checker.' }] })).toMatchObject({ reason: 'refused' });
    expect(result({ detail: 'Request is still in progress' })).toEqual({ state: 'in_progress' });
    for (const tree of [undefined, null, 'x', []]) expect(() => result(tree)).toThrow(SyntaxError);
  });
});
