import { expect, test } from 'bun:test';
import { edited, file, made, pngBytes, reply } from '../../../test/harness/image-samples.ts';
import type { GivenImage } from '../images.ts';
import { unreadyImages, withImages } from './given-images.ts';
import { joinReplies, splitByCount } from './image-count.ts';
import { editImageWires } from './provider-wires.ts';

const upload: GivenImage = { kind: 'file', file: file('image') };
const address: GivenImage = { kind: 'url', url: 'https://a.example/b.png' };
const stored: GivenImage = { kind: 'file-id', id: 'file-1' };
const bytes: GivenImage = { kind: 'bytes', bytes: pngBytes, mediaType: 'image/png' };

test('only what a wire cannot take as it is must become bytes first', () => {
  const request = { ...edited, images: [upload, address, stored, bytes], mask: upload };
  const needed = (wire: string): unknown => unreadyImages(request, wire);
  expect(needed('openai-image-edits')).toEqual([upload, upload]);
  expect(unreadyImages({ ...edited, images: [upload, bytes], mask: upload }, 'openai-image-edits')).toEqual([]);
  expect(needed('gemini-generate-image')).toEqual([upload, address]);
  expect(needed('bfl-image')).toEqual([upload]);
  expect(needed('unknown-wire')).toEqual([upload, address, upload]);
});

test('after that every wire writes every image that has bytes or a URL', () => {
  const request = { ...edited, images: [upload, address] };
  for (const wire of editImageWires) {
    const became = new Map(unreadyImages(request, wire.name).map((image) => [image, bytes] as const));
    const { losses } = wire.writeRequest(withImages(request, became), 'acme/flux-2/edit');
    expect([wire.name, losses.filter(({ what }) => what === 'images[0]')]).toEqual([wire.name, []]);
  }
});

test('a count is split without an image more or less, and each request draws other images', () => {
  for (const count of [1, 4, 5, 10]) {
    const parts = splitByCount({ ...made, count, seed: 7 }, 4);
    expect(parts.reduce((sum, part) => sum + part.count, 0)).toBe(count);
    expect(Math.max(...parts.map((part) => part.count))).toBeLessThanOrEqual(4);
    expect(new Set(parts.map((part) => part.seed)).size).toBe(parts.length);
  }
  expect(splitByCount({ ...made, count: 2 }, 1)[0]).not.toHaveProperty('seed');
});

test('replies are joined in order; a count that one of them lacks is unknown', () => {
  const joined = joinReplies([reply, reply]);
  expect(joined.images).toEqual([...reply.images, ...reply.images]);
  expect(joined.consumption).toMatchObject({
    images: 2,
    tokens: { input: { total: 40, image: 10 }, output: { total: 600, image: 580 } },
  });
  const partly = joinReplies([reply, { ...reply, consumption: { images: 1 } }]);
  expect(partly.consumption.images).toBe(2);
  expect(partly.consumption.tokens?.output.total).toBeUndefined();
  expect(joinReplies([reply])).toEqual(reply);
});
