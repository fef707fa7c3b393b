/** Predictions of any model: each field that is written, each state that is read. */

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
import { replicateVideo } from './replicate-video.ts';

const places = { create: 'https://up.example/v1', base: 'https://up.example/v1' };
const clip = { kind: 'url', url: 'https://example.com/a.mp4' } as const;

function made(model: string, options: object, extras = {}) {
  const { value, losses } = replicateVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  const tree = jsonOf(value) as { input: Record<string, unknown>; version?: string };
  return { tree, input: tree.input, suffix: value.suffix, lost: lost(losses) };
}

function progress(tree: unknown) {
  return replicateVideo.readProgress(replied(tree), { id: 'p-1' }, places);
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const writing = toModel('acme/wan-2.5-t2v', { hookUrl: 'https://weir.example/h' });
    const { value, losses } = replicateVideo.writeRequest(everyOption, writing);
    expect(jsonOf(value)).toEqual({
      input: {
        prompt: 'a red boat',
        duration: 8,
        aspect_ratio: '16:9',
        resolution: '720p',
        seed: 7,
        negative_prompt: 'rain',
      },
      webhook: 'https://weir.example/h',
      webhook_events_filter: ['completed'],
    });
    expect(lost(losses)).toEqual(['fps', 'n']);
  });

  test('writes nothing that was not requested', () => {
    expect(made('acme/wan', {})).toMatchObject({ tree: { input: { prompt: 'a red boat' } }, lost: [] });
    expect(Object.keys(made('acme/wan', {}).tree)).toEqual(['input']);
  });

  test.each([
    ['acme/film reel', '/models/acme/film%20reel/predictions', undefined],
    ['acme/film:abc123', '/predictions', 'abc123'],
    ['5c7d5dc6dd8bf75c', '/predictions', '5c7d5dc6dd8bf75c'],
  ])('%s is called at its place', (model, suffix, version) => {
    const { tree, suffix: written } = made(model, {});
    expect(written).toBe(suffix);
    expect(tree.version).toBe(version as string);
  });

  test('a model’s name cannot climb to another place', () => {
    for (const model of ['../account', 'acme/..', 'acme//x']) expect(() => made(model, {})).toThrow('does not name');
    expect(made('acme/a?b#c', {}).suffix).toBe('/models/acme/a%3Fb%23c/predictions');
  });

  test.each([
    ['acme/wan', { width: 720, height: 1_280 }, { aspect_ratio: '9:16', resolution: '720p' }, []],
    ['acme/wan', { aspectRatio: '3:2' }, { aspect_ratio: '4:3' }, ['aspect_ratio']],
    ['acme/wan', { seconds: 4.5 }, { duration: 5 }, ['seconds']],
    ['acme/wan', { seconds: 300 }, { duration: 60 }, ['seconds']],
    ['acme/sora-2', { seconds: 8, aspectRatio: '9:16' }, { seconds: 8, aspect_ratio: 'portrait' }, []],
    ['acme/sora-2', { aspectRatio: '16:9' }, { aspect_ratio: 'landscape' }, []],
  ])('%s gets %j as it can', (model, options, fields, expected) => {
    const { input, lost } = made(model, options);
    expect(input).toEqual({ prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('images and videos', () => {
  const begun = { images: [linked], lastFrame: image };
  const several = { images: [linked, image] };
  const both = [linked.url, imageAddress];
  test.each([
    ['acme/wan-2.5-i2v', begun, { image: linked.url, last_image: imageAddress }, []],
    ['acme/kling-v2.1', begun, { start_image: linked.url, end_image: imageAddress }, []],
    ['acme/hailuo-02', begun, { first_frame_image: linked.url, last_frame_image: imageAddress }, []],
    ['acme/seedance-1-pro', begun, { image: linked.url, last_frame_image: imageAddress }, []],
    ['acme/veo-3.1', begun, { image: linked.url, last_frame: imageAddress }, []],
    ['acme/ray-2-720p', begun, { start_image: linked.url, end_image: imageAddress }, []],
    ['acme/sora-2', begun, { input_reference: linked.url }, ['last_frame']],
    ['acme/seedance-2.0', several, { reference_images: both }, ['images[0]']],
    ['acme/veo-3.1', { ...several, lastFrame: linked }, { image: linked.url, last_frame: linked.url }, ['images[1]']],
    ['acme/wan-2.5-i2v', several, { image: linked.url }, ['images[1]']],
    ['acme/editor', { video: clip }, { video: clip.url }, []],
    ['acme/hailuo-02', { video: clip }, {}, ['video']],
    ['acme/wan-2.5-i2v', { images: [upload] }, {}, ['images[0]']],
  ])('%s names them in its own way', (model, options, fields, expected) => {
    const { input, lost } = made(model, options);
    expect(input).toEqual({ prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('a field for this provider alone', () => {
  test('is input, and changes nothing that was asked and paid for', () => {
    const extras = {
      guidance_scale: 5,
      duration: 60,
      version: 'x',
      webhook: 'https://x.example',
      num_outputs: 4,
      seed: 8,
    };
    const { tree, lost } = made('acme/wan', { seed: 7 }, extras);
    expect(tree).toEqual({
      input: { prompt: 'a red boat', seed: 7, guidance_scale: 5, version: 'x', webhook: 'https://x.example' },
    });
    expect(lost).toEqual(['duration', 'num_outputs', 'seed']);
  });
});

describe('a prediction', () => {
  test('is asked for and stopped by its id, wherever the reply points', () => {
    const urls = { get: 'https://evil.example/p-1', cancel: 'https://evil.example/p-1/cancel' };
    const ticket = replicateVideo.readTicket(replied({ id: 'p-1', status: 'starting', urls }));
    expect(ticket).toEqual({ id: 'p-1' });
    expect(replicateVideo.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://up.example/v1/predictions/p-1' });
    expect(replicateVideo.cancel?.(ticket, places)).toEqual({
      method: 'POST',
      url: 'https://up.example/v1/predictions/p-1/cancel',
    });
    for (const tree of [{}, { id: '' }, { id: null }, [], undefined]) {
      expect(() => replicateVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test('goes through its states', () => {
    for (const status of ['starting', 'queued']) expect(progress({ status })).toEqual({ state: 'queued' });
    expect(progress({ status: 'processing', output: null })).toEqual({ state: 'in_progress' });
    expect(progress({ status: 'failed', error: 'CUDA out of memory' })).toEqual({
      state: 'failed',
      reason: 'failed',
      message: 'CUDA out of memory',
    });
    expect(progress({ status: 'failed', error: 'The input was flagged as sensitive (E005)' })).toMatchObject({
      reason: 'refused',
    });
    expect(progress({ status: 'failed', error: null })).toMatchObject({ reason: 'failed' });
    expect(progress({ status: 'canceled' })).toMatchObject({ state: 'failed', reason: 'cancelled' });
    expect(progress({ status: 'aborted' })).toMatchObject({ state: 'failed', reason: 'failed' });
  });

  test.each([
    ['https://cdn.example/1.mp4', ['https://cdn.example/1.mp4']],
    [
      ['https://cdn.example/1.mp4', 'https://cdn.example/2.mp4'],
      ['https://cdn.example/1.mp4', 'https://cdn.example/2.mp4'],
    ],
    [{ video: 'https://cdn.example/1.mp4' }, ['https://cdn.example/1.mp4']],
  ])('ends with %j', (output, addresses) => {
    expect(progress({ status: 'succeeded', output, metrics: { predict_time: 90 } })).toEqual({
      state: 'completed',
      videos: addresses.map((url) => ({ kind: 'url', url, needsKey: false })),
      facts: {},
      consumption: { videos: addresses.length },
    });
  });

  test('may hold a small video itself', () => {
    expect(progress({ status: 'succeeded', output: 'data:video/mp4;base64,AAAA' })).toMatchObject({
      videos: [{ kind: 'base64', data: 'AAAA', mediaType: 'video/mp4' }],
    });
  });

  test('without a URL has no video', () => {
    for (const output of [undefined, null, '', [], [null], [{}], 5]) {
      expect(progress({ status: 'succeeded', output })).toMatchObject({ state: 'completed', videos: [] });
    }
  });

  test('whose state is unknown has none', () => {
    for (const status of ['done', '', undefined, null, 3]) expect(() => progress({ status })).toThrow(SyntaxError);
    for (const tree of [undefined, null, 'x', [], {}]) expect(() => progress(tree)).toThrow(SyntaxError);
  });
});
