/** Words and images at two places: each field that is written, each state that is read. */

import { describe, expect, test } from 'bun:test';
import {
  bare,
  everyOption,
  image,
  imageBase64,
  jsonOf,
  linked,
  lost,
  places,
  replied,
  toModel,
  upload,
} from '../../../../test/harness/video-samples.ts';
import { klingVideo } from './kling-video.ts';

const model = 'kling-v2-6';

function made(options: object, extras = {}, named = model) {
  const { value, losses } = klingVideo.writeRequest({ ...bare, ...options }, toModel(named, { extras }));
  return { tree: jsonOf(value), suffix: value.suffix, lost: lost(losses) };
}

function progress(data: unknown, code: unknown = 0) {
  const tree = { code, message: code === 0 ? 'SUCCEED' : 'no', request_id: 'r', data };
  return klingVideo.readProgress(replied(tree), { id: 't-1', kind: 'text2video' }, places);
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const writing = toModel('kling-v3', { hookUrl: 'https://weir.example/h' });
    const { value, losses } = klingVideo.writeRequest(everyOption, writing);
    expect(jsonOf(value)).toEqual({
      model_name: 'kling-v3',
      prompt: 'a red boat',
      negative_prompt: 'rain',
      mode: 'std',
      aspect_ratio: '16:9',
      duration: '8',
      callback_url: 'https://weir.example/h',
    });
    expect(value.suffix).toBe('/videos/text2video');
    expect(lost(losses)).toEqual(['fps', 'n', 'seed']);
  });

  test('writes nothing that was not requested', () => {
    expect(made({})).toEqual({
      tree: { model_name: model, prompt: 'a red boat' },
      suffix: '/videos/text2video',
      lost: [],
    });
  });

  test.each([
    [{ width: 1_920, height: 1_080 }, { mode: 'pro', aspect_ratio: '16:9' }, []],
    [{ width: 720, height: 1_280 }, { mode: 'std', aspect_ratio: '9:16' }, []],
    [{ aspectRatio: '1:1' }, { aspect_ratio: '1:1' }, []],
    [{ aspectRatio: '4:3' }, { aspect_ratio: '1:1' }, ['aspect_ratio']],
    [{ seconds: 5 }, { duration: '5' }, []],
    [{ seconds: 8 }, { duration: '10' }, ['seconds']],
  ])('says %j as it can', (options, fields, expected) => {
    const { tree, lost } = made(options);
    expect(tree).toEqual({ model_name: model, prompt: 'a red boat', ...fields });
    expect(lost).toEqual(expected);
  });

  test.each([
    ['kling-v3', 20, '15', ['seconds']],
    ['kling-v3-omni', 3, '3', []],
    ['kling-v4', 20, '20', []],
    ['kling-v2-1-master', 20, '10', ['seconds']],
  ])('%s is asked for %d seconds', (named, seconds, duration, expected) => {
    const { tree, lost } = made({ seconds }, {}, named);
    expect(tree).toMatchObject({ duration });
    expect(lost).toEqual(expected);
  });
});

describe('images', () => {
  test('have a field of their own, as URLs or bare base64', () => {
    expect(made({ images: [linked], lastFrame: image })).toEqual({
      tree: { model_name: model, prompt: 'a red boat', image: linked.url, image_tail: imageBase64 },
      suffix: '/videos/image2video',
      lost: [],
    });
    expect(made({ prompt: '', lastFrame: linked })).toMatchObject({
      tree: { model_name: model, image_tail: linked.url },
      suffix: '/videos/image2video',
    });
  });

  test('give the video its shape', () => {
    const { tree, lost } = made({ images: [linked], width: 1_920, height: 1_080 });
    expect(tree).toEqual({ model_name: model, prompt: 'a red boat', image: linked.url, mode: 'pro' });
    expect(lost).toEqual(['size']);
    expect(made({ images: [linked], aspectRatio: '16:9' }).lost).toEqual(['aspect_ratio']);
  });

  test('beyond the first are reported, like uploads and videos', () => {
    expect(made({ images: [linked, linked, linked] }).lost).toEqual(['images[1]', 'images[2]']);
    expect(made({ images: [upload] }).lost).toEqual(['images[0]']);
    expect(made({ video: linked }).lost).toEqual(['video']);
    expect(klingVideo.takes.video).toBe(false);
  });
});

describe('a field for this provider alone', () => {
  test('is sent beside everything else', () => {
    const extras = { cfg_scale: 0.7, mode: 'pro', camera_control: { type: 'simple' }, sound: 'on' };
    expect(made({}, extras)).toMatchObject({ tree: extras, lost: [] });
  });

  test('changes neither the model nor what was asked and paid for', () => {
    const extras = { model_name: 'dearer', duration: '10', callback_url: 'https://x.example', image: 'x', mode: 'pro' };
    const { tree, lost } = made({ width: 1_280, height: 720 }, extras);
    expect(tree).toEqual({ model_name: model, prompt: 'a red boat', mode: 'std', aspect_ratio: '16:9' });
    expect(lost).toEqual(['callback_url', 'duration', 'image', 'mode', 'model_name']);
  });
});

describe('a task', () => {
  const taken = { code: 0, message: 'SUCCEED', data: { task_id: '7/1', task_status: 'submitted' } };

  test.each([
    ['https://up.example/v1/videos/text2video', 'text2video'],
    ['https://up.example/v1/videos/image2video', 'image2video'],
    [undefined, 'text2video'],
  ])('made at %s is asked for there', (address, kind) => {
    const reply = address === undefined ? replied(taken) : { ...replied(taken), address };
    const ticket = klingVideo.readTicket(reply);
    expect(ticket).toEqual({ id: '7/1', kind });
    expect(klingVideo.ask(ticket, places)).toEqual({
      method: 'GET',
      url: `https://up.example/v1/videos/${kind}/7%2F1`,
    });
  });

  test('is never asked for anywhere else, and cannot be stopped', () => {
    expect(klingVideo.ask({ id: '1', kind: '../../account' }, places).url).toBe(
      'https://up.example/v1/videos/text2video/1',
    );
    expect(klingVideo.cancel).toBeUndefined();
  });

  test('that was not accepted has the reason', () => {
    const risky = { code: 1301, message: 'Trigger strategy of the platform' };
    expect(() => klingVideo.readTicket(replied(risky))).toThrow(
      expect.objectContaining({ code: 'upstream_refused', message: expect.stringContaining('Trigger strategy') }),
    );
    expect(() => klingVideo.readTicket(replied({ code: 5000, message: 'Busy' }))).toThrow(
      expect.objectContaining({ code: 'upstream_failed' }),
    );
    for (const tree of [{}, { code: 0 }, { code: 0, data: { task_id: '' } }, [], undefined]) {
      expect(() => klingVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test('goes through its states', () => {
    expect(progress({ task_status: 'submitted' })).toEqual({ state: 'queued' });
    expect(progress({ task_status: 'processing' })).toEqual({ state: 'in_progress' });
    expect(progress({ task_status: 'failed', task_status_msg: 'Out of memory' })).toEqual({
      state: 'failed',
      reason: 'failed',
      message: 'Out of memory',
    });
    const words = 'Failure to pass the risk control system';
    expect(progress({ task_status: 'failed', task_status_msg: words })).toMatchObject({ reason: 'refused' });
    expect(progress({ task_status: 'failed' })).toMatchObject({ reason: 'failed' });
  });

  test('ends with its videos; what was ordered is what is paid', () => {
    const videos = [{ id: 'v', url: 'https://cdn.example/1.mp4', duration: '5.041' }];
    expect(progress({ task_status: 'succeed', task_result: { videos } })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/1.mp4', needsKey: false }],
      facts: { seconds: 5.041 },
      consumption: { videos: 1, videoSeconds: 5 },
    });
    expect(
      progress({ task_status: 'succeed', task_result: { videos: [{ url: 'https://c.example/1' }] } }),
    ).toMatchObject({ facts: {}, consumption: { videos: 1 } });
  });

  test('without a URL has no video', () => {
    for (const task_result of [undefined, {}, { videos: [] }, { videos: [{ id: 'v', url: '' }] }, { videos: [null] }]) {
      expect(progress({ task_status: 'succeed', task_result })).toMatchObject({ state: 'completed', videos: [] });
    }
  });

  test('whose state is unknown has none', () => {
    for (const task_status of ['succeeded', '', undefined, null, 3]) {
      expect(() => progress({ task_status })).toThrow(SyntaxError);
    }
    expect(() => progress({ task_status: 'succeed' }, 1_303)).toThrow(SyntaxError);
    for (const tree of [undefined, null, 'x', [], {}]) {
      expect(() => klingVideo.readProgress(replied(tree), { id: 't' }, places)).toThrow(SyntaxError);
    }
  });
});
