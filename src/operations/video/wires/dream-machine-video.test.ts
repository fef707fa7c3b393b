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
} from '../../../../test/harness/video-samples.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { dreamMachineVideo } from './dream-machine-video.ts';

function made(options: object, more = {}) {
  const { value, losses } = dreamMachineVideo.writeRequest({ ...bare, ...options }, toModel('ray-2', more));
  return { tree: jsonOf(value) as Record<string, unknown>, losses: lost(losses) };
}

describe('a video', () => {
  test('writes every supported option, and reports the others', () => {
    expect(made(everyOption, { hookUrl: 'https://weir.example/hook' })).toEqual({
      tree: {
        ...{ model: 'ray-2', prompt: 'a red boat', aspect_ratio: '16:9', resolution: '720p', duration: '9s' },
        callback_url: 'https://weir.example/hook',
      },
      losses: ['fps', 'n', 'negative_prompt', 'seconds', 'seed'],
    });
    expect(made({ width: 3_840, height: 2_160 }).tree['resolution']).toBe('4k');
    expect(made({}).tree).toEqual({ model: 'ray-2', prompt: 'a red boat', duration: '5s' });
  });

  test('begins and ends with images that lie somewhere', () => {
    expect(made({ images: [linked], lastFrame: linked }).tree['keyframes']).toEqual({
      frame0: { type: 'image', url: 'https://example.com/a.png' },
      frame1: { type: 'image', url: 'https://example.com/a.png' },
    });
    for (const options of [{ images: [image] }, { lastFrame: image }]) {
      expect(() => made(options)).toThrow(GatewayError);
    }
  });

  test('takes fields for this provider alone, but none that the request itself sets', () => {
    const extras = { loop: true, duration: '9s', generation_type: 'image', concepts: [] };
    expect(made({}, { extras })).toMatchObject({
      tree: { loop: true, concepts: [], duration: '5s' },
      losses: ['duration', 'generation_type'],
    });
  });
});

describe('a task', () => {
  const read = (tree: unknown) => dreamMachineVideo.readProgress(replied(tree), { id: 'g-1' }, places);

  test('is asked for at its place', () => {
    expect(dreamMachineVideo.readTicket(replied({ id: 'g-1', state: 'queued' }))).toEqual({ id: 'g-1' });
    const url = 'https://up.example/v1/generations/g-1';
    expect(dreamMachineVideo.ask({ id: 'g-1' }, places)).toEqual({ method: 'GET', url });
  });

  test('reports the length and the resolution that it was ordered with', () => {
    const request = { model: 'ray-2', duration: '9s', resolution: '1080p' };
    const assets = { video: 'https://cdn.example/a.mp4', image: null };
    expect(read({ state: 'completed', assets, request })).toEqual({
      state: 'completed',
      videos: [{ kind: 'url', url: 'https://cdn.example/a.mp4', needsKey: false }],
      facts: { seconds: 9 },
      consumption: { videos: 1, videoSeconds: 9, videoKind: '1080p' },
    });
    expect(read({ state: 'completed', assets: null })).toMatchObject({ videos: [], consumption: { videos: 0 } });
  });

  test('waits, runs, fails or is refused', () => {
    expect(read({ state: 'queued' })).toEqual({ state: 'queued' });
    expect(read({ state: 'dreaming' })).toEqual({ state: 'in_progress' });
    expect(read({ state: 'failed', failure_reason: 'It broke.' })).toMatchObject({ reason: 'failed' });
    expect(read({ state: 'failed', failure_reason: 'Frame moderation failed' })).toMatchObject({ reason: 'refused' });
    for (const tree of [{}, { state: 'processing' }, null]) expect(() => read(tree)).toThrow(SyntaxError);
  });
});
