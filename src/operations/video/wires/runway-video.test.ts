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
import { runwayVideo } from './runway-video.ts';

const clip = { kind: 'url', url: 'https://example.com/a.mp4' } as const;

function made(model: string, options: object, extras = {}) {
  const { value, losses } = runwayVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  return { tree: jsonOf(value) as Record<string, unknown>, suffix: value.suffix, losses: lost(losses) };
}

describe('a video of words', () => {
  test('writes every supported option, and reports the others', () => {
    expect(made('gen4.5', everyOption)).toEqual({
      tree: { model: 'gen4.5', promptText: 'a red boat', ratio: '1280:720', duration: 8, seed: 7 },
      suffix: '/text_to_video',
      losses: ['fps', 'n', 'negative_prompt'],
    });
    expect(made('veo3.1', everyOption).losses).toEqual(['fps', 'n', 'negative_prompt', 'seed']);
    expect(made('veo3.1', everyOption).tree).not.toHaveProperty('seed');
  });

  test('always writes a size and a length, which the service wants or chooses itself', () => {
    expect(made('gen4.5', {})).toEqual({
      tree: { model: 'gen4.5', promptText: 'a red boat', ratio: '1280:720', duration: 8 },
      suffix: '/text_to_video',
      losses: [],
    });
    for (const model of ['gen4_turbo', 'veo3', 'veo3.1_fast', 'seedance2', 'seedance2_mini', 'another']) {
      expect([model, made(model, {}).tree['duration']]).toEqual([model, runwayVideo.secondsByDefault]);
    }
  });

  test.each([
    ['gen4.5', { width: 1_920, height: 1_080 }, '1280:720', ['size']],
    ['veo3.1', { width: 1_920, height: 1_080 }, '1920:1080', []],
    ['veo3.1', { width: 1_080, height: 1_920 }, '1080:1920', []],
    ['seedance2', { width: 1_664, height: 1_248 }, '1664:1248', []],
    ['seedance2_fast', { width: 640, height: 480 }, '752:560', ['size']],
    ['seedance2', { aspectRatio: '1:1' }, '960:960', []],
    ['another', { aspectRatio: '4:3' }, '1104:832', []],
    ['gen4.5', { aspectRatio: '1:1' }, '720:1280', ['aspect_ratio']],
  ])('%s is asked for the shape of %j', (model, options, ratio, losses) => {
    expect(made(model, options)).toMatchObject({ tree: { ratio }, losses });
  });

  test.each([
    ['gen4.5', 12, 10, ['seconds']],
    ['veo3.1', 5, 6, ['seconds']],
    ['veo3', 4, 8, ['seconds']],
    ['seedance2', 15, 15, []],
  ])('%s is asked for %d seconds', (model, seconds, duration, losses) => {
    expect(made(model, { seconds })).toMatchObject({ tree: { duration }, losses });
  });

  test('takes fields for this provider alone, but none that the request itself sets', () => {
    const extras = { audio: false, duration: 10, model: 'another', promptImage: 'https://x' };
    expect(made('veo3.1', {}, extras)).toEqual({
      tree: { audio: false, model: 'veo3.1', promptText: 'a red boat', ratio: '1280:720', duration: 8 },
      suffix: '/text_to_video',
      losses: ['duration', 'model', 'promptImage'],
    });
  });
});

describe('a video of images', () => {
  test('begins with one', () => {
    expect(made('gen4_turbo', { images: [linked], aspectRatio: '21:9' })).toMatchObject({
      tree: { promptImage: 'https://example.com/a.png', ratio: '1584:672' },
      suffix: '/image_to_video',
      losses: [],
    });
    expect(made('gen4_turbo', { images: [image] }).tree['promptImage']).toBe(imageAddress);
    expect(made('gen4_turbo', { images: [upload] }).losses).toEqual(['images[0]']);
  });

  test('ends with one where the model can', () => {
    expect(made('veo3.1', { images: [linked], lastFrame: image, negativePrompt: 'rain' })).toMatchObject({
      tree: {
        promptImage: [
          { uri: 'https://example.com/a.png', position: 'first' },
          { uri: imageAddress, position: 'last' },
        ],
        negativePrompt: 'rain',
      },
      losses: [],
    });
    expect(made('seedance2', { lastFrame: linked })).toMatchObject({
      tree: { promptImage: [{ uri: 'https://example.com/a.png', position: 'last' }] },
      suffix: '/image_to_video',
    });
    expect(made('gen4.5', { lastFrame: linked })).toMatchObject({ suffix: '/text_to_video', losses: ['last_frame'] });
    expect(made('gen4.5', { images: [linked], lastFrame: linked })).toMatchObject({
      tree: { promptImage: 'https://example.com/a.png' },
      losses: ['last_frame'],
    });
  });

  test('is guided by several where the model can', () => {
    expect(made('seedance2', { images: [linked, image], lastFrame: linked })).toMatchObject({
      tree: { promptImage: [{ uri: 'https://example.com/a.png' }, { uri: imageAddress }] },
      losses: ['images[0]', 'last_frame'],
    });
    expect(made('gen4.5', { images: [linked, image] })).toMatchObject({
      tree: { promptImage: 'https://example.com/a.png' },
      losses: ['images[1]'],
    });
  });
});

describe('a video of a video', () => {
  test('is changed, its length kept', () => {
    expect(made('aleph2', { video: clip, seed: 7, aspectRatio: '9:16' })).toEqual({
      tree: {
        ...{ model: 'aleph2', promptText: 'a red boat', videoUri: 'https://example.com/a.mp4' },
        ...{ targetAspectRatio: '9:16', seed: 7 },
      },
      suffix: '/video_to_video',
      losses: [],
    });
    const options = { video: clip, images: [linked], lastFrame: linked, seconds: 4, width: 1_280, height: 720 };
    expect(made('aleph2', options).losses).toEqual(['images', 'last_frame', 'seconds', 'size']);
    const bytes = { kind: 'bytes', bytes: new Uint8Array([1, 2, 3]), mediaType: 'video/mp4' };
    expect(made('aleph2', { video: bytes }).tree['videoUri']).toBe('data:video/mp4;base64,AQID');
  });

  test('is a reference beside others', () => {
    expect(made('seedance2', { video: clip, images: [linked], seconds: 10, aspectRatio: '1:1' })).toEqual({
      tree: {
        ...{ model: 'seedance2', promptText: 'a red boat', promptVideo: 'https://example.com/a.mp4' },
        ...{ references: [{ uri: 'https://example.com/a.png' }], ratio: '960:960', duration: 10 },
      },
      suffix: '/video_to_video',
      losses: [],
    });
  });
});

describe('a task', () => {
  const ticket = { id: 't-1' };
  const read = (tree: unknown) => runwayVideo.readProgress(replied(tree), ticket, places);

  test('is known by its id', () => {
    expect(runwayVideo.readTicket(replied({ id: 't-1' }))).toEqual(ticket);
    for (const tree of [{}, { id: '' }, null]) expect(() => runwayVideo.readTicket(replied(tree))).toThrow(SyntaxError);
  });

  test('is asked for and stopped at its own place', () => {
    const url = 'https://up.example/v1/tasks/t-1';
    expect(runwayVideo.ask(ticket, places)).toEqual({ method: 'GET', url });
    expect(runwayVideo.cancel?.(ticket, places)).toEqual({ method: 'DELETE', url });
    expect(() => runwayVideo.ask({ id: '..' }, places)).toThrow();
  });

  test('waits and runs', () => {
    expect(read({ status: 'PENDING' })).toEqual({ state: 'queued' });
    expect(read({ status: 'THROTTLED' })).toEqual({ state: 'queued' });
    expect(read({ status: 'RUNNING', progress: 0.426 })).toEqual({ state: 'in_progress', percent: 43 });
    expect(read({ status: 'RUNNING' })).toEqual({ state: 'in_progress' });
  });

  test('succeeds, with what it made or without', () => {
    expect(read({ status: 'SUCCEEDED', output: ['https://cdn.example/a.mp4', ''] })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/a.mp4', needsKey: false }],
      facts: {},
      consumption: { videos: 1 },
    });
    for (const output of [undefined, [], null, 'text']) {
      expect(read({ status: 'SUCCEEDED', output })).toMatchObject({ state: 'completed', videos: [] });
    }
  });

  test('fails, is refused or is stopped', () => {
    const failed = { status: 'FAILED', failure: 'It broke.', failureCode: 'INTERNAL.BAD_OUTPUT.CODE01' };
    expect(read(failed)).toEqual({ state: 'failed', reason: 'failed', message: 'It broke.' });
    const unsafe = { status: 'FAILED', failure: 'No.', failureCode: 'SAFETY.INPUT.TEXT' };
    expect(read(unsafe)).toEqual({ state: 'failed', reason: 'refused', message: 'No.' });
    expect(read({ status: 'FAILED', failureCode: 'ASSET.INVALID' })).toMatchObject({ message: 'ASSET.INVALID' });
    expect(read({ status: 'CANCELLED' })).toMatchObject({ state: 'failed', reason: 'cancelled' });
  });

  test.each([{}, { status: '' }, { status: 'succeeded' }, { status: null }, null, 'text'])('%j is no state', (tree) => {
    expect(() => read(tree)).toThrow(SyntaxError);
  });
});
