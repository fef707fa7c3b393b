import { describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { queued } from '../../../test/harness/video-order-samples.ts';
import type { Task } from '../../tasks/task.ts';
import { callbackEvent } from './callback-event.ts';
import { formatOf, type ShownTask, type TaskShowing, taskObject } from './task-object.ts';
import { deletedVideo, videoList, videoObject } from './video-object.ts';

const showing: TaskShowing = { urlOf: ({ id }, index) => `https://weir.example/${id}/${index}` };
const mp4 = { mediaType: 'video/mp4' };
const completed: ShownTask = {
  ...queued,
  state: 'completed',
  percent: 97,
  results: [mp4],
  endedAtMs: 1_770_000_060_500,
  expiresAtMs: 1_770_086_460_500,
};
const failed: ShownTask = { ...queued, state: 'failed', error: { code: 422, message: 'refused' }, endedAtMs: 1 };
const facts = { seconds: 5.04, fps: 24, width: 1280, height: 720, seed: 7 };

describe("the specification's object", () => {
  const table: readonly (readonly [string, ShownTask, object])[] = [
    ['queued', queued, { task_id: 'task_1', status: 'queued' }],
    [
      'queued with requested options',
      { ...queued, requested: { count: 1, seconds: 5, seed: 0, size: '1x1', metadata: { a: 'b' } } },
      { task_id: 'task_1', status: 'queued', metadata: { duration: 5, seed: 0 } },
    ],
    ['in progress', { ...queued, state: 'in_progress', percent: 40 }, { task_id: 'task_1', status: 'in_progress' }],
    [
      'completed',
      { ...completed, facts },
      {
        task_id: 'task_1',
        status: 'completed',
        url: 'https://weir.example/task_1/0',
        format: 'mp4',
        metadata: { duration: 5.04, fps: 24, width: 1280, height: 720, seed: 7 },
      },
    ],
    [
      'completed, where the provider said little',
      { ...completed, facts: { fps: 29.97, width: Number.NaN }, requested: { count: 1, seconds: 5, fps: 24 } },
      {
        task_id: 'task_1',
        status: 'completed',
        url: 'https://weir.example/task_1/0',
        format: 'mp4',
        metadata: { duration: 5, fps: 30 },
      },
    ],
    [
      'completed, several',
      { ...completed, results: [{ mediaType: 'video/webm' }, mp4] },
      {
        task_id: 'task_1',
        status: 'completed',
        url: 'https://weir.example/task_1/0',
        urls: ['https://weir.example/task_1/0', 'https://weir.example/task_1/1'],
        format: 'webm',
      },
    ],
    ['completed and expired', { ...completed, results: [] }, { task_id: 'task_1', status: 'completed' }],
    ['failed', failed, { task_id: 'task_1', status: 'failed', error: { code: 422, message: 'refused' } }],
    [
      'failed without a reason, and with a result',
      { ...failed, error: undefined, results: [mp4] },
      { task_id: 'task_1', status: 'failed', error: { code: 500, message: 'The video could not be made.' } },
    ],
    [
      'an error that is not its end',
      { ...queued, error: { code: 1, message: 'm' } },
      { task_id: 'task_1', status: 'queued' },
    ],
  ];
  test.each(table)('%s', (_, task, expected) => {
    const written: unknown = JSON.parse(JSON.stringify(taskObject(task, showing)));
    expect(written).toEqual(expected);
    expect(JSON.stringify(written)).not.toContain('null');
  });

  test.each([
    ['video/mp4', 'mp4'],
    ['Video/WebM; codecs="vp9"', 'webm'],
    ['video/quicktime', 'mov'],
    ['application/octet-stream', 'mp4'],
    ['constructor', 'mp4'],
  ])('%s is %s', (mediaType, format) => {
    expect(formatOf(mediaType)).toBe(format);
  });

  test('the record of a task is shown as it is, and nothing of it that is not for its caller', () => {
    const record: Task = {
      ...completed,
      tokenId: 'secret-token',
      requestId: 'secret-request',
      attemptId: 'secret-attempt',
      guessed: false,
      provider: 'secret-provider',
      keyId: 'secret-key',
      upstreamModel: 'secret-model',
      ticket: { id: 'secret-ticket' },
      results: [{ kind: 'at-provider', url: 'https://secret.example', needsKey: true, mediaType: 'video/mp4' }],
      terms: { endpoint: 'video', bytesIn: 1, attempts: 1, priceVersion: '1', most: { videos: 1 } },
      deadlineAtMs: 1,
      deletedAtMs: undefined,
      callbackUrl: 'https://secret.example',
      asked: 1,
      faults: 0,
      version: 1,
    };
    const shown = taskObject(record, showing);
    expect(Object.keys(shown)).toEqual(['task_id', 'status', 'url', 'format']);
    expect(JSON.stringify([shown, videoObject(record)])).not.toContain('secret');
  });
});

describe("the official library's object", () => {
  const usual = {
    id: 'task_1',
    object: 'video',
    model: 'sandbox-video',
    status: 'queued',
    progress: 0,
    created_at: 1_770_000_000,
    completed_at: null,
    expires_at: null,
    size: '720x1280',
    seconds: '5',
    error: null,
    prompt: null,
    remixed_from_video_id: null,
  } as const;
  const table: readonly (readonly [string, ShownTask, object])[] = [
    ['queued', queued, {}],
    ['in progress', { ...queued, state: 'in_progress', percent: 40.4 }, { status: 'in_progress', progress: 40 }],
    [
      'completed',
      { ...completed, facts },
      {
        status: 'completed',
        progress: 100,
        completed_at: 1_770_000_060,
        expires_at: 1_770_086_460,
        size: '1280x720',
        seconds: '5.04',
      },
    ],
    ['failed', failed, { status: 'failed', error: { code: '422', message: 'refused' } }],
    [
      'of a requested size',
      { ...queued, requested: { count: 1, size: '640x480', seconds: 8 } },
      { size: '640x480', seconds: '8' },
    ],
    ['of an odd size', { ...queued, requested: { count: 1, size: 'auto' } }, { size: '720x1280' }],
    [
      'several, of the length that the provider makes',
      { ...queued, requested: { count: 2 }, terms: { most: { videoSeconds: 12 } } },
      { seconds: '6' },
    ],
    ['of no known length', { ...queued, terms: { most: {} } }, { seconds: '4' }],
  ];
  test.each(table)('%s', (_, task, changed) => {
    const shown = videoObject(task);
    expect(shown).toEqual({ ...usual, ...changed } as typeof shown);
    // Every field but the size, which the library types as four sizes only, is what the library promises.
    const promised: Omit<OpenAI.Video, 'size'> = shown;
    expect(promised.object).toBe('video');
  });

  test('pages and deletions', () => {
    const second = { ...queued, id: 'task_2' };
    expect(videoList([queued, second], true)).toMatchObject({
      object: 'list',
      data: [{ id: 'task_1' }, { id: 'task_2' }],
      first_id: 'task_1',
      last_id: 'task_2',
      has_more: true,
    });
    expect(videoList([], false)).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
    const deleted: OpenAI.VideoDeleteResponse = deletedVideo('task_1');
    expect(deleted).toEqual({ id: 'task_1', object: 'video.deleted', deleted: true });
  });
});

describe('the callback event', () => {
  const making = { ...showing, nowMs: 1_770_000_061_900, newId: (prefix: string) => `${prefix}9` };

  test('of a completed task, with the notes of the caller', () => {
    const task: ShownTask = { ...completed, requested: { count: 1, metadata: { order: '7' } } };
    expect(callbackEvent(task, making)).toEqual({
      id: 'evt_9',
      object: 'event',
      type: 'video.completed',
      created_at: 1_770_000_061,
      data: {
        id: 'task_1',
        task_id: 'task_1',
        status: 'completed',
        url: 'https://weir.example/task_1/0',
        format: 'mp4',
      },
      metadata: { order: '7' },
    });
  });

  test('of a failed one', () => {
    const event = callbackEvent(failed, making);
    expect(event.type).toBe('video.failed');
    expect(event.data).toMatchObject({ id: 'task_1', status: 'failed', error: { code: 422, message: 'refused' } });
    expect(event).not.toHaveProperty('metadata');
  });
});
