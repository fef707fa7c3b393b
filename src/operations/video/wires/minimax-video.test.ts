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
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { minimaxVideo } from './minimax-video.ts';

const hailuo = 'MiniMax-Hailuo-2.3';

function made(model: string, options: object, extras = {}) {
  const { value, losses } = minimaxVideo.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
  return { tree: jsonOf(value) as Record<string, unknown>, losses: lost(losses) };
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    expect(made(hailuo, { ...everyOption, seconds: 6 })).toEqual({
      tree: { model: hailuo, prompt: 'a red boat', duration: 6, resolution: '768P' },
      losses: ['aspect_ratio', 'fps', 'n', 'negative_prompt', 'seed', 'size'],
    });
  });

  test('has only what was requested, and the webhook URL', () => {
    const hookUrl = 'https://weir.example/hook';
    const { value, losses } = minimaxVideo.writeRequest(bare, toModel(hailuo, { hookUrl }));
    expect(jsonOf(value)).toEqual({ model: hailuo, prompt: 'a red boat', callback_url: hookUrl });
    expect(losses).toEqual([]);
    expect(made(hailuo, {}).tree).toEqual({ model: hailuo, prompt: 'a red boat' });
  });

  test.each([
    [hailuo, { seconds: 10 }, { duration: 10 }, []],
    [hailuo, { seconds: 8 }, { duration: 10 }, ['seconds']],
    [hailuo, { seconds: 10, width: 1_920, height: 1_080 }, { duration: 6, resolution: '1080P' }, ['seconds', 'size']],
    ['MiniMax-Hailuo-02', { width: 640, height: 480 }, { resolution: '768P' }, ['size']],
    ['MiniMax-Hailuo-02', { width: 640, height: 480, images: [linked] }, { resolution: '512P' }, ['size']],
    ['T2V-01-Director', { width: 1_920, height: 1_080, seconds: 6 }, { duration: 6, resolution: '720P' }, ['size']],
  ])('%s gets %j', (model, options, expected, losses) => {
    expect(made(model, options)).toMatchObject({ tree: expected, losses });
  });

  test('begins and ends with images', () => {
    expect(made('MiniMax-Hailuo-02', { images: [linked, image], lastFrame: image })).toMatchObject({
      tree: { first_frame_image: 'https://example.com/a.png', last_frame_image: imageAddress },
      losses: ['images[1]'],
    });
    expect(made(hailuo, { images: [image], lastFrame: image })).toEqual({
      tree: { model: hailuo, prompt: 'a red boat', first_frame_image: imageAddress },
      losses: ['last_frame'],
    });
    expect(made(hailuo, { images: [upload] }).losses).toEqual(['images[0]']);
  });

  test('shows a person where the model is for that', () => {
    expect(made('S2V-01', { images: [linked] }).tree).toEqual({
      ...{ model: 'S2V-01', prompt: 'a red boat' },
      subject_reference: [{ type: 'character', image: ['https://example.com/a.png'] }],
    });
  });

  test('takes fields for this provider alone, but none that the request itself sets', () => {
    const extras = { prompt_optimizer: false, callback_url: 'https://elsewhere.example', duration: 10 };
    expect(made(hailuo, {}, extras)).toEqual({
      tree: { prompt_optimizer: false, model: hailuo, prompt: 'a red boat' },
      losses: ['callback_url', 'duration'],
    });
  });
});

const fine = { status_code: 0, status_msg: 'success' };

describe('a ticket', () => {
  test('is the task’s id', () => {
    expect(minimaxVideo.readTicket(replied({ task_id: '106', base_resp: fine }))).toEqual({ task: '106' });
    for (const tree of [{}, { task_id: '', base_resp: fine }, null]) {
      expect(() => minimaxVideo.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test.each([
    [1002, 'upstream_rate_limited'],
    [1004, 'provider_unavailable'],
    [1008, 'provider_unavailable'],
    [2049, 'provider_unavailable'],
    [1026, 'upstream_refused'],
    [2013, 'upstream_refused'],
    [1000, 'upstream_failed'],
    [99, 'upstream_failed'],
  ])('is not given with %d', (code, expected) => {
    const reply = replied({ task_id: '', base_resp: { status_code: code, status_msg: 'because' } });
    try {
      minimaxVideo.readTicket(reply);
      expect.unreachable();
    } catch (error) {
      expect(error instanceof GatewayError ? error.code : error).toBe(expected);
    }
  });
});

describe('a task', () => {
  const ticket = { task: '106' };
  const read = (tree: object | null | string, asked: Record<string, string> = ticket) =>
    minimaxVideo.readProgress(replied(tree), asked, places);

  test('is asked for until it has a file, and then the file is', () => {
    const query = 'https://up.example/v1/query/video_generation?task_id=106';
    expect(minimaxVideo.ask(ticket, places)).toEqual({ method: 'GET', url: query });
    const file = 'https://up.example/v1/files/retrieve?file_id=a%26b';
    expect(minimaxVideo.ask({ ...ticket, file: 'a&b' }, places)).toEqual({ method: 'GET', url: file });
    expect(minimaxVideo.cancel).toBeUndefined();
  });

  test('waits and runs', () => {
    expect(read({ status: 'Preparing', base_resp: fine })).toEqual({ state: 'queued' });
    expect(read({ status: 'Queueing', base_resp: fine })).toEqual({ state: 'queued' });
    expect(read({ status: 'Processing', base_resp: fine })).toEqual({ state: 'in_progress' });
  });

  test('has a file first, whose URL needs another request', () => {
    const done = { status: 'Success', file_id: '205', video_width: 1_366, video_height: 768, base_resp: fine };
    const next = { task: '106', width: '1366', height: '768', file: '205' };
    expect(read(done)).toEqual({ state: 'in_progress', ticket: next, askNow: true });
    const file = { file_id: 205, filename: 'a.mp4', download_url: 'https://cdn.example/a.mp4' };
    expect(read({ file, base_resp: fine }, next)).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/a.mp4', needsKey: false }],
      facts: { width: 1_366, height: 768 },
      consumption: { videos: 1 },
    });
    expect(read({ ...done, file_id: 205 })).toMatchObject({ ticket: { file: '205' } });
  });

  test('is completed without a video where no file or no URL is named', () => {
    const nothing = { state: 'completed', videos: [], facts: {}, consumption: { videos: 0 } };
    expect(read({ status: 'Success', file_id: '', base_resp: fine })).toEqual(nothing as never);
    const asked = { ...ticket, file: '205' };
    expect(read({ file: { download_url: '' }, base_resp: fine }, asked)).toEqual(nothing as never);
    expect(() => read({ base_resp: fine }, asked)).toThrow(SyntaxError);
  });

  test('fails, or is refused', () => {
    const failed = { status: 'Fail', base_resp: { status_code: 1000, status_msg: 'It broke.' } };
    expect(read(failed)).toEqual({ state: 'failed', reason: 'failed', message: 'It broke.' });
    const refused = { status: 'Fail', base_resp: { status_code: 1027, status_msg: 'No.' } };
    expect(read(refused)).toEqual({ state: 'failed', reason: 'refused', message: 'No.' });
    expect(read({ base_resp: { status_code: 1026, status_msg: 'No.' } })).toMatchObject({ reason: 'refused' });
    const silent = read({ status: 'Fail', base_resp: fine });
    expect(silent).toEqual({ state: 'failed', reason: 'failed', message: 'The provider gave no reason.' });
  });

  test.each([1002, 1004, 2013])('is as it was where the question got a %d', (code) => {
    expect(() => read({ status: '', base_resp: { status_code: code, status_msg: 'no' } })).toThrow(SyntaxError);
  });

  test.each([
    {},
    { status: '' },
    { status: 'success' },
    { status: null, base_resp: fine },
    null,
    'text',
  ])('%j is no state', (tree) => {
    expect(() => read(tree)).toThrow(SyntaxError);
  });
});
