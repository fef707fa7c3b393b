import { describe, expect, test } from 'bun:test';
import { edited, everyOption, made, making, pngBase64, replied } from '../../../../test/harness/image-samples.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { lumaEditsImages, lumaMakesImages } from './luma-image.ts';

const place = 'https://agents.lumalabs.ai/v1/generations';
const generation = (state: string, more: object = {}) => ({ id: 'g-1', type: 'image', state, model: 'uni-1', ...more });
const next = (tree: unknown, address = place) => lumaMakesImages.later?.(replied(tree, address), made, 'uni-1');

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof GatewayError ? error.code : (error as Error).name;
  }
  return 'none';
}

describe('a request', () => {
  test('writes every supported option, and reports the others', () => {
    const { value, losses } = lumaMakesImages.writeRequest(
      { ...everyOption, style: 'manga', size: '1536x1024' },
      'uni-1',
    );
    expect(value.body).toEqual({
      kind: 'json',
      tree: {
        ...{ model: 'uni-1', type: 'image', prompt: 'a red boat', aspect_ratio: '3:2' },
        ...{ output_format: 'jpeg', style: 'manga', user_id: 'u1' },
      },
    });
    expect(losses.map(({ what }) => what).toSorted()).toEqual([
      ...['background', 'moderation', 'n', 'negative_prompt', 'output_compression', 'partial_images', 'quality'],
      ...['seed', 'size'],
    ]);
  });

  test('changes the first image, guided by the others', () => {
    const address = { kind: 'url', url: 'https://a.example/b.png' } as const;
    const images = [...edited.images, address, { kind: 'file-id', id: 'f' } as const];
    const { value, losses } = lumaEditsImages.writeRequest({ ...edited, images, mask: address }, 'uni-1-max');
    expect(value.body).toEqual({
      kind: 'json',
      tree: {
        ...{ model: 'uni-1-max', type: 'image_edit', prompt: 'a red boat' },
        source: { data: pngBase64, media_type: 'image/png' },
        image_ref: [{ url: 'https://a.example/b.png' }],
      },
    });
    expect(losses.map(({ what }) => what).toSorted()).toEqual(['images[2]', 'mask']);
  });
});

describe('a generation', () => {
  test('is asked for at its own place', () => {
    const url = `${place}/g-1`;
    expect(next(generation('queued', { output: [] }))).toEqual({ url, afterMs: 1_000 });
    expect(next(generation('processing'), url)).toEqual({ url, afterMs: 1_000 });
    expect(next(generation('completed'), url)).toBeUndefined();
    expect(codeOf(() => next({ state: 'queued' }))).toBe('SyntaxError');
  });

  test('that failed has its cause', () => {
    const failed = (code: string, reason: string | null = null) =>
      codeOf(() => next(generation('failed', { failure_code: code, failure_reason: reason })));
    expect(failed('content_moderated', 'No.')).toBe('upstream_refused');
    expect(failed('generation_failed', 'It broke.')).toBe('upstream_failed');
    expect(failed('budget_exhausted')).toBe('upstream_failed');
  });

  test('holds the URLs of its images', () => {
    const url = 'https://storage.example/g-1/output.png?X-Amz-Expires=3600';
    const tree = generation('completed', { output: [{ type: 'image', url }] });
    expect(lumaMakesImages.readReply(replied(tree), made, making).value).toEqual({
      createdAtMs: making.nowMs,
      images: [{ source: { kind: 'url', url } }],
      consumption: { images: 1 },
    });
    expect(lumaMakesImages.measure(tree)).toEqual({ images: 1 });
    for (const output of [undefined, null, [], [{}], 5]) {
      const empty = replied(generation('completed', { output }));
      expect(codeOf(() => lumaMakesImages.readReply(empty, made, making))).toBe('SyntaxError');
    }
  });
});
