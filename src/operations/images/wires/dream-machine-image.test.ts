import { expect, test } from 'bun:test';
import { everyOption, made, making, replied } from '../../../../test/harness/image-samples.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { dreamMachineMakesImages as wire } from './dream-machine-image.ts';

const place = 'https://api.lumalabs.ai/dream-machine/v1/generations';
const next = (tree: unknown, address = `${place}/image`) => wire.later?.(replied(tree, address), made, 'photon-1');

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof GatewayError ? error.code : (error as Error).name;
  }
  return 'none';
}

test('a request has the shape and reports the rest', () => {
  const { value, losses } = wire.writeRequest({ ...everyOption, size: '1024x1024' }, 'photon-1');
  expect(value.body).toEqual({
    kind: 'json',
    tree: { model: 'photon-1', prompt: 'a red boat', aspect_ratio: '1:1' },
  });
  expect(losses.map(({ what }) => what).toSorted()).toEqual([
    ...['background', 'moderation', 'n', 'negative_prompt', 'output_compression', 'output_format', 'partial_images'],
    ...['quality', 'seed', 'style', 'user'],
  ]);
});

test('a generation is asked for where all of them are, not where images are ordered', () => {
  const asked = { url: `${place}/g-1`, afterMs: 1_000 };
  expect(next({ id: 'g-1', state: 'queued', assets: null })).toEqual(asked);
  expect(next({ id: 'g-1', state: 'dreaming' }, `${place}/g-1`)).toEqual(asked);
  expect(next({ id: 'g-1', state: 'completed' }, `${place}/g-1`)).toBeUndefined();
  expect(codeOf(() => next({ state: 'queued' }))).toBe('SyntaxError');
  expect(codeOf(() => next({ id: '..', state: 'queued' }))).toBe('field_invalid');
  expect(codeOf(() => next({ state: 'failed', failure_reason: 'Prompt not allowed: moderated' }))).toBe(
    'upstream_refused',
  );
  expect(codeOf(() => next({ state: 'failed', failure_reason: null }))).toBe('upstream_failed');
});

test('its image is a URL', () => {
  const url = 'https://storage.cdn-luma.com/g-1.jpg';
  const tree = { id: 'g-1', state: 'completed', assets: { image: url, video: null } };
  expect(wire.readReply(replied(tree), made, making).value).toEqual({
    createdAtMs: making.nowMs,
    images: [{ source: { kind: 'url', url } }],
    consumption: { images: 1 },
  });
  expect([wire.measure(tree), wire.measure({ assets: null })]).toEqual([{ images: 1 }, { images: 0 }]);
  expect(codeOf(() => wire.readReply(replied({ state: 'completed', assets: {} }), made, making))).toBe('SyntaxError');
});
