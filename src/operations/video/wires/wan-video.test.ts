/** Tasks of two generations of models: each field that is written, each state that is read. */

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
import type { VideoPlaces } from '../../video-wire.ts';
import { wanVideo } from './wan-video.ts';

const places: VideoPlaces = {
  create: 'https://up.example/compatible/v1/../../api/v1/services/aigc/video-generation/video-synthesis',
  base: 'https://up.example/compatible/v1',
};
const clip = { kind: 'url', url: 'https://example.com/a.mp4' } as const;

function made(model: string, options: object, extras = {}) {
  const { value, losses } = wanVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  const tree = jsonOf(value) as { model: string; input: Record<string, unknown>; parameters: Record<string, unknown> };
  return { value, ...tree, lost: lost(losses) };
}

function progress(output: object, usage?: object) {
  return wanVideo.readProgress(replied({ request_id: 'r', output, usage }), { id: 't-1' }, places);
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { value, losses } = wanVideo.writeRequest(
      everyOption,
      toModel('wan2.7-t2v', { hookUrl: 'https://weir.example/h' }),
    );
    expect(jsonOf(value)).toEqual({
      model: 'wan2.7-t2v',
      input: { prompt: 'a red boat', negative_prompt: 'rain' },
      parameters: { resolution: '720P', ratio: '16:9', duration: 8, seed: 7 },
    });
    expect(value.headers).toEqual({ 'x-dashscope-async': 'enable' });
    expect(value.suffix).toBeUndefined();
    expect(lost(losses)).toEqual(['fps', 'n']);
  });

  test('writes nothing that was not requested', () => {
    expect(made('wan2.7-t2v', {})).toMatchObject({ input: { prompt: 'a red boat' }, parameters: {}, lost: [] });
    expect(made('wan2.7-i2v', { prompt: '', images: [linked] }).input).toEqual({
      media: [{ type: 'first_frame', url: linked.url }],
    });
  });

  test.each([
    ['wan2.6-t2v', { width: 1_920, height: 1_080 }, { size: '1920*1080' }, []],
    ['wan2.6-t2v', { aspectRatio: '9:16' }, { size: '1080*1920' }, []],
    ['wan2.2-t2v-plus', { width: 832, height: 480 }, { size: '832*480' }, []],
    ['wan2.2-t2v-plus', { width: 1_280, height: 720 }, { size: '832*480' }, ['size']],
    ['wan2.6-t2v', { width: 1_000, height: 1_000 }, { size: '960*960' }, ['size']],
    ['wan2.6-i2v', { width: 1_280, height: 720 }, { resolution: '720P' }, ['size']],
    ['wan2.5-i2v-preview', { width: 640, height: 360 }, { resolution: '480P' }, ['size']],
    ['wan2.7-i2v', { width: 1_280, height: 720 }, { resolution: '720P' }, ['size']],
    ['wan2.7-t2v', { width: 1_000, height: 1_000 }, { resolution: '1080P', ratio: '1:1' }, ['size']],
    ['wan2.7-r2v', { aspectRatio: '3:4' }, { ratio: '3:4' }, []],
    ['wan3.0-t2v', { aspectRatio: '3:4' }, { ratio: '3:4' }, []],
    ['wan3.0', { aspectRatio: '3:4' }, { ratio: '3:4' }, []],
    ['wan3.0', { aspectRatio: '3:4', images: [linked] }, {}, ['aspect_ratio']],
  ])('%s is asked for the shape of %j', (model, options, parameters, expected) => {
    const { parameters: written, lost } = made(model, options);
    expect(written).toEqual(parameters as Record<string, unknown>);
    expect(lost).toEqual(expected);
  });

  test.each([
    ['wan2.7-t2v', 12, 12, []],
    ['wan2.7-t2v', 3.5, 4, ['seconds']],
    ['wan2.6-t2v', 40, 15, ['seconds']],
    ['wan2.5-t2v-preview', 8, 10, ['seconds']],
    ['wan2.5-t2v-preview', 5, 5, []],
    ['wan2.2-t2v-plus', 5, undefined, []],
    ['wan2.2-t2v-plus', 8, undefined, ['seconds']],
    ['wanx2.1-t2v-turbo', 8, undefined, ['seconds']],
  ])('%s is asked for %d seconds', (model, seconds, duration, expected) => {
    const { parameters, lost } = made(model, { seconds });
    expect(parameters['duration']).toBe(duration);
    expect(lost).toEqual(expected);
  });
});

describe('images and videos', () => {
  test.each([
    ['wan2.7-i2v', { images: [image] }, [['first_frame', imageAddress]], []],
    [
      'wan2.7-i2v',
      { images: [linked], lastFrame: image },
      [
        ['first_frame', linked.url],
        ['last_frame', imageAddress],
      ],
      [],
    ],
    [
      'wan2.7-i2v',
      { images: [linked], video: clip, lastFrame: linked },
      [
        ['first_clip', clip.url],
        ['last_frame', linked.url],
      ],
      ['images[0]'],
    ],
    ['wan2.7-i2v', { images: [linked, image] }, [['first_frame', linked.url]], ['images[1]']],
    [
      'wan2.7-r2v',
      { images: [linked, image], video: clip },
      [
        ['reference_video', clip.url],
        ['reference_image', linked.url],
        ['reference_image', imageAddress],
      ],
      [],
    ],
    [
      'wan2.7-videoedit',
      { images: [linked], video: clip, lastFrame: linked },
      [
        ['video', clip.url],
        ['reference_image', linked.url],
      ],
      ['last_frame'],
    ],
    ['wan2.7-i2v', { images: [upload] }, undefined, ['images[0]']],
    [
      'wan2.7-t2v',
      { images: [linked], video: clip, lastFrame: linked },
      undefined,
      ['images[0]', 'last_frame', 'video'],
    ],
  ])('%s has a list of them', (model, options, media, expected) => {
    const { input, lost } = made(model, options);
    const list = input['media'] as { type: string; url: string }[] | undefined;
    expect(list?.map(({ type, url }) => [type, url])).toEqual(media as string[][] | undefined);
    expect(lost).toEqual(expected);
  });

  test.each([
    [
      'wan2.6-i2v',
      { images: [linked, linked], lastFrame: linked },
      { img_url: linked.url },
      ['images[1]', 'last_frame'],
    ],
    [
      'wan2.2-kf2v-flash',
      { images: [linked], lastFrame: image },
      { first_frame_url: linked.url, last_frame_url: imageAddress },
      [],
    ],
    ['wan2.6-r2v', { images: [linked], video: clip }, { reference_urls: [clip.url, linked.url] }, []],
    ['wan2.6-t2v', { images: [linked], video: clip }, {}, ['images[0]', 'video']],
    ['wan2.6-i2v', { images: [upload] }, {}, ['images[0]']],
  ])('%s has a field for each', (model, options, fields, expected) => {
    const { input, lost } = made(model, options);
    expect(input).toEqual({ prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });
});

describe('a field for this provider alone', () => {
  test('are parameters, or part of the object that it names', () => {
    const { input, parameters, lost } = made(
      'wan2.7-t2v',
      {},
      {
        watermark: true,
        parameters: { prompt_extend: false },
        input: { audio_url: 'https://example.com/a.mp3' },
      },
    );
    expect(parameters).toEqual({ watermark: true, prompt_extend: false });
    expect(input).toEqual({ prompt: 'a red boat', audio_url: 'https://example.com/a.mp3' });
    expect(lost).toEqual([]);
  });

  test('changes neither the model nor what was asked and paid for', () => {
    const { model, input, parameters, lost } = made(
      'wan2.7-t2v',
      { seed: 7 },
      {
        model: 'dearer',
        duration: 15,
        seed: 8,
        resolution: '1080P',
        input: { prompt: 'a blue boat' },
      },
    );
    expect([model, input, parameters]).toEqual([
      'wan2.7-t2v',
      { prompt: 'a red boat' },
      { seed: 7, resolution: '1080P' },
    ]);
    expect(lost).toEqual(['duration', 'model', 'prompt', 'seed']);
  });
});

describe('a task', () => {
  test('is asked for and stopped beside the services', () => {
    const ticket = wanVideo.readTicket(
      replied({ output: { task_id: 't/1', task_status: 'PENDING' }, request_id: 'r' }),
    );
    expect(ticket).toEqual({ id: 't/1' });
    expect(wanVideo.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://up.example/api/v1/tasks/t%2F1' });
    expect(wanVideo.cancel?.(ticket, places)).toEqual({
      method: 'POST',
      url: 'https://up.example/api/v1/tasks/t%2F1/cancel',
    });
  });

  test('that was not accepted has the reason', () => {
    const inspected = { code: 'DataInspectionFailed', message: 'Input data may contain inappropriate content.' };
    expect(() => wanVideo.readTicket(replied(inspected))).toThrow(
      expect.objectContaining({ code: 'upstream_refused', message: expect.stringContaining('inappropriate') }),
    );
    expect(() => wanVideo.readTicket(replied({ code: 'InvalidParameter', message: 'size' }))).toThrow(
      expect.objectContaining({ code: 'upstream_failed' }),
    );
    for (const tree of [{}, { output: {} }, { output: { task_id: '' } }, 'x', undefined, null, []]) {
      expect(() => wanVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test('goes through its states', () => {
    expect(progress({ task_id: 't-1', task_status: 'PENDING' })).toEqual({ state: 'queued' });
    expect(progress({ task_id: 't-1', task_status: 'RUNNING' })).toEqual({ state: 'in_progress' });
    expect(progress({ task_status: 'CANCELED' })).toMatchObject({ state: 'failed', reason: 'cancelled' });
    expect(progress({ task_status: 'FAILED', code: 'InternalError', message: 'The task ran into trouble.' })).toEqual({
      state: 'failed',
      reason: 'failed',
      message: 'The task ran into trouble.',
    });
    expect(
      progress({ task_status: 'FAILED', code: 'DataInspectionFailed', message: 'Output may be inappropriate.' }),
    ).toMatchObject({ reason: 'refused' });
    expect(progress({ task_status: 'FAILED', code: 'InternalError' })).toMatchObject({ message: 'InternalError' });
  });

  test('ends with its video and what it used', () => {
    const usage = { duration: 15, input_video_duration: 5, output_video_duration: 10, video_count: 1, SR: 720 };
    const output = { task_id: 't-1', task_status: 'SUCCEEDED', video_url: 'https://cdn.example/1.mp4?Expires=1' };
    expect(progress(output, { ...usage, size: '1280*720', fps: 30 })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/1.mp4?Expires=1', needsKey: false }],
      facts: { seconds: 10, fps: 30, width: 1_280, height: 720 },
      consumption: { videos: 1, videoSeconds: 15 },
    });
    expect(progress(output, { video_duration: 5, video_ratio: '1280*720', video_count: 1 })).toMatchObject({
      facts: { seconds: 5 },
      consumption: { videos: 1, videoSeconds: 5 },
    });
    expect(progress(output)).toMatchObject({ facts: {}, consumption: { videos: 1 } });
  });

  test('without a URL has no video', () => {
    expect(progress({ task_status: 'SUCCEEDED' }, { duration: 5 })).toMatchObject({ state: 'completed', videos: [] });
    expect(progress({ task_status: 'SUCCEEDED', video_url: '' })).toMatchObject({ videos: [] });
  });

  test('whose state is unknown has none', () => {
    for (const task_status of ['UNKNOWN', 'DREAMING', '', undefined, null, 3]) {
      expect(() => progress({ task_status })).toThrow(SyntaxError);
    }
    for (const tree of [undefined, null, 'x', [], {}, { output: 'x' }]) {
      expect(() => wanVideo.readProgress(replied(tree), { id: 't' }, places)).toThrow(SyntaxError);
    }
  });
});
