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
import { lumaVideo } from './luma-video.ts';

function made(options: object, extras = {}) {
  const { value, losses } = lumaVideo.writeRequest({ ...bare, ...options }, toModel('ray-3.2', { extras }));
  return { tree: jsonOf(value) as Record<string, unknown>, losses: lost(losses) };
}

describe('a video', () => {
  test('of words writes every supported option, and reports the others', () => {
    expect(made(everyOption)).toEqual({
      tree: {
        ...{ model: 'ray-3.2', type: 'video', prompt: 'a red boat', aspect_ratio: '16:9' },
        video: { resolution: '720p', duration: '10s' },
      },
      losses: ['fps', 'n', 'negative_prompt', 'seconds', 'seed'],
    });
  });

  test('always writes its length', () => {
    expect(made({}).tree['video']).toEqual({ duration: '5s' });
    expect(lumaVideo.secondsFor?.(bare, 'ray-3.2')).toBe(lumaVideo.secondsByDefault);
  });

  test('of frames is five seconds long', () => {
    expect(made({ images: [linked], lastFrame: image, seconds: 10 })).toMatchObject({
      tree: {
        video: {
          duration: '5s',
          start_frame: { url: 'https://example.com/a.png' },
          end_frame: { data: imageBase64, media_type: 'image/png' },
        },
      },
      losses: ['seconds'],
    });
    expect(made({ images: [upload] }).losses).toEqual(['images[0]']);
    expect(made({ images: [linked, linked] }).losses).toEqual(['images[1]']);
  });

  test('takes fields for this provider alone, but none that the request itself sets', () => {
    const extras = { web_search: true, video: { duration: '10s' }, type: 'video_edit', duration: 10 };
    const { tree, losses } = made({}, extras);
    expect([tree['web_search'], tree['type'], tree['video'], losses]).toEqual([
      true,
      'video',
      { duration: '5s' },
      ['duration', 'type', 'video'],
    ]);
  });
});

describe('a task', () => {
  const ticket = { id: 'g-1' };
  const read = (tree: unknown) => lumaVideo.readProgress(replied(tree), ticket, places);

  test('is known by its id and asked for at its place', () => {
    expect(lumaVideo.readTicket(replied({ id: 'g-1', state: 'queued' }))).toEqual(ticket);
    expect(() => lumaVideo.readTicket(replied({}))).toThrow(SyntaxError);
    expect(lumaVideo.ask(ticket, places)).toEqual({ method: 'GET', url: 'https://up.example/v1/generations/g-1' });
    expect(() => lumaVideo.ask({ id: '..' }, places)).toThrow();
    expect(lumaVideo.cancel).toBeUndefined();
  });

  test('waits, runs and ends', () => {
    expect(read({ state: 'queued' })).toEqual({ state: 'queued' });
    expect(read({ state: 'processing' })).toEqual({ state: 'in_progress' });
    const output = [
      { type: 'video', url: 'https://cdn.example/a.mp4' },
      { type: 'exr', url: 'https://cdn.example/a.exr' },
    ];
    expect(read({ state: 'completed', output })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/a.mp4', needsKey: false }],
      facts: {},
      consumption: { videos: 1 },
    });
    expect(read({ state: 'completed' })).toMatchObject({ videos: [] });
  });

  test('fails or is refused', () => {
    const failed = { state: 'failed', failure_code: 'generation_failed', failure_reason: 'It broke.' };
    expect(read(failed)).toEqual({ state: 'failed', reason: 'failed', message: 'It broke.' });
    const unsafe = { state: 'failed', failure_code: 'content_moderated', failure_reason: 'No.' };
    expect(read(unsafe)).toEqual({ state: 'failed', reason: 'refused', message: 'No.' });
    for (const tree of [{}, { state: 'dreaming' }, null]) expect(() => read(tree)).toThrow(SyntaxError);
  });
});
