/** Image edits through the official library and the AI SDK: inside the mask, by form and JSON, one image and many. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage } from 'ai';
import { BadRequestError } from 'openai';
import type {
  ImageEditParamsNonStreaming,
  ImageEditParamsStreaming,
  ImageEditStreamEvent,
} from 'openai/resources/images';
import {
  boxMask,
  changedPixels,
  noisyBitmap,
  paint,
  pixelAt,
  pixelsIn,
  pngBase64,
  pngFile,
} from '../../harness/bitmaps.ts';
import { errorOf } from '../../harness/chat.ts';
import { failureOf, openaiOf, watchedFetch } from '../../harness/operation-clients.ts';
import { isFullSize } from '../../harness/size.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const model = 'sandbox-image';
const before = noisyBitmap(96, 64);
const box = { left: 20, top: 10, side: 30 };
const mask = boxMask(96, 64, box);
const inBox = box.side * box.side;

let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

const edit = (fields: Partial<ImageEditParamsNonStreaming> = {}) =>
  openaiOf(weir).images.edit({ model, image: pngFile(before), prompt: 'make it black and white', ...fields });

async function post(body: object): Promise<Response> {
  return watchedFetch(`${weir.base}/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt: 'make it black and white', ...body }),
  });
}

describe('only inside the mask', () => {
  const prompts = [
    'make it black and white',
    'invert the colors',
    'blur it very much',
    'paint it red',
    'pixelate it',
    'remove what is there',
    'a sun over the sea',
    'add a tree',
    'replace it with a house in the snow',
    'change the background to blue',
    'mirror it',
    'turn it upside down',
  ];

  test.each(prompts)('%s', async (prompt) => {
    const reply = await edit({ prompt, mask: pngFile(mask, 'mask.png') });
    const after = pixelsIn(reply.data?.[0]?.b64_json);
    expect([after.width, after.height]).toEqual([96, 64]);
    const { inside, outside } = changedPixels(before, after, box);
    expect(outside).toBe(0);
    expect(inside).toBeGreaterThan(inBox / 20);
  });

  test('a fully opaque mask changes nothing', async () => {
    const shut = paint(96, 64, () => [0, 0, 0, 255]);
    const reply = await edit({ prompt: 'invert the colors', mask: pngFile(shut, 'mask.png') });
    const { inside, outside } = changedPixels(before, pixelsIn(reply.data?.[0]?.b64_json), box);
    expect([inside, outside]).toEqual([0, 0]);
  });

  test('without a mask the whole image changes', async () => {
    const reply = await edit({ prompt: 'invert the colors' });
    const after = pixelsIn(reply.data?.[0]?.b64_json);
    expect(changedPixels(before, after, box).outside).toBeGreaterThan(96 * 64 * 0.8);
    const [red = 0, green = 0, blue = 0] = pixelAt(before, 40, 20);
    expect(pixelAt(after, 40, 20)).toEqual([255 - red, 255 - green, 255 - blue, 255]);
  });

  test('several images share the mask of the first', async () => {
    const other = paint(96, 64, () => [0, 0, 255, 255]);
    const reply = await edit({
      prompt: 'overlay the second on top of the first',
      image: [pngFile(before), pngFile(other, 'other.png')],
      mask: pngFile(mask, 'mask.png'),
    });
    const { inside, outside } = changedPixels(before, pixelsIn(reply.data?.[0]?.b64_json), box);
    expect(outside).toBe(0);
    expect(inside).toBeGreaterThan(0);
  });
});

describe('options', () => {
  test('several images in, one out', async () => {
    const colors = [
      [255, 0, 0, 255],
      [0, 255, 0, 255],
      [0, 0, 255, 255],
    ] as const;
    const image = colors.map((color, index) =>
      pngFile(
        paint(32, 32, () => color),
        `${index}.png`,
      ),
    );
    const reply = await edit({ image, prompt: 'put them side by side' });
    const after = pixelsIn(reply.data?.[0]?.b64_json);
    const seen = new Set<string>();
    for (let y = 0; y < after.height; y++) for (let x = 0; x < after.width; x++) seen.add(pixelAt(after, x, y).join());
    for (const color of colors) expect(seen.has(color.join())).toBe(true);
  });

  test('sixteen are taken, seventeen are not', async () => {
    const images = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        pngFile(
          paint(16, 16, () => [index, 0, 0, 255]),
          `${index}.png`,
        ),
      );
    expect((await edit({ image: images(16), prompt: 'side by side' })).data).toHaveLength(1);
    const error = await failureOf(edit({ image: images(17), prompt: 'side by side' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toStartWith('image');
  });

  test.each([
    '64x64',
    '1536x1024',
    'auto',
    ...(isFullSize ? ['256x256', '1024x1024'] : []),
  ])('size %s', async (size) => {
    const reply = await edit({ size });
    const { width, height } = pixelsIn(reply.data?.[0]?.b64_json);
    expect(`${width}x${height}`).toBe(size === 'auto' ? '96x64' : size);
  });

  test('n', async () => {
    const reply = await edit({ n: 3, prompt: 'a sun over the sea' });
    expect(reply.data).toHaveLength(3);
    for (const { b64_json } of reply.data ?? []) expect(pixelsIn(b64_json).width).toBe(96);
  });

  test.each(['png', 'jpeg', 'webp'] as const)('as %s', async (output_format) => {
    const reply = await edit({ output_format, output_compression: 80 });
    expect(reply.output_format).toBe(output_format);
    const bytes = Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    const { width, height } = await new Bun.Image(bytes).metadata();
    expect([width, height]).toEqual([96, 64]);
  });

  test('other options of the library are accepted', async () => {
    const reply = await edit({ quality: 'high', background: 'opaque', input_fidelity: 'high', user: 'ada' });
    expect(reply.data).toHaveLength(1);
    expect(reply.quality).toBe('high');
  });

  test('behind a URL of Weir', async () => {
    const reply = await edit({ response_format: 'url', mask: pngFile(mask, 'mask.png') });
    const [image] = reply.data ?? [];
    expect(image?.b64_json).toBeUndefined();
    const served = await fetch(image?.url ?? '');
    expect(served.headers.get('content-type')).toBe('image/png');
    const after = pixelsIn(Buffer.from(await served.bytes()).toString('base64'));
    expect(changedPixels(before, after, box).outside).toBe(0);
  });

  test('without a model the one that edits is chosen', async () => {
    const reply = await openaiOf(weir).images.edit({ image: pngFile(before), prompt: 'invert the colors' });
    expect(pixelsIn(reply.data?.[0]?.b64_json).width).toBe(96);
  });

  test('images of other kinds are accepted: JPEG, WebP', async () => {
    for (const format of ['jpeg', 'webp'] as const) {
      const made = await edit({ output_format: format });
      const bytes = Buffer.from(made.data?.[0]?.b64_json ?? '', 'base64');
      const image = new File([bytes], `a.${format}`, { type: `image/${format}` });
      const reply = await edit({ image, prompt: 'invert the colors' });
      expect(pixelsIn(reply.data?.[0]?.b64_json)).toMatchObject({ width: 96, height: 64 });
    }
  });

  test('a file without a type is known by its content or name', async () => {
    const image = new File([await pngFile(before).bytes()], 'image.png');
    expect((await edit({ image })).data).toHaveLength(1);
  });
});

describe('streamed', () => {
  async function events(fields: object): Promise<ImageEditStreamEvent[]> {
    const seen: ImageEditStreamEvent[] = [];
    const request = { model, image: pngFile(before), prompt: 'invert the colors', ...fields, stream: true };
    for await (const event of await openaiOf(weir).images.edit(request as ImageEditParamsStreaming)) seen.push(event);
    return seen;
  }

  test.each([0, 1, 2, 3])('%p drafts, then the image', async (partial_images) => {
    const seen = await events({ partial_images, mask: pngFile(mask, 'mask.png') });
    expect(seen.map(({ type }) => type)).toEqual([
      ...Array.from({ length: partial_images }, () => 'image_edit.partial_image' as const),
      'image_edit.completed',
    ]);
    seen.forEach((event, index) => {
      if (event.type === 'image_edit.partial_image') expect(event.partial_image_index).toBe(index);
      expect(pixelsIn(event.b64_json)).toMatchObject({ width: 96, height: 64 });
    });
    const whole = await edit({ prompt: 'invert the colors', mask: pngFile(mask, 'mask.png') });
    expect(seen.at(-1)?.b64_json).toBe(whole.data?.[0]?.b64_json ?? '');
  });
});

describe('JSON instead of a form', () => {
  const inline = `data:image/png;base64,${pngBase64(before)}`;

  test('an image and its mask as data URLs work like files', async () => {
    const reply = await post({
      images: [{ image_url: inline }],
      mask: { image_url: `data:image/png;base64,${pngBase64(mask)}` },
    });
    expect(reply.status).toBe(200);
    const { data } = (await reply.json()) as { data: { b64_json: string }[] };
    const byForm = await edit({ mask: pngFile(mask, 'mask.png') });
    expect(data[0]?.b64_json).toBe(byForm.data?.[0]?.b64_json ?? '');
  });

  test.each([
    ['images', { images: [] }],
    ['images', {}],
    ['images', { images: 'x' }],
    ['image', { images: [{ image_url: inline }], image: inline }],
    ['images[0].image_url', { images: [{ image_url: 'ftp://example.com/a.png' }] }],
    ['images[0].image_url', { images: [{ image_url: 'data:image/png;base64,%%%' }] }],
    ['images[0].image_url', { images: [{ image_url: 'data:text/html;base64,PGI+' }] }],
    ['images[0]', { images: [{ image_url: inline, file_id: 'file-1' }] }],
    ['prompt', { images: [{ image_url: inline }], prompt: '' }],
    ['mask.image_url', { images: [{ image_url: inline }], mask: { image_url: 'nonsense' } }],
  ])('refused, naming %s', async (param, body) => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect((await errorOf(reply)).param).toBe(param);
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

  test.each(Object.entries(models))('%s: an image and its mask', async (_name, make) => {
    const image = await pngFile(before).bytes();
    const { image: made } = await generateImage({
      model: make(),
      prompt: { images: [image], mask: await pngFile(mask).bytes(), text: 'invert the colors' },
      maxRetries: 0,
    });
    const { inside, outside } = changedPixels(before, pixelsIn(made.base64), box);
    expect(outside).toBe(0);
    expect(inside).toBeGreaterThan(inBox / 2);
  });

  test.each(Object.entries(models))('%s: two images', async (_name, make) => {
    const images = [await pngFile(before).bytes(), await pngFile(mask).bytes()];
    const prompt = { images, text: 'put them side by side' };
    const { images: made } = await generateImage({ model: make(), prompt, n: 2, maxRetries: 0 });
    expect(made).toHaveLength(2);
  });
});

describe('invalid input is refused by the name of its field', () => {
  const text = new File(['not an image'], 'a.png', { type: 'image/png' });
  const cut = async () => new File([(await pngFile(before).bytes()).slice(0, 200)], 'a.png', { type: 'image/png' });

  test('files that are no images, damaged, empty, or of no known kind', async () => {
    for (const image of [text, await cut(), new File([], 'a.png', { type: 'image/png' })]) {
      const error = await failureOf(edit({ image }));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.param).toBe('image');
    }
    const page = await failureOf(edit({ image: new File(['<b>'], 'a.html', { type: 'text/html' }) }));
    expect(page.param).toBe('image');
  });

  test('a mask of another size, or none at all', async () => {
    const wrong = await failureOf(edit({ mask: pngFile(boxMask(32, 32, box), 'mask.png') }));
    expect(wrong).toBeInstanceOf(BadRequestError);
    expect(wrong.param).toBe('mask');
    const broken = await failureOf(edit({ mask: text }));
    expect(broken.param).toBe('mask');
  });

  test.each([
    ['prompt', { prompt: '' }],
    ['n', { n: 0 }],
    ['n', { n: 11 }],
    ['size', { size: 'huge' }],
    ['input_fidelity', { input_fidelity: 'medium' }],
    ['output_compression', { output_compression: 101 }],
  ])('%s', async (param, fields) => {
    const error = await failureOf(edit(fields as never));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });

  test('a form without its image', async () => {
    const form = new FormData();
    form.set('model', model);
    form.set('prompt', 'invert the colors');
    const reply = await fetch(`${weir.base}/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}` },
      body: form,
    });
    expect(reply.status).toBe(400);
    expect((await errorOf(reply)).param).toBe('image');
  });
});
