/** The length that is reserved and charged is the one that the wire really orders, on every wire. */

import { describe, expect, test } from 'bun:test';
import { bare, jsonOf, linked, lost, toModel } from '../../../test/harness/video-samples.ts';
import type { MakeVideoRequest } from '../video.ts';
import { videoProviderWires, videoWire } from './provider-wires.ts';

type Asked = Partial<MakeVideoRequest>;

/** Wire, model, request, and the length that must be ordered; undefined leaves it to the model. */
const rows: readonly (readonly [string, string, Asked, number | undefined])[] = [
  ['openai-videos', 'sora-2', { seconds: 5 }, 4],
  ['openai-videos', 'sora-2', { seconds: 6 }, 8],
  ['openai-videos', 'sora-2', {}, undefined],
  ['openai-videos', 'somebody-elses', { seconds: 5 }, 5],
  ['veo-video', 'veo-3.1-generate-preview', { seconds: 5 }, 6],
  ['veo-video', 'veo-2.0-generate-001', { seconds: 30 }, 8],
  ['runway-video', 'gen4_turbo', {}, 8],
  ['runway-video', 'gen4_turbo', { seconds: 60 }, 10],
  ['runway-video', 'veo3', { seconds: 4 }, 8],
  ['runway-video', 'seedance2', { seconds: 1, video: linked }, 4],
  ['minimax-video', 'MiniMax-Hailuo-2.3', { seconds: 7 }, 6],
  ['minimax-video', 'MiniMax-Hailuo-2.3', { seconds: 9 }, 10],
  ['minimax-video', 'MiniMax-Hailuo-2.3', { seconds: 10, width: 1_920, height: 1_080 }, 6],
  ['minimax-video', 'T2V-01', { seconds: 30 }, 6],
  ['wan-video', 'wan2.5-t2v-preview', { seconds: 7 }, 5],
  ['wan-video', 'wan2.6-t2v', { seconds: 2.4 }, 3],
  ['wan-video', 'wan2.7-t2v', { seconds: 99 }, 15],
  ['seedance-video', 'doubao-seedance-1-0-pro', { seconds: 4.2 }, 5],
  ['seedance-video', 'doubao-seedance-1-0-pro', { seconds: 1 }, 2],
  ['kling-video', 'kling-v2-6', { seconds: 7 }, 5],
  ['kling-video', 'kling-v3', { seconds: 7 }, 7],
  ['kling-video', 'kling-v3', { seconds: 99 }, 15],
  ['fal-video', 'fal-ai/veo3.1', { seconds: 5.5 }, 6],
  ['replicate-video', 'a/b', { seconds: 0.5 }, 1],
  ['dream-machine-video', 'ray-2', { seconds: 6 }, 5],
  ['dream-machine-video', 'ray-2', { seconds: 30 }, 9],
  ['luma-video', 'ray-3.2', {}, 5],
  ['luma-video', 'ray-3.2', { seconds: 8 }, 10],
  ['luma-video', 'ray-3.2', { seconds: 8, images: [linked] }, 5],
  ['video-generations', 'sandbox-video', {}, 4],
  ['video-generations', 'sandbox-video', { seconds: 2.5 }, 2.5],
  ['video-generations', 'sandbox-video', { video: linked }, undefined],
];

describe('the ordered length', () => {
  for (const [name, model, asked, seconds] of rows) {
    const { seconds: wanted = 'none', video } = asked;
    test(`${name}, ${model}, ${wanted}${video === undefined ? '' : ' of a video'}: ${seconds}`, () => {
      const wire = videoWire(name);
      if (wire === undefined) throw new Error(`no wire ${name}`);
      const request = { ...bare, ...asked };
      expect(wire.secondsFor?.(request, model)).toBe(seconds);
      expect(writtenSeconds(wire.writeRequest(request, toModel(model)).value)).toBe(seconds);
    });
  }

  test('is written by every wire', () => {
    expect(videoProviderWires.filter(({ secondsFor }) => secondsFor === undefined)).toEqual([]);
  });

  test('of a model whose videos are all equally long is that one, whatever was asked for', () => {
    const wire = videoWire('wan-video');
    for (const seconds of [undefined, 1, 30]) {
      const request = { ...bare, ...(seconds !== undefined && { seconds }) };
      expect(wire?.secondsFor?.(request, 'wan2.2-t2v-plus')).toBe(5);
    }
  });

  test('cannot be overridden, under any name and on any wire', () => {
    const extras = { Duration: 97, video_length: 97, num_frames: 97, sample_count: 97, batch_size: 97, n: 97 };
    for (const wire of videoProviderWires) {
      const model = rows.find(([name]) => name === wire.name)?.[1] ?? 'm';
      const { value, losses } = wire.writeRequest({ ...bare, seconds: 5 }, toModel(model, { extras }));
      const sent = value.body.kind === 'form' ? value.body.fields.map((field) => field.value) : jsonOf(value);
      expect(JSON.stringify(sent)).not.toContain('97');
      expect(lost(losses)).toContain('num_frames');
    }
  });

  test('is no part of a prompt', () => {
    const request = { ...bare, prompt: 'a boat --dur 12 --rs 720p --frames=289', seconds: 5 };
    const { value, losses } = videoWire('seedance-video')?.writeRequest(request, toModel('m')) ?? {};
    expect(JSON.stringify(value && jsonOf(value))).toContain('"a boat --rs 720p"');
    expect(losses && lost(losses)).toContain('prompt');
  });

  test('of a video that is only changed is the longest that there can be, whatever the caller requests', () => {
    expect(videoWire('runway-video')?.secondsFor?.({ ...bare, seconds: 1, video: linked }, 'gen4_aleph')).toBe(10);
  });
});

/** Wherever a wire writes it. */
function writtenSeconds(value: Parameters<typeof jsonOf>[0]): number | undefined {
  if (value.body.kind === 'form') {
    const said = value.body.fields.find(({ name }) => name === 'seconds')?.value;
    return said === undefined ? undefined : Number(said);
  }
  const found = lengthIn(jsonOf(value));
  return found === undefined ? undefined : Number.parseFloat(String(found));
}

function lengthIn(tree: unknown): unknown {
  if (typeof tree !== 'object' || tree === null) return undefined;
  for (const [name, value] of Object.entries(tree)) {
    if (['duration', 'seconds', 'durationSeconds'].includes(name)) return value;
    const inner = lengthIn(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
