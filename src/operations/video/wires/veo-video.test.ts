import { describe, expect, test } from 'bun:test';
import {
  bare,
  everyOption,
  image,
  imageBase64,
  jsonOf,
  linked,
  lost,
  replied,
  toModel,
} from '../../../../test/harness/video-samples.ts';
import { veoVideo } from './veo-video.ts';

const veo = 'veo-3.1-generate-preview';
const inline = { bytesBase64Encoded: imageBase64, mimeType: 'image/png' };
const host = 'https://media.example/v1beta';
const places = { create: `${host}/models/${veo}:predictLongRunning`, base: host };

function made(model: string, options: object, extras = {}) {
  const { value, losses } = veoVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  const tree = jsonOf(value) as { instances: [Record<string, unknown>]; parameters: Record<string, unknown> };
  return { instance: tree.instances[0], parameters: tree.parameters, losses: lost(losses), tree };
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { tree, losses } = made(veo, everyOption);
    expect(tree).toEqual({
      instances: [{ prompt: 'a red boat' }],
      parameters: {
        ...{ sampleCount: 2, durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
        ...{ seed: 7, negativePrompt: 'rain' },
      },
    });
    expect(losses).toEqual(['fps']);
  });

  test('has only what was requested, in every part', () => {
    const { value, losses } = veoVideo.writeRequest(bare, toModel(veo, { hookUrl: 'https://weir.example/hook' }));
    expect(jsonOf(value)).toEqual({ instances: [{ prompt: 'a red boat' }], parameters: {} });
    expect(losses).toEqual([]);
  });

  test.each([
    [veo, { width: 1_080, height: 1_920 }, { aspectRatio: '9:16', resolution: '1080p' }, []],
    [veo, { width: 3_840, height: 2_160 }, { aspectRatio: '16:9', resolution: '4k' }, []],
    ['veo-3.0-generate-001', { width: 3_840, height: 2_160 }, { aspectRatio: '16:9', resolution: '1080p' }, ['size']],
    ['veo-2.0-generate-001', { width: 1_280, height: 720 }, { aspectRatio: '16:9' }, ['size']],
    [veo, { width: 1_000, height: 1_000 }, { aspectRatio: '9:16', resolution: '1080p' }, ['size']],
    [veo, { aspectRatio: '1:1' }, { aspectRatio: '9:16' }, ['aspect_ratio']],
    [veo, { seconds: 5 }, { durationSeconds: 6 }, ['seconds']],
    ['veo-2.0-generate-001', { seconds: 5 }, { durationSeconds: 5 }, []],
    [veo, { count: 9 }, { sampleCount: 4 }, ['n']],
  ])('%s gets %j', (model, options, expected, losses) => {
    expect(made(model, options)).toMatchObject({ parameters: expected, losses });
    expect(Object.keys(made(model, options).parameters).toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  test('begins and ends with images', () => {
    expect(made(veo, { images: [image], lastFrame: image })).toMatchObject({
      instance: { prompt: 'a red boat', image: inline, lastFrame: inline },
      losses: [],
    });
    expect(made(veo, { images: [linked] })).toMatchObject({
      instance: { prompt: 'a red boat' },
      losses: ['images[0]'],
    });
  });

  test('is guided by several images, which then neither begin nor end it', () => {
    const { instance, losses } = made(veo, { images: [image, image], lastFrame: image });
    const guide = { image: inline, referenceType: 'asset' };
    expect(instance).toEqual({ prompt: 'a red boat', referenceImages: [guide, guide] });
    expect(losses).toEqual(['images[0]', 'last_frame']);
  });

  test('takes fields for this provider alone, but none that costs or leads elsewhere', () => {
    const extras = { personGeneration: 'allow_adult', sampleCount: 4, durationSeconds: 8, storageUri: 'gs://mine' };
    expect(made(veo, {}, extras)).toMatchObject({
      parameters: { personGeneration: 'allow_adult' },
      losses: ['durationSeconds', 'sampleCount', 'storageUri'],
    });
    expect(made(veo, {}, extras).parameters).not.toHaveProperty('storageUri');
  });
});

describe('an operation', () => {
  const name = `models/${veo}/operations/abc123`;
  const ofProject = `projects/p/locations/us-central1/publishers/google/models/${veo}/operations/1-2`;
  const read = (tree: unknown) => veoVideo.readProgress(replied(tree), { operation: name }, places);
  const done = (response: unknown) => read({ name, done: true, response });

  test('is known by its name', () => {
    expect(veoVideo.readTicket(replied({ name }))).toEqual({ operation: name });
    for (const bad of [{}, { name: '' }, { name: '../secret' }, { name: 'a//b' }, { name: 'a?b' }, []]) {
      expect(() => veoVideo.readTicket(replied(bad))).toThrow(SyntaxError);
    }
  });

  test('is asked for at its name, one of a project at its model', () => {
    expect(veoVideo.ask({ operation: name }, places)).toEqual({ method: 'GET', url: `${host}/${name}` });
    expect(veoVideo.ask({ operation: ofProject }, places)).toEqual({
      method: 'POST',
      url: `${host}/models/${veo}:fetchPredictOperation`,
      body: { operationName: ofProject },
    });
    expect(veoVideo.cancel).toBeUndefined();
  });

  test('runs until it is done', () => {
    expect(read({ name })).toEqual({ state: 'in_progress' });
    expect(read({ name, done: false, metadata: {} })).toEqual({ state: 'in_progress' });
  });

  test('has samples that need the key on the provider’s own host, and there alone', () => {
    const own = `${host}/files/f1:download?alt=media`;
    const samples = [{ video: { uri: own } }, { video: { uri: 'https://elsewhere.example/f.mp4' } }];
    expect(done({ generateVideoResponse: { generatedSamples: samples } })).toEqual({
      state: 'completed',
      videos: [
        { kind: 'url', url: own, needsKey: true },
        { kind: 'url', url: 'https://elsewhere.example/f.mp4', needsKey: false },
      ],
      facts: {},
      consumption: { videos: 2 },
    });
  });

  test('has videos as bytes or in a bucket', () => {
    const videos = [
      { bytesBase64Encoded: 'AAAA', mimeType: 'video/webm' },
      { gcsUri: 'gs://bucket/a/b.mp4', mimeType: 'video/mp4' },
    ];
    expect(done({ raiMediaFilteredCount: 0, videos })).toMatchObject({
      videos: [
        { kind: 'base64', data: 'AAAA', mediaType: 'video/webm' },
        { kind: 'url', url: 'https://storage.googleapis.com/bucket/a/b.mp4', needsKey: false },
      ],
      consumption: { videos: 2 },
    });
    const encoded = { generatedSamples: [{ video: { encodedVideo: 'AAAA', encoding: 'video/mp4' } }] };
    expect(done({ generateVideoResponse: encoded })).toMatchObject({
      videos: [{ kind: 'base64', data: 'AAAA', mediaType: 'video/mp4' }],
    });
  });

  test('is refused where everything was filtered, and completed where something was not', () => {
    const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['It shows a person.'] };
    const expected = { state: 'failed', reason: 'refused', message: 'It shows a person.' };
    expect(done({ generateVideoResponse: filtered })).toEqual(expected as never);
    expect(done({ ...filtered, videos: [] })).toEqual(expected as never);
    expect(done({ raiMediaFilteredCount: 1 })).toMatchObject({ reason: 'refused' });
    expect(done({ ...filtered, videos: [{ gcsUri: 'gs://b/o' }] })).toMatchObject({ state: 'completed' });
  });

  test('is completed without a video where it names none', () => {
    for (const empty of [{}, { generateVideoResponse: {} }, { videos: [{}] }, { videos: 'no' }]) {
      expect(done(empty)).toEqual({ state: 'completed', videos: [], facts: {}, consumption: { videos: 0 } });
    }
  });

  test('fails, is refused or is stopped', () => {
    const failed = (code: number, message: string) => read({ name, done: true, error: { code, message } });
    expect(failed(13, 'Internal.')).toEqual({ state: 'failed', reason: 'failed', message: 'Internal.' });
    expect(failed(3, 'It violates the usage guidelines.')).toMatchObject({ reason: 'refused' });
    expect(failed(1, 'Stopped.')).toMatchObject({ reason: 'cancelled' });
  });

  test.each([
    {},
    { done: '' },
    { done: 'yes', name },
    { done: false },
    { name, done: true },
    null,
    'text',
  ])('%j is no state', (tree) => {
    expect(() => read(tree)).toThrow(SyntaxError);
  });
});
