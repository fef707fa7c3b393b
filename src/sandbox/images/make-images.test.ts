/** The sandbox's image operation end to end on its thread: sizes, formats, drafts, seeds, and every refusal with its field. */

import { afterAll, describe, expect, test } from 'bun:test';
import { Buffer } from 'node:buffer';
import { sized } from '../../../test/harness/size.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type {
  EditImageRequest,
  GivenImage,
  ImageEvent,
  ImageReply,
  MakeImageRequest,
} from '../../operations/images.ts';
import { readMediaFacts } from '../chat/media-header.ts';
import { software } from './image-job.ts';
import { readSize } from './image-options.ts';
import { createImageThread } from './image-thread.ts';
import { editImageEvents, editImages, makeImageEvents, makeImages } from './make-images.ts';
import { decodePng, encodePng } from './png.ts';
import { type Bitmap, emptyBitmap, isOpaque } from './raster/bitmap.ts';

const thread = createImageThread();
const options = { thread, nowMs: () => 1_700_000_000_000 };
afterAll(() => thread.stop());

const asked = (prompt: string, more: Partial<MakeImageRequest> = {}): MakeImageRequest => ({
  model: 'sandbox-image',
  prompt,
  count: 1,
  stream: false,
  size: '64x48',
  ...more,
});

function files(reply: ImageReply): Uint8Array<ArrayBuffer>[] {
  return reply.images.map(
    ({ source }) => new Uint8Array(Buffer.from(source.kind === 'base64' ? source.data : '', 'base64')),
  );
}

function only(reply: ImageReply): Bitmap {
  const [file = new Uint8Array()] = files(reply);
  return decodePng(file);
}

const given = (bytes: Uint8Array<ArrayBuffer>, mediaType = 'image/png'): GivenImage => ({
  kind: 'bytes',
  bytes,
  mediaType,
});

async function refusal(promise: Promise<unknown>): Promise<GatewayError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw new Error(`It was not refused: ${error}`);
  return error;
}

describe('images from words', () => {
  test('a reply says what was drawn, how large, and what it used', async () => {
    const reply = await makeImages(asked('three red circles', { quality: 'high' }), options);
    expect(reply).toMatchObject({
      createdAtMs: 1_700_000_000_000,
      size: '64x48',
      quality: 'high',
      background: 'opaque',
      outputFormat: 'png',
      consumption: { images: 1, tokens: { input: { total: 3 }, output: { total: 0 } } },
    });
    expect(reply.images[0]?.revisedPrompt).toContain('3 red circles');
    expect([only(reply).width, only(reply).height]).toEqual([64, 48]);
  });

  test('the file carries prompt, seed and software', async () => {
    const [file = new Uint8Array()] = files(await makeImages(asked('ein grüner Baum', { seed: 42 }), options));
    for (const [keyword, text] of Object.entries({ prompt: 'ein grüner Baum', seed: '42', Software: software })) {
      expect(Buffer.from(file).includes(`iTXt${keyword}\0\0\0\0\0${text}`)).toBe(true);
    }
  });

  test('the same request gives the same bytes; n images are n different ones, each with its seed', async () => {
    const request = asked('a boat and a tree', { count: 4, seed: 10 });
    const [once, again] = [await makeImages(request, options), await makeImages(request, options)];
    expect(once.images).toEqual(again.images);
    expect(new Set(once.images.map(({ source }) => JSON.stringify(source))).size).toBe(4);
    expect(once.consumption.images).toBe(4);
    const third = await makeImages(asked('a boat and a tree', { seed: 12 }), options);
    expect(once.images[2]).toEqual(third.images[0]);
  });

  test('no size is 1024 by 1024', async () => {
    const { size: _size, ...open } = asked('a hill');
    expect((await makeImages(open, options)).size).toBe('1024x1024');
  });

  test('transparent is transparent, and no JPEG', async () => {
    expect(isOpaque(only(await makeImages(asked('a cat', { background: 'transparent' }), options)))).toBe(false);
    expect(isOpaque(only(await makeImages(asked('a cat', { background: 'auto' }), options)))).toBe(true);
    const error = await refusal(
      makeImages(asked('a cat', { background: 'transparent', outputFormat: 'jpeg' }), options),
    );
    expect([error.code, error.param]).toEqual(['field_invalid', 'background']);
  });

  test('png, jpeg and webp are what they say, and compression makes them smaller', async () => {
    for (const [format, kind] of [
      ['png', 'PNG'],
      ['jpeg', 'JPEG'],
      ['webp', 'WebP'],
    ] as const) {
      const reply = await makeImages(asked('city at night', { size: '320x200', outputFormat: format }), options);
      const [source] = reply.images.map((image) => image.source);
      if (source?.kind !== 'base64') throw new Error('No bytes came.');
      expect(readMediaFacts(source.data, undefined)).toMatchObject({ kind, width: 320, height: 200 });
      expect(source.mediaType).toBe(`image/${format}`);
    }
    const size = async (outputCompression: number) =>
      files(
        await makeImages(asked('city at night', { size: '320x200', outputFormat: 'jpeg', outputCompression }), options),
      )[0]?.length ?? 0;
    expect(await size(10)).toBeLessThan((await size(95)) / 2);
  });
});

describe('refusals name their field', () => {
  const cases: readonly (readonly [string, Partial<MakeImageRequest>, string])[] = [
    ['an empty prompt', { prompt: '  ' }, 'prompt'],
    ['a prompt beyond 32,000 characters', { prompt: 'x'.repeat(32_001) }, 'prompt'],
    ['no images', { count: 0 }, 'n'],
    ['half an image', { count: 1.5 }, 'n'],
    ['eleven images', { count: 11 }, 'n'],
    ['a negative seed', { seed: -1 }, 'seed'],
    ['too much compression', { outputCompression: 101 }, 'output_compression'],
    ['four drafts', { partialImages: 4 }, 'partial_images'],
    ['an unknown format', { outputFormat: 'tiff' }, 'output_format'],
    ['a size of words', { size: 'large' }, 'size'],
    ['a size too large', { size: '2049x64' }, 'size'],
    ['a size too small', { size: '15x64' }, 'size'],
    ['a size that is a sum', { size: '1e3x64' }, 'size'],
  ];
  for (const [name, more, param] of cases) {
    test(name, async () => {
      // Drafts are asked for by streaming callers only.
      const events = makeImageEvents(asked('a cat', more), options);
      const error = await refusal(events.next());
      expect(error.status).toBe(400);
      expect(error.param).toBe(param);
    });
  }

  test('the edges of the sizes are allowed', () => {
    expect(readSize('16x2048')).toEqual({ width: 16, height: 2048 });
    expect(readSize('2048x16')).toEqual({ width: 2048, height: 16 });
    expect(readSize('auto')).toBeUndefined();
  });
});

describe('drafts', () => {
  async function collect(events: AsyncIterable<ImageEvent>): Promise<ImageEvent[]> {
    const all: ImageEvent[] = [];
    for await (const event of events) all.push(event);
    return all;
  }

  const difference = (one: Bitmap, other: Bitmap): number =>
    one.pixels.reduce((sum, value, at) => sum + Math.abs(value - (other.pixels[at] ?? 0)), 0);

  test('come first, from coarse to fine, each closer to the image', async () => {
    const events = await collect(
      makeImageEvents(asked('a red house by a lake', { size: '256x192', partialImages: 3, stream: true }), options),
    );
    expect(events.map((event) => event.type)).toEqual(['partial', 'partial', 'partial', 'completed']);
    const last = events.at(-1);
    if (last?.type !== 'completed') throw new Error('No reply came.');
    const final = only(last.reply);
    const drafts = events.flatMap((event) =>
      event.type === 'partial' ? [decodePng(Buffer.from(event.data, 'base64'))] : [],
    );
    const away = drafts.map((draft) => difference(draft, final));
    expect(drafts.map((draft) => [draft.width, draft.height])).toEqual([
      [256, 192],
      [256, 192],
      [256, 192],
    ]);
    expect(away[0] ?? 0).toBeGreaterThan(away[1] ?? 0);
    expect(away[1] ?? 0).toBeGreaterThan(away[2] ?? 0);
    expect(events.flatMap((event) => (event.type === 'partial' ? [event.index] : []))).toEqual([0, 1, 2]);
  });

  test('edits have them too, in the size of the result', async () => {
    const image = given(encodePng(only(await makeImages(asked('a meadow', { size: '100x77' }), options))));
    const { size: _size, ...open } = asked('add a red circle', { partialImages: 2, stream: true });
    const events = await collect(editImageEvents({ ...open, images: [image] }, options));
    expect(events).toHaveLength(3);
    for (const event of events) {
      const image = event.type === 'partial' ? decodePng(Buffer.from(event.data, 'base64')) : only(event.reply);
      expect([image.width, image.height]).toEqual([100, 77]);
    }
  });
});

describe('edits', () => {
  const square = emptyBitmap(60, 60);
  square.pixels.fill(200);
  const image = given(encodePng(square));
  const change = (prompt: string, more: Partial<EditImageRequest> = {}): EditImageRequest => {
    const { size: _size, ...open } = asked(prompt);
    return { ...open, images: [image], ...more };
  };

  test('outside the mask every pixel of the file stays equal', async () => {
    const mask = emptyBitmap(60, 60);
    for (let at = 3; at < mask.pixels.length; at += 4) mask.pixels[at] = at < 60 * 30 * 4 ? 0 : 255;
    const after = only(await editImages(change('three red circles', { mask: given(encodePng(mask)) }), options));
    expect(after.pixels.subarray(60 * 30 * 4)).toEqual(square.pixels.subarray(60 * 30 * 4));
    expect(after.pixels.subarray(0, 60 * 30 * 4)).not.toEqual(square.pixels.subarray(0, 60 * 30 * 4));
  });

  test('an image comes as bytes, as an upload, as a data URL, as PNG, JPEG or WebP', async () => {
    const [png] = files(await makeImages(asked('a red circle', { size: '64x64' }), options));
    if (png === undefined) throw new Error('No image came.');
    const jpeg = await new Bun.Image(png).jpeg({ quality: 95 }).bytes();
    const webp = await new Bun.Image(png).webp({ lossless: true }).bytes();
    const upload: GivenImage = {
      kind: 'file',
      file: {
        field: 'image',
        filename: '../../x.png',
        mediaType: 'image/png',
        bytes: png.length,
        async *open() {
          yield png.subarray(0, 100);
          yield png.subarray(100);
        },
      },
    };
    const url: GivenImage = { kind: 'url', url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` };
    for (const source of [given(png), upload, url, given(new Uint8Array(jpeg)), given(new Uint8Array(webp))]) {
      const reply = await editImages(change('make it black and white', { images: [source] }), options);
      const { width, height, pixels } = only(reply);
      expect([width, height]).toEqual([64, 64]);
      expect(pixels[0]).toBe(pixels[1] ?? -1);
    }
  });

  test('another size keeps the content, none keeps the size, and large ones shrink to what is made', async () => {
    const wide = given(
      encodePng(Object.assign(emptyBitmap(120, 30), { pixels: new Uint8Array(120 * 30 * 4).fill(180) })),
    );
    expect((await editImages(change('brighter', { images: [wide] }), options)).size).toBe('120x30');
    expect((await editImages(change('brighter', { images: [wide], size: 'auto' }), options)).size).toBe('120x30');
    expect((await editImages(change('brighter', { images: [wide], size: '64x64' }), options)).size).toBe('64x64');
    const large = given(encodePng(emptyBitmap(4096, 64), { level: 1 }));
    expect((await editImages(change('brighter', { images: [large] }), options)).size).toBe('2048x32');
    const tiny = given(encodePng(emptyBitmap(1, 1)));
    expect((await editImages(change('brighter', { images: [tiny] }), options)).size).toBe('16x16');
  });

  const png = encodePng(square);
  const cases: readonly (readonly [string, Partial<EditImageRequest>, string, RegExp])[] = [
    ['no image', { images: [] }, 'image', /needed/],
    ['seventeen images', { images: Array.from({ length: 17 }, () => image) }, 'image', /At most 16/],
    ['an empty file', { images: [given(new Uint8Array())] }, 'image', /empty/],
    ['a text', { images: [given(new Uint8Array(Buffer.from('no image at all')))] }, 'image', /PNG, JPEG, WebP/],
    ['a cut PNG', { images: [given(png.slice(0, 70))] }, 'image', /damaged|truncated|not an image/],
    [
      'a broken second image',
      { images: [image, given(png.slice(0, 70))] },
      'image[1]',
      /damaged|truncated|not an image/,
    ],
    [
      'a broken JPEG',
      { images: [given(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3))] },
      'image',
      /damaged|truncated|not an image/,
    ],
    [
      'an address elsewhere',
      { images: [{ kind: 'url', url: 'https://example.com/a.png' }] },
      'image',
      /fetches nothing/,
    ],
    ['a stored file', { images: [{ kind: 'file-id', id: 'file-1' }] }, 'image', /keeps no files/],
    ['a mask of another size', { mask: given(encodePng(emptyBitmap(10, 10))) }, 'mask', /as large as/],
    ['a mask that is no image', { mask: given(Uint8Array.of(1, 2, 3)) }, 'mask', /PNG, JPEG, WebP/],
  ];
  for (const [name, more, param, message] of cases) {
    test(`${name} is refused with its field`, async () => {
      const error = await refusal(editImages(change('blur', more), options));
      expect(error.status).toBe(400);
      expect(error.param).toBe(param);
      expect(error.message).toMatch(message);
    });
  }

  test('damaged JPEG and WebP files are refused or read, and the thread continues', async () => {
    const [file = new Uint8Array()] = files(await makeImages(asked('a cat', { outputFormat: 'jpeg' }), options));
    const [other = new Uint8Array()] = files(await makeImages(asked('a cat', { outputFormat: 'webp' }), options));
    let state = 7;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % below;
    };
    for (let round = 0; round < sized(60, 300); round += 1) {
      const copy = (round % 2 === 0 ? file : other).slice();
      for (let hit = 0; hit < 8; hit += 1) copy[next(copy.length)] = next(256);
      await editImages(change('invert', { images: [given(copy)] }), options).catch((error: unknown) => {
        expect(error).toBeInstanceOf(GatewayError);
        expect((error as GatewayError).status).toBe(400);
      });
    }
    expect((await editImages(change('invert'), options)).size).toBe('60x60');
  }, 300_000);
});

describe('the thread', () => {
  test('the loop is free while a large image is drawn, and its size `auto` is 1024 by 1024', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 5);
    const { size } = await makeImages(asked('a forest in the rain', { size: 'auto' }), options);
    clearInterval(timer);
    expect(size).toBe('1024x1024');
    expect(turns).toBeGreaterThan(0);
  });

  test('a caller that left is not drawn for, and others are', async () => {
    const leaving = new AbortController();
    const running = makeImages(asked('a city', { size: '512x512', count: 10 }), {
      ...options,
      signal: leaving.signal,
    });
    const staying = makeImages(asked('a cat'), options);
    leaving.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    expect((await staying).images).toHaveLength(1);
    await expect(makeImages(asked('a cat'), { ...options, signal: leaving.signal })).rejects.toThrow('left');
  });

  test('more than may wait are refused, and a job that takes too long ends with its thread', async () => {
    const hurried = createImageThread({ silentMsMax: 1, waitingMax: 1 });
    const large = (): Promise<ImageReply> =>
      makeImages(asked('a city', { size: '2048x2048' }), { ...options, thread: hurried });
    const [first, second, third] = [large(), large(), large()];
    expect((await refusal(third)).code).toBe('gateway_overloaded');
    expect((await refusal(first)).code).toBe('upstream_timeout');
    expect((await refusal(second)).code).toBe('upstream_timeout');
    hurried.stop();
  });

  test('a thread that cannot start is a clear error, every time', async () => {
    const missing = createImageThread({ workerUrl: new URL('./no-such-worker.ts', import.meta.url).href });
    const ask = (): Promise<ImageReply> => makeImages(asked('a cat'), { ...options, thread: missing });
    const both = await Promise.all([refusal(ask()), refusal(ask())]);
    for (const error of [...both, await refusal(ask())]) expect(error.code).toBe('provider_unavailable');
    missing.stop();
  });

  test('stopping refuses what waits, and the thread that idled away comes back', async () => {
    const brief = createImageThread({ idleMs: 1 });
    const made = await makeImages(asked('a cat'), { ...options, thread: brief });
    // Timers of equal length end in the order in which they began: the thread's went first.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await makeImages(asked('a cat'), { ...options, thread: brief })).toEqual(made);
    const pending = [1, 2].map(() => makeImages(asked('a cat', { size: '1024x1024' }), { ...options, thread: brief }));
    const refused = pending.map(refusal);
    await Promise.resolve();
    brief.stop();
    for (const error of await Promise.all(refused)) expect(error.code).toBe('shutting_down');
  });
});
