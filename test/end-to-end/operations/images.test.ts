/** Image generation through the official library and the AI SDK: every option, streamed or whole, inline or by URL. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage } from 'ai';
import { BadRequestError } from 'openai';
import type {
  ImageGenerateParamsNonStreaming,
  ImageGenerateParamsStreaming,
  ImageGenStreamEvent,
} from 'openai/resources/images';
import { derive } from '../../../src/secrets/key-ring.ts';
import { loadSecrets } from '../../../src/store/secret-keys/secret-key.ts';
import { pixelAt, pixelsIn } from '../../harness/bitmaps.ts';
import { errorOf } from '../../harness/chat.ts';
import { failureOf, openaiOf, watchedFetch } from '../../harness/operation-clients.ts';
import { isFullSize } from '../../harness/size.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const model = 'sandbox-image';
const prompt = 'a red boat on a calm lake at sunset';
const small = { model, prompt, size: '128x96' } as const;

let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

const generate = (fields: Partial<ImageGenerateParamsNonStreaming> = {}) =>
  openaiOf(weir).images.generate({ ...small, ...fields } as ImageGenerateParamsNonStreaming);

describe('made whole', () => {
  test('by default it is one PNG of the default size, in the reply itself', async () => {
    const reply = await openaiOf(weir).images.generate({ model, prompt });
    expect(reply.data).toHaveLength(1);
    expect(reply).toMatchObject({ size: '1024x1024', output_format: 'png', background: 'opaque' });
    expect(Math.abs(reply.created - Date.now() / 1000)).toBeLessThan(60);
    const [image] = reply.data ?? [];
    expect(image?.url).toBeUndefined();
    expect(image?.revised_prompt).toContain('boat');
    expect(pixelsIn(image?.b64_json)).toMatchObject({ width: 1024, height: 1024 });
    expect(reply.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('without a model the one that draws is chosen', async () => {
    const reply = await openaiOf(weir).images.generate({ prompt, size: '256x256' });
    expect(pixelsIn(reply.data?.[0]?.b64_json).width).toBe(256);
  });

  test.each([
    '256x256',
    '512x512',
    '1536x1024',
    '1024x1792',
    '64x17',
    'auto',
    ...(isFullSize ? ['1024x1536', '1792x1024'] : []),
  ])('size %s', async (size) => {
    const reply = await generate({ size });
    const { width, height } = pixelsIn(reply.data?.[0]?.b64_json);
    expect(`${width}x${height}`).toBe(size === 'auto' ? '1024x1024' : size);
    // The published schema has a closed list of sizes for replies.
    const named = ['1024x1024', '1024x1536', '1536x1024'].includes(`${width}x${height}`);
    expect(reply.size).toBe(named ? `${width}x${height}` : undefined);
  });

  test('several images differ, and the same request gives the same ones', async () => {
    const reply = await generate({ n: 4 });
    const files = (reply.data ?? []).map(({ b64_json }) => b64_json ?? '');
    expect(files).toHaveLength(4);
    expect(new Set(files).size).toBe(4);
    for (const file of files) expect(pixelsIn(file)).toMatchObject({ width: 128, height: 96 });
    const again = await generate({ n: 4 });
    expect((again.data ?? []).map(({ b64_json }) => b64_json ?? '')).toEqual(files);
    expect((await generate({ n: 10, size: '32x32' })).data).toHaveLength(10);
  });

  test('the image depends on the prompt: another one gives another image', async () => {
    const [boat, house] = await Promise.all([generate(), generate({ prompt: 'a blue house in the snow at night' })]);
    expect(boat.data?.[0]?.b64_json).not.toBe(house.data?.[0]?.b64_json);
    expect(house.data?.[0]?.revised_prompt).toContain('house');
  });

  test.each([
    ['png', [0x89, 0x50, 0x4e, 0x47]],
    ['jpeg', [0xff, 0xd8, 0xff]],
    ['webp', [0x52, 0x49, 0x46, 0x46]],
  ] as const)('as %s', async (format, magic) => {
    const reply = await generate({ output_format: format });
    expect(reply.output_format).toBe(format);
    const bytes = Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    expect([...bytes.subarray(0, magic.length)]).toEqual([...magic]);
    const size = await new Bun.Image(bytes).metadata();
    expect([size.width, size.height]).toEqual([128, 96]);
  });

  test('lower quality has fewer bytes', async () => {
    const bytes = async (output_compression: number) => {
      const reply = await generate({ output_format: 'jpeg', output_compression, size: '512x512' });
      return Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64').length;
    };
    expect(await bytes(10)).toBeLessThan(await bytes(95));
  });

  test('a transparent background is transparent', async () => {
    const reply = await generate({ background: 'transparent' });
    expect(reply.background).toBe('transparent');
    expect(pixelAt(pixelsIn(reply.data?.[0]?.b64_json), 0, 0)[3]).toBe(0);
    const opaque = await generate({ background: 'opaque' });
    expect(pixelAt(pixelsIn(opaque.data?.[0]?.b64_json), 0, 0)[3]).toBe(255);
  });

  test('options for quality, style, moderation and user are accepted', async () => {
    const reply = await generate({ quality: 'low', style: 'natural', moderation: 'low', user: 'ada' });
    expect(reply.data).toHaveLength(1);
    expect(reply.quality).toBe('low');
  });
});

describe('streamed', () => {
  async function events(fields: object): Promise<ImageGenStreamEvent[]> {
    const seen: ImageGenStreamEvent[] = [];
    const request = { ...small, ...fields, stream: true } as ImageGenerateParamsStreaming;
    for await (const event of await openaiOf(weir).images.generate(request)) seen.push(event);
    return seen;
  }

  test.each([0, 1, 2, 3])('%p drafts, then the image', async (partial_images) => {
    const seen = await events({ partial_images });
    expect(seen.map(({ type }) => type)).toEqual([
      ...Array.from({ length: partial_images }, () => 'image_generation.partial_image' as const),
      'image_generation.completed',
    ]);
    seen.forEach((event, index) => {
      if (event.type === 'image_generation.partial_image') expect(event.partial_image_index).toBe(index);
      expect(pixelsIn(event.b64_json)).toMatchObject({ width: 128, height: 96 });
    });
    const whole = await generate();
    const last = seen.at(-1);
    expect(last?.b64_json).toBe(whole.data?.[0]?.b64_json ?? '');
    if (last?.type !== 'image_generation.completed') throw new Error('no end');
    expect(last.usage.total_tokens).toBeGreaterThan(0);
    expect(last).toMatchObject({ size: 'auto', output_format: 'png', background: 'opaque' });
    expect(new Set(seen.map(({ b64_json }) => b64_json)).size).toBe(seen.length);
  });

  test('two images are completed one after the other', async () => {
    const seen = await events({ n: 2, partial_images: 1 });
    expect(seen.map(({ type }) => type.split('.')[1])).toEqual(['partial_image', 'completed', 'completed']);
    const whole = await generate({ n: 2 });
    expect(seen.slice(1).map(({ b64_json }) => b64_json)).toEqual(
      (whole.data ?? []).map(({ b64_json }) => b64_json ?? ''),
    );
  });

  test('the stream is a stream on the wire', async () => {
    const reply = await watchedFetch(`${weir.base}/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...small, stream: true, partial_images: 2 }),
    });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    expect(reply.headers.get('cache-control')).toContain('no-cache');
    const text = await reply.text();
    const last = text.trimEnd().split('\n\n').at(-1) ?? '';
    expect(last).toContain('image_generation.completed');
  });

  test('an invalid request is a status, not a stream', async () => {
    const error = await failureOf(openaiOf(weir).images.generate({ ...small, size: '9x9', stream: true }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe('size');
  });
});

describe('behind a URL', () => {
  async function made(fields: Partial<ImageGenerateParamsNonStreaming> = {}): Promise<string[]> {
    const reply = await generate({ response_format: 'url', ...fields });
    return (reply.data ?? []).map(({ url, b64_json }) => {
      expect(b64_json).toBeUndefined();
      return url ?? '';
    });
  }

  test('Weir serves the same image to anyone with the URL', async () => {
    const inline = await generate({ response_format: 'b64_json', n: 2 });
    const urls = await made({ n: 2 });
    expect(new Set(urls).size).toBe(2);
    for (const [index, url] of urls.entries()) {
      expect(url).toStartWith(`${weir.base}/results/`);
      const reply = await fetch(url);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('image/png');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      const bytes = Buffer.from(await reply.bytes());
      expect(Number(reply.headers.get('content-length'))).toBe(bytes.length);
      expect(bytes.toString('base64')).toBe(inline.data?.[index]?.b64_json ?? '');
    }
  });

  test.each([
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
  ] as const)('as %s', async (output_format, contentType) => {
    const [url = ''] = await made({ output_format });
    expect((await fetch(url)).headers.get('content-type')).toBe(contentType);
  });

  test('in part', async () => {
    const [url = ''] = await made();
    const whole = Buffer.from(await (await fetch(url)).bytes());
    const part = (range: string) => fetch(url, { headers: { range } });
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, whole.length - 1],
      ['bytes=-7', whole.length - 7, whole.length - 1],
      [`bytes=0-${whole.length + 99}`, 0, whole.length - 1],
    ] as const) {
      const reply = await part(range);
      expect(reply.status).toBe(206);
      expect(reply.headers.get('content-range')).toBe(`bytes ${start}-${end}/${whole.length}`);
      expect(Buffer.from(await reply.bytes()).equals(whole.subarray(start, end + 1))).toBe(true);
    }
    const outside = await part(`bytes=${whole.length}-`);
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    expect((await part('lines=1-2')).status).toBe(200);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBe(whole.length);
  });

  test('a URL that was changed in any place is refused', async () => {
    const [address = '', other = ''] = await made({ n: 2 });
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(address);
      change(url);
      return url.href;
    };
    const expires = Number(new URL(address).searchParams.get('expires'));
    const wrong = [
      changed((url) => url.searchParams.set('expires', String(expires + 3600))),
      changed((url) => url.searchParams.set('expires', '9'.repeat(400))),
      changed((url) => url.searchParams.delete('expires')),
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => url.searchParams.set('signature', 'é'.repeat(32))),
      changed((url) => url.searchParams.set('signature', new URL(other).searchParams.get('signature') ?? '')),
      changed((url) => {
        url.pathname = new URL(other).pathname;
      }),
      changed((url) => {
        url.pathname = url.pathname.replace(/\.png$/, '.webp');
      }),
      `${weir.base}/results/..%2f..%2fweir.db?expires=${expires}&signature=x`,
      `${weir.base}/results/nothing.png`,
    ];
    for (const url of wrong) {
      const reply = await fetch(url);
      expect([url, reply.status]).toEqual([url, 404]);
      expect((await errorOf(reply)).code).toBe('not_found');
    }
    expect((await fetch(address)).status).toBe(200);
  });

  test('an expired URL is refused, even with a valid signature', async () => {
    const [address = ''] = await made();
    const url = new URL(address);
    const { secrets } = await loadSecrets({ dataFolder: weir.dataFolder });
    const id = url.pathname.split('/').at(-1);
    const signed = (expires: number): string => {
      const signature = createHmac('sha256', derive(secrets[0], 'result-address'))
        .update(`${id}\n${expires}`)
        .digest('hex');
      return `${url.origin}${url.pathname}?expires=${expires}&signature=${signature}`;
    };
    const nowSeconds = Math.floor(Date.now() / 1000);
    expect((await fetch(signed(nowSeconds + 60))).status).toBe(200);
    expect((await fetch(signed(nowSeconds - 1))).status).toBe(404);
    const lifetime = Number(url.searchParams.get('expires')) - nowSeconds;
    expect(lifetime).toBeGreaterThan(0);
    expect(lifetime).toBeLessThanOrEqual(24 * 3600);
  });

  test('a result survives a restart', async () => {
    const own = await startWeir();
    try {
      const reply = await openaiOf(own).images.generate({ ...small, response_format: 'url' });
      const url = reply.data?.[0]?.url ?? '';
      expect((await fetch(url)).status).toBe(200);
      await own.stop();
      await own.restart();
      expect((await fetch(url)).status).toBe(200);
      expect(await Array.fromAsync(new Bun.Glob('*.part').scan(join(own.dataFolder, 'results')))).toEqual([]);
    } finally {
      await own.remove();
    }
  });
});

describe('AI SDK', () => {
  const fetcher = watchedFetch as typeof fetch;
  const models = {
    openai: () => createOpenAI({ apiKey: weir.token, baseURL: weir.base, fetch: fetcher }).image(model),
    'openai-compatible': () =>
      createOpenAICompatible({ name: 'weir', apiKey: weir.token, baseURL: weir.base, fetch: fetcher }).imageModel(
        model,
      ),
  };

  test.each(Object.entries(models))('%s', async (_name, make) => {
    const { image, images, responses } = await generateImage({
      model: make(),
      prompt,
      size: '128x96',
      n: 2,
      maxRetries: 0,
    });
    expect(images).toHaveLength(2);
    expect(image.mediaType).toBe('image/png');
    expect(pixelsIn(image.base64)).toMatchObject({ width: 128, height: 96 });
    expect(responses.length).toBeGreaterThan(0);
    const inline = await generate({ n: 1 });
    expect(image.base64).toBe(inline.data?.[0]?.b64_json ?? '');
  });

  test('options of the provider', async () => {
    const { image } = await generateImage({
      model: models.openai(),
      prompt,
      size: '64x64',
      maxRetries: 0,
      providerOptions: { openai: { background: 'transparent', output_format: 'png', outputFormat: 'png' } },
    });
    expect(pixelAt(pixelsIn(image.base64), 0, 0)[3]).toBe(0);
  });
});

test.each([
  ['prompt', 'absent', undefined],
  ['prompt', 'empty', ''],
  ['prompt', 'blank', '   '],
  ['prompt', 'a number', 5],
  ['prompt', 'too long', 'a'.repeat(32_001)],
  ['n', 'zero', 0],
  ['n', 'too many', 11],
  ['n', 'a fraction', 1.5],
  ['n', 'negative', -1],
  ['size', 'a word', 'huge'],
  ['size', 'no pixels', '0x10'],
  ['size', 'too few pixels', '8x8'],
  ['size', 'too many pixels', '4096x4096'],
  ['size', 'proportions', '1:1'],
  ['response_format', 'unknown', 'file'],
  ['output_format', 'unknown', 'bmp'],
  ['output_format', 'not made here', 'svg'],
  ['output_compression', 'over a hundred', 101],
  ['background', 'a color', 'green'],
  ['partial_images', 'too many', 4],
  ['stream', 'a word', 'yes'],
  ['model', 'empty', ''],
])('refused by the name of the field: %s, %s', async (param, _what, value) => {
  const error = await failureOf(generate({ [param]: value }));
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error.param).toBe(param);
});

test('a transparent JPEG is refused', async () => {
  const error = await failureOf(generate({ background: 'transparent', output_format: 'jpeg' }));
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error.param).toBe('background');
});
