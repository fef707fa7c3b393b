import { describe, expect, test } from 'bun:test';
import {
  bare,
  everyOption,
  image,
  jsonOf,
  linked,
  lost,
  places,
  replied,
  toModel,
  upload,
} from '../../../../test/harness/video-samples.ts';
import type { WrittenRequest } from '../../wire.ts';
import { openaiVideos } from './openai-videos.ts';

function fieldsOf({ body }: WrittenRequest): unknown {
  if (body.kind !== 'form') return body.kind;
  return body.fields.map(({ name, value }) => [name, typeof value === 'string' ? value : 'a file']);
}

function fileOf({ body }: WrittenRequest) {
  const value = body.kind === 'form' ? body.fields.find(({ name }) => name === 'input_reference')?.value : undefined;
  return typeof value === 'object' ? value : undefined;
}

function made(model: string, options: object, extras = {}) {
  return openaiVideos.writeRequest({ ...bare, ...options }, toModel(model, { extras }));
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { value, losses } = openaiVideos.writeRequest(everyOption, toModel('sora-2'));
    expect(fieldsOf(value)).toEqual([
      ['model', 'sora-2'],
      ['prompt', 'a red boat'],
      ['seconds', '8'],
      ['size', '1280x720'],
    ]);
    expect(lost(losses)).toEqual(['fps', 'n', 'negative_prompt', 'seed']);
    expect(value.suffix).toBeUndefined();
  });

  test('writes nothing that was not requested', () => {
    const { value, losses } = made('sora-2', {});
    expect(fieldsOf(value)).toEqual([
      ['model', 'sora-2'],
      ['prompt', 'a red boat'],
    ]);
    expect(losses).toEqual([]);
  });

  test.each([
    ['sora-2', { width: 1_920, height: 1_080 }, '1280x720', ['size']],
    ['sora-2-pro', { width: 1_920, height: 1_080 }, '1920x1080', []],
    ['sora-2-pro', { width: 1_024, height: 1_792 }, '1024x1792', []],
    ['sora-2', { aspectRatio: '9:16' }, '720x1280', []],
    ['sora-2', { aspectRatio: '1:1' }, '720x1280', ['aspect_ratio']],
    ['some-server', { width: 832, height: 480 }, '832x480', []],
    ['some-server', { width: 832 }, undefined, ['size']],
    ['some-server', { aspectRatio: '16:9' }, undefined, ['aspect_ratio']],
  ])('%s is asked for the size of %j', (model, options, size, expected) => {
    const { value, losses } = made(model, options);
    expect(Object.fromEntries(fieldsOf(value) as [string, string][])['size']).toBe(size as string);
    expect(lost(losses)).toEqual(expected);
  });

  test.each([
    ['sora-2', 5, '4', ['seconds']],
    ['sora-2', 100, '20', ['seconds']],
    ['some-server', 5, '5', []],
  ])('%s is asked for %d seconds', (model, seconds, written, expected) => {
    const { value, losses } = made(model, { seconds });
    expect(fieldsOf(value)).toContainEqual(['seconds', written]);
    expect(lost(losses)).toEqual(expected);
  });

  test('has its image as a file in a form', async () => {
    const fromBytes = fileOf(made('sora-2', { images: [image] }).value);
    expect([fromBytes?.filename, fromBytes?.mediaType, fromBytes?.bytes]).toEqual(['reference.png', 'image/png', 3]);
    const fromUpload = fileOf(made('sora-2', { images: [upload] }).value);
    expect([fromUpload?.field, fromUpload?.filename]).toEqual(['input_reference', 'boat.png']);
    for (const file of [fromBytes, fromUpload]) {
      const pieces = await Array.fromAsync(file?.open() ?? []);
      expect(pieces).toEqual([new Uint8Array([1, 2, 3])]);
    }
  });

  test('is JSON where its image lies elsewhere', () => {
    const { value, losses } = made('sora-2', { images: [linked, image], seconds: 4 });
    expect(jsonOf(value)).toEqual({
      ...{ model: 'sora-2', prompt: 'a red boat', seconds: '4' },
      input_reference: { image_url: 'https://example.com/a.png' },
    });
    expect(lost(losses)).toEqual(['images[1]']);
  });

  test('takes fields for this provider alone, but none that the request itself sets', () => {
    const extras = { quality: 'high', model: 'another', seconds: '20', characters: [{ id: 'c' }] };
    const { value, losses } = made('sora-2', {}, extras);
    expect(fieldsOf(value)).toEqual([
      ['quality', 'high'],
      ['model', 'sora-2'],
      ['prompt', 'a red boat'],
    ]);
    expect(lost(losses)).toEqual(['characters', 'model', 'seconds']);
    expect(jsonOf(made('sora-2', { images: [linked] }, extras).value)).toMatchObject({ characters: [{ id: 'c' }] });
  });
});

describe('a job', () => {
  const ticket = { id: 'video_1' };
  const read = (tree: unknown) => openaiVideos.readProgress(replied(tree), ticket, places);

  test('is known by its id', () => {
    expect(openaiVideos.readTicket(replied({ id: 'video_1', status: 'queued' }))).toEqual(ticket);
    for (const tree of [{}, { id: '' }, { id: 4.5 }, 'text', null]) {
      expect(() => openaiVideos.readTicket(replied(tree))).toThrow(SyntaxError);
    }
  });

  test('is asked for where it was made, and cannot be stopped', () => {
    expect(openaiVideos.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://up.example/v1/videos/video_1' });
    expect(openaiVideos.ask({ id: 'a/b?c' }, places).url).toBe('https://up.example/v1/videos/a%2Fb%3Fc');
    expect(openaiVideos.cancel).toBeUndefined();
  });

  test('waits and runs', () => {
    expect(read({ status: 'queued', progress: 0 })).toEqual({ state: 'queued', percent: 0 });
    expect(read({ status: 'in_progress', progress: 33.4 })).toEqual({ state: 'in_progress', percent: 33 });
    expect(read({ status: 'in_progress' })).toEqual({ state: 'in_progress' });
  });

  test('is completed with its file behind the key', () => {
    expect(read({ status: 'completed', seconds: '8', size: '1280x720' })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://up.example/v1/videos/video_1/content', needsKey: true }],
      facts: { seconds: 8, width: 1_280, height: 720 },
      consumption: { videos: 1, videoSeconds: 8 },
    });
    expect(read({ status: 'completed' })).toMatchObject({ facts: {}, consumption: { videos: 1 } });
  });

  test('fails, or is refused', () => {
    const failed = { status: 'failed', error: { code: 'internal_error', message: 'It broke.' } };
    expect(read(failed)).toEqual({ state: 'failed', reason: 'failed', message: 'It broke.' });
    const blocked = { status: 'failed', error: { code: 'moderation_blocked', message: 'Not this.' } };
    expect(read(blocked)).toEqual({ state: 'failed', reason: 'refused', message: 'Not this.' });
    expect(read({ status: 'failed', error: null })).toMatchObject({ reason: 'failed' });
  });

  test.each([{}, { status: '' }, { status: 'paused' }, { status: null }, null, 'text'])('%j is no state', (tree) => {
    expect(() => read(tree)).toThrow(SyntaxError);
  });
});
