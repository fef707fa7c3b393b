/** Contents in, tokens out: each field that is written, each state that is read. */

import { describe, expect, test } from 'bun:test';
import {
  bare,
  everyOption,
  image,
  imageAddress,
  jsonOf,
  linked,
  lost,
  places,
  replied,
  toModel,
  upload,
} from '../../../../test/harness/video-samples.ts';
import { seedanceVideo } from './seedance-video.ts';

const model = 'doubao-seedance-2-0-260128';
const clip = { kind: 'url', url: 'https://example.com/a.mp4' } as const;

function made(options: object, extras = {}) {
  const { value, losses } = seedanceVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  const tree = jsonOf(value) as { content: Record<string, unknown>[] } & Record<string, unknown>;
  return { tree, lost: lost(losses) };
}

function progress(tree: unknown) {
  return seedanceVideo.readProgress(replied(tree), { id: 't-1' }, places);
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { value, losses } = seedanceVideo.writeRequest(
      everyOption,
      toModel(model, { hookUrl: 'https://weir.example/h' }),
    );
    expect(jsonOf(value)).toEqual({
      model,
      content: [{ type: 'text', text: 'a red boat' }],
      resolution: '720p',
      ratio: '16:9',
      duration: 8,
      seed: 7,
      callback_url: 'https://weir.example/h',
    });
    expect(value.suffix).toBeUndefined();
    expect(lost(losses)).toEqual(['fps', 'n', 'negative_prompt']);
  });

  test('writes nothing that was not requested', () => {
    expect(made({})).toEqual({ tree: { model, content: [{ type: 'text', text: 'a red boat' }] }, lost: [] });
    expect(made({ prompt: '', images: [linked] }).tree.content).toHaveLength(1);
  });

  test.each([
    [{ width: 1_920, height: 1_080 }, { resolution: '1080p', ratio: '16:9' }, []],
    [{ width: 2_560, height: 1_440 }, { resolution: '1080p', ratio: '16:9' }, ['size']],
    [{ aspectRatio: '21:9' }, { ratio: '21:9' }, []],
    [{ aspectRatio: '2:3' }, { ratio: '3:4' }, ['aspect_ratio']],
    [{ seconds: 4.2 }, { duration: 5 }, ['seconds']],
    [{ seconds: 60 }, { duration: 30 }, ['seconds']],
    [{ seconds: 1 }, { duration: 2 }, ['seconds']],
    [{ seed: 0 }, { seed: 0 }, []],
  ])('says %j as it can', (options, fields, expected) => {
    const { tree, lost } = made(options);
    expect(tree).toEqual({ model, content: [{ type: 'text', text: 'a red boat' }], ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('images and videos', () => {
  const contents = (options: object) => {
    const { tree, lost } = made({ prompt: '', ...options });
    return { content: tree.content, lost };
  };
  const entry = (role: string, url: string) => ({ type: 'image_url', image_url: { url }, role });

  test('one image begins the video, another ends it', () => {
    expect(contents({ images: [image] })).toEqual({ content: [entry('first_frame', imageAddress)], lost: [] });
    expect(contents({ images: [linked], lastFrame: image })).toEqual({
      content: [entry('first_frame', linked.url), entry('last_frame', imageAddress)],
      lost: [],
    });
    expect(contents({ lastFrame: linked }).content).toEqual([entry('last_frame', linked.url)]);
  });

  test('several guide it, unless it has a last frame', () => {
    expect(contents({ images: [linked, image] })).toEqual({
      content: [entry('reference_image', linked.url), entry('reference_image', imageAddress)],
      lost: ['images[0]'],
    });
    expect(contents({ images: [linked, image], lastFrame: linked })).toEqual({
      content: [entry('first_frame', linked.url), entry('last_frame', linked.url)],
      lost: ['images[1]'],
    });
  });

  test('a video is a reference, and so is everything beside it', () => {
    expect(contents({ video: clip, images: [linked], lastFrame: linked })).toEqual({
      content: [
        entry('reference_image', linked.url),
        { type: 'video_url', video_url: { url: clip.url }, role: 'reference_video' },
      ],
      lost: ['images[0]', 'last_frame'],
    });
  });

  test('an upload that was not read is reported', () => {
    expect(contents({ images: [upload] })).toEqual({ content: [], lost: ['images[0]'] });
  });
});

describe('a field for this provider alone', () => {
  test('is sent beside everything else', () => {
    const { tree, lost } = made({}, { generate_audio: false, service_tier: 'flex', resolution: '480p' });
    expect(tree).toMatchObject({ generate_audio: false, service_tier: 'flex', resolution: '480p' });
    expect(lost).toEqual([]);
  });

  test('changes neither the model nor what was asked and paid for', () => {
    const extras = {
      model: 'dearer',
      duration: 30,
      frames: 500,
      callback_url: 'https://x.example',
      content: [],
      seed: 8,
    };
    const { tree, lost } = made({ seed: 7 }, extras);
    expect(tree).toEqual({ model, content: [{ type: 'text', text: 'a red boat' }], seed: 7 });
    expect(lost).toEqual(['callback_url', 'content', 'duration', 'frames', 'model', 'seed']);
  });
});

describe('a task', () => {
  test('is asked for and stopped below the place that made it', () => {
    const ticket = seedanceVideo.readTicket(replied({ id: 'cgt-1' }));
    expect(ticket).toEqual({ id: 'cgt-1' });
    expect(seedanceVideo.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://up.example/v1/videos/cgt-1' });
    expect(seedanceVideo.cancel?.(ticket, places)).toEqual({
      method: 'DELETE',
      url: 'https://up.example/v1/videos/cgt-1',
    });
    for (const tree of [{}, { id: '' }, { id: {} }, [], null, undefined]) {
      expect(() => seedanceVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test('goes through its states', () => {
    expect(progress({ id: 't-1', status: 'queued' })).toEqual({ state: 'queued' });
    expect(progress({ id: 't-1', status: 'running' })).toEqual({ state: 'in_progress' });
    expect(progress({ status: 'cancelled' })).toMatchObject({ state: 'failed', reason: 'cancelled' });
    expect(progress({ status: 'expired' })).toMatchObject({ reason: 'failed', message: 'It took too long.' });
    expect(progress({ status: 'failed', error: { code: 'InternalServiceError', message: 'Try again.' } })).toEqual({
      state: 'failed',
      reason: 'failed',
      message: 'Try again.',
    });
    const refusal = { code: 'OutputVideoSensitiveContentDetected', message: 'The request failed.' };
    expect(progress({ status: 'failed', error: refusal })).toMatchObject({ reason: 'refused' });
    expect(progress({ status: 'failed', error: null })).toMatchObject({ reason: 'failed' });
  });

  test('ends with its video and what it used', () => {
    const tree = {
      ...{ id: 't-1', model, status: 'succeeded', created_at: 1, updated_at: 2 },
      content: { video_url: 'https://cdn.example/1.mp4' },
      usage: { completion_tokens: 19_845, total_tokens: 19_845 },
      ...{ seed: 17_918, resolution: '480p', ratio: '16:9', duration: 2, framespersecond: 24 },
    };
    expect(progress(tree)).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/1.mp4', needsKey: false }],
      facts: { seconds: 2, fps: 24, seed: 17_918 },
      consumption: {
        videos: 1,
        videoSeconds: 2,
        tokens: { input: { total: 0 }, output: { total: 19_845 } },
      },
    });
    expect(progress({ status: 'succeeded', content: { video_url: 'https://cdn.example/1.mp4' } })).toMatchObject({
      facts: {},
      consumption: { videos: 1 },
    });
  });

  test('without a URL has no video', () => {
    for (const content of [undefined, null, {}, { video_url: '' }, { video_url: 5 }]) {
      expect(progress({ status: 'succeeded', content })).toMatchObject({ state: 'completed', videos: [] });
    }
  });

  test('whose state is unknown has none', () => {
    for (const status of ['paused', '', undefined, null, 3]) expect(() => progress({ status })).toThrow(SyntaxError);
    for (const tree of [undefined, null, 'x', [], {}]) expect(() => progress(tree)).toThrow(SyntaxError);
  });
});
