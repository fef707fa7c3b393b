/** Weir's own video wire: every field out, every state in. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import type { GivenMedium, MakeVideoRequest } from '../../video.ts';
import type { WireReply } from '../../wire.ts';
import { generationsVideo } from './generations-video.ts';

const create = 'https://weir.example/v1/video/generations';
const places = { create, base: 'https://weir.example/v1' };
const ticket = { id: 'task/1' };
const bare: MakeVideoRequest = { model: 'm', prompt: 'a boat', images: [], count: 1, extras: {} };
const inMemory: GivenMedium = { kind: 'bytes', bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png' };

function reply(tree: unknown): WireReply {
  return { contentType: 'application/json', tree, bytes: new Uint8Array() };
}

function written(request: Partial<MakeVideoRequest>, extras = {}, hookUrl?: string) {
  const writing = { model: 'upstream-model', extras, ...(hookUrl !== undefined && { hookUrl }) };
  const { value, losses } = generationsVideo.writeRequest({ ...bare, ...request }, writing);
  if (value.body.kind !== 'json') throw new Error('not JSON');
  return { tree: value.body.tree, losses };
}

const progress = (tree: unknown) => generationsVideo.readProgress(reply(tree), ticket, places);

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the request', () => {
  test('a minimal one has model, prompt and the length that was paid for', () => {
    expect(written({})).toEqual({
      tree: { model: 'upstream-model', prompt: 'a boat', duration: generationsVideo.secondsByDefault },
      losses: [],
    });
  });

  test('everything that can be asked for', () => {
    const { tree, losses } = written(
      {
        images: [{ kind: 'url', url: 'https://images.example/a.png' }, inMemory],
        lastFrame: inMemory,
        video: { kind: 'url', url: 'https://images.example/a.mp4' },
        seconds: 2.5,
        width: 1280,
        height: 720,
        aspectRatio: '16:9',
        fps: 30,
        seed: 0,
        count: 2,
        negativePrompt: 'rain',
      },
      { style: 'calm' },
      'https://front.example/hook',
    );
    expect(losses).toEqual([]);
    expect(tree).toEqual({
      style: 'calm',
      model: 'upstream-model',
      prompt: 'a boat',
      images: ['https://images.example/a.png', 'data:image/png;base64,AQID'],
      last_frame: 'data:image/png;base64,AQID',
      video: 'https://images.example/a.mp4',
      duration: 2.5,
      width: 1280,
      height: 720,
      aspect_ratio: '16:9',
      fps: 30,
      seed: 0,
      n: 2,
      negative_prompt: 'rain',
      callback_url: 'https://front.example/hook',
    });
  });

  test('one image is no list', () => {
    const { tree } = written({ images: [inMemory] });
    expect(tree['image']).toBe('data:image/png;base64,AQID');
    expect(tree).not.toHaveProperty('images');
  });

  test('a video that is changed keeps its own length', () => {
    expect(written({ video: inMemory }).tree).not.toHaveProperty('duration');
  });

  test('extras never override a field of the request', () => {
    const { tree, losses } = written({ seconds: 2 }, { duration: 600, seconds: 600, model: 'dear', callback_url: 'x' });
    expect(tree).toEqual({ model: 'upstream-model', prompt: 'a boat', duration: 2 });
    expect(losses.map(({ what }) => what)).toEqual(['duration', 'seconds', 'model', 'callback_url']);
  });

  test('an upload that was not read is a loss, not an empty field', () => {
    const file = { field: 'image', filename: 'a.png', mediaType: 'image/png', bytes: 3, open: async function* () {} };
    const { tree, losses } = written({ images: [{ kind: 'file', file }], lastFrame: { kind: 'file', file } });
    expect(tree).not.toHaveProperty('image');
    expect(tree).not.toHaveProperty('last_frame');
    expect(losses.map(({ what }) => what)).toEqual(['images[0]', 'last_frame']);
  });
});

describe('the ticket', () => {
  test('is the id of the task, however long the sandbox makes it', () => {
    const id = `sandbox_${'x'.repeat(8_000)}`;
    expect(generationsVideo.readTicket(reply({ task_id: id, status: 'queued' }))).toEqual({ id });
  });

  test.each([
    [{}],
    [{ task_id: '' }],
    [{ task_id: 7 }],
    [{ task_id: 'x'.repeat(8_193) }],
    ['text'],
    [null],
  ])('no ticket in %p', (tree) => {
    expect(() => generationsVideo.readTicket(reply(tree))).toThrow(SyntaxError);
  });

  test.each([
    [{ task_id: 'a', status: 'failed', error: { code: 1002, message: 'not this' } }, 'upstream_refused', 'not this'],
    [{ task_id: 'a', status: 'failed', error: { code: 1001, message: 'broken' } }, 'upstream_failed', 'broken'],
    [{ error: { message: 'no such model' } }, 'upstream_failed', 'no such model'],
    [{ task_id: 'a', status: 'failed' }, 'upstream_failed', 'gave no reason'],
  ])('%p was not taken', (tree, code, words) => {
    const error = thrownBy(() => generationsVideo.readTicket(reply(tree)));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

describe('questions', () => {
  test('are asked below the place where tasks are made', () => {
    expect(generationsVideo.ask(ticket, places)).toEqual({ method: 'GET', url: `${create}/task%2F1` });
    expect(generationsVideo.cancel?.(ticket, places)).toEqual({ method: 'DELETE', url: `${create}/task%2F1` });
  });

  test('keep the query of that place', () => {
    const withQuery = { ...places, create: `${create}?tenant=a` };
    expect(generationsVideo.ask(ticket, withQuery).url).toBe(`${create}/task%2F1?tenant=a`);
  });
});

describe('progress', () => {
  test.each([
    [{ status: 'queued' }, { state: 'queued' }],
    [
      { status: 'queued', progress: 0 },
      { state: 'queued', percent: 0 },
    ],
    [
      { status: 'in_progress', progress: 41.6 },
      { state: 'in_progress', percent: 42 },
    ],
    [
      { status: 'in_progress', progress: 900 },
      { state: 'in_progress', percent: 100 },
    ],
    [{ status: 'in_progress', progress: 'soon' }, { state: 'in_progress' }],
  ] as const)('%p', (tree, expected) => {
    expect(progress({ task_id: 'task/1', ...tree })).toEqual(expected);
  });

  test('a finished video on the same host is fetched with the key', () => {
    const metadata = { duration: 4, fps: 24, width: 640, height: 360, seed: 0 };
    const url = 'https://weir.example/results/abc?signature=x';
    expect(progress({ task_id: 'task/1', status: 'completed', url, format: 'mp4', metadata })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: `${create}/task%2F1/content`, needsKey: true }],
      facts: { seconds: 4, fps: 24, width: 640, height: 360, seed: 0 },
      consumption: { videos: 1, videoSeconds: 4 },
    });
  });

  test.each([
    [undefined],
    ['/results/abc'],
    ['file:///etc/passwd'],
    [7],
    ['sandbox://other/x'],
  ])('an address that leads nowhere else (%p) means the place of the task', (url) => {
    expect(progress({ status: 'completed', url })).toMatchObject({
      videos: [{ kind: 'url', url: `${create}/task%2F1/content`, needsKey: true }],
      facts: {},
      consumption: { videos: 1 },
    });
  });

  test('a finished video on another host is fetched without the key', () => {
    const url = 'https://bucket.example/abc.mp4';
    expect(progress({ status: 'completed', url })).toMatchObject({ videos: [{ kind: 'url', url, needsKey: false }] });
    const otherPort = 'https://weir.example:8443/abc.mp4';
    expect(progress({ status: 'completed', url: otherPort })).toMatchObject({
      videos: [{ url: otherPort, needsKey: false }],
    });
  });

  test('a finished video inside the reply', () => {
    expect(progress({ status: 'completed', url: 'data:video/MP4;base64,AAAA' })).toMatchObject({
      videos: [{ kind: 'base64', data: 'AAAA', mediaType: 'video/mp4' }],
    });
  });

  test('nonsense in the metadata is nothing known', () => {
    const metadata = { duration: -1, fps: 'fast', width: 0, height: null, seed: 1.5 };
    expect(progress({ status: 'completed', metadata })).toMatchObject({ facts: {}, consumption: { videos: 1 } });
  });

  test.each([
    [{ code: 1001, message: 'broken' }, 'failed', 'broken'],
    [{ code: 1002, message: 'not this' }, 'refused', 'not this'],
    [{ code: 1003, message: 'stopped' }, 'cancelled', 'stopped'],
    [{ code: 1102, message: 'lost on the way' }, 'failed', 'lost on the way'],
    [undefined, 'failed', 'The provider gave no reason.'],
  ] as const)('a failure %p', (error, reason, message) => {
    expect(progress({ status: 'failed', error })).toEqual({ state: 'failed', reason, message });
  });

  test.each([
    [{}],
    [{ status: '' }],
    [{ status: 'done' }],
    [{ status: 7 }],
    [[]],
    [undefined],
  ])('%p is no state', (tree) => {
    expect(() => progress(tree)).toThrow(SyntaxError);
  });
});
