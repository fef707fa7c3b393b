import { expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EditImageRequest, GivenImage, ImageReply } from '../../operations/images.ts';
import { Cancellation } from '../../upstream/cancellation.ts';
import type { FetchLimits } from '../../upstream/egress/fetch-from-caller.ts';
import { GivenMedia, imageBytesMax, imagesBytesMax, inlineImages, type MediaParts } from './fetch-media.ts';

const asked: { url: string; limits: FetchLimits }[] = [];
const ticks = new Set<{ tick(nowMs: number): void }>();
let bytesEach = 3;

/** Gives bytes for every address but those that say no. */
const parts: MediaParts = {
  egress: {
    async fetchFromCaller(url, limits) {
      asked.push({ url, limits });
      if (url.includes('never')) {
        return new Promise((_, reject) => {
          limits.signal?.addEventListener('abort', () => reject(limits.signal?.reason));
        });
      }
      if (url.includes('bad')) throw new GatewayError('field_invalid', 'no', { param: limits.param ?? '' });
      return { bytes: new Uint8Array(Math.min(bytesEach, limits.bytesMax)), mediaType: 'image/png' };
    },
  },
  deadlines: { add: (one) => void ticks.add(one), delete: (one) => void ticks.delete(one) },
};
const here = { hasLeft: () => false };

const url = (name: string, field = 'images[0].image_url'): GivenImage => ({
  kind: 'url',
  url: `https://a.example/${name}`,
  field,
});
const upload = (bytes: number): GivenImage => ({
  kind: 'file',
  file: {
    field: 'image[]',
    filename: 'a.png',
    mediaType: 'image/png',
    bytes,
    async *open() {
      yield new Uint8Array(Math.min(bytes, 2)).fill(1);
      if (bytes > 2) yield new Uint8Array(bytes - 2).fill(2);
    },
  },
});
const edit = (...images: GivenImage[]): EditImageRequest => ({
  model: 'm',
  prompt: 'p',
  count: 1,
  stream: false,
  images,
});

function fresh(): GivenMedia {
  asked.length = 0;
  bytesEach = 3;
  return new GivenMedia(parts, here);
}

test('what the wire takes as it is stays where it lies', () => {
  const media = fresh();
  expect(media.readyFor(edit(url('a')), 'openai-image-edits', false)).toBeUndefined();
  expect(media.readyFor(edit(upload(5)), 'openai-image-edits', false)).toBeUndefined();
  expect(media.readyFor(edit(upload(5)), 'openai-image-edits', true)).toBeUndefined();
  expect(asked).toEqual([]);
});

test('what it does not take becomes bytes, once for all candidates', async () => {
  const media = fresh();
  const request = { ...edit(url('a'), upload(5)), mask: url('mask', 'mask') };
  const ready = await media.readyFor(request, 'gemini-generate-image', false);
  expect(ready?.images.map(({ kind }) => kind)).toEqual(['bytes', 'bytes']);
  const [, second] = ready?.images ?? [];
  expect(second).toMatchObject({ bytes: new Uint8Array([1, 1, 2, 2, 2]), mediaType: 'image/png', filename: 'a.png' });
  const again = await media.readyFor(request, 'somebody-new', false);
  expect(again?.mask?.kind).toBe('bytes');
  expect(asked.map((one) => one.url)).toEqual(['https://a.example/a', 'https://a.example/mask']);
  expect(asked[0]?.limits).toMatchObject({ bytesMax: imageBytesMax, param: 'images[0].image_url' });
  expect(asked[0]?.limits.mediaTypes).toEqual(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
  expect(ticks.size).toBe(0);
});

test('a provider that fetches nothing gets URLs as bytes and files as files', async () => {
  const ready = await fresh().readyFor(edit(url('a'), upload(5)), 'openai-image-edits', true);
  expect(ready?.images.map(({ kind }) => kind)).toEqual(['bytes', 'file']);
});

test('a URL that cannot be fetched names its field', async () => {
  const ready = fresh().readyFor(edit(url('a'), url('bad', 'images[1].image_url')), 'gemini-generate-image', false);
  await expect(ready).rejects.toMatchObject({ status: 400, param: 'images[1].image_url' });
  expect(ticks.size).toBe(0);
});

test('uploads and all images together are bounded, at the edge', async () => {
  const whole = await fresh().readyFor(edit(upload(imageBytesMax)), 'gemini-generate-image', false);
  expect(whole?.images[0]).toMatchObject({ kind: 'bytes' });
  const large = fresh().readyFor(edit(upload(imageBytesMax + 1)), 'gemini-generate-image', false);
  await expect(large).rejects.toMatchObject({ status: 400, param: 'image[]' });
  const media = fresh();
  bytesEach = imageBytesMax;
  await media.readyFor(edit(url('a'), url('b'), url('c'), url('d')), 'gemini-generate-image', false);
  expect(asked.at(-1)?.limits.bytesMax).toBe(imagesBytesMax - 3 * imageBytesMax);
});

test('a caller that leaves ends it', async () => {
  asked.length = 0;
  const media = new GivenMedia(parts, { ...here, hasLeft: () => true });
  const ready = media.readyFor(edit(url('never')), 'gemini-generate-image', false);
  for (const one of ticks) one.tick(0);
  await expect(ready).rejects.toMatchObject({ code: 'client_left' });
});

const made = (...names: string[]): ImageReply => ({
  createdAtMs: 0,
  images: names.map((name) => ({ source: { kind: 'url', url: `https://a.example/${name}` } })),
  consumption: { images: names.length },
});
const bare = { model: 'm', prompt: 'p', count: 1, stream: false } as const;

test('a reply that lies elsewhere is fetched only where the caller wants it inside', async () => {
  fresh();
  const left = await inlineImages(parts.egress, made('a'), bare, new Cancellation());
  expect([left.reply, asked.length]).toEqual([made('a'), 0]);
  const { reply, losses } = await inlineImages(
    parts.egress,
    made('a'),
    { ...bare, handOver: 'base64' },
    new Cancellation(),
  );
  expect(reply.images).toEqual([{ source: { kind: 'base64', data: 'AAAA', mediaType: 'image/png' } }]);
  expect(losses).toEqual([]);
});

test('a made image that cannot be fetched keeps its URL, and that is reported as a loss', async () => {
  fresh();
  const { reply, losses } = await inlineImages(
    parts.egress,
    made('a', 'bad'),
    { ...bare, handOver: 'base64' },
    new Cancellation(),
  );
  expect(reply.images.map(({ source }) => source.kind)).toEqual(['base64', 'url']);
  expect(losses.map(({ what }) => what)).toEqual(['data[1].b64_json']);
});

test('a client that disconnects while a made image is fetched loses the image; its cost stays recorded', async () => {
  fresh();
  const gone = new Cancellation();
  const inlining = inlineImages(parts.egress, made('never'), { ...bare, handOver: 'base64' }, gone);
  gone.abort(new Error('gone'));
  expect((await inlining).reply).toEqual(made('never'));
});
