/**
 * Images generated through the official library over every wire that does so: at once and later, as
 * bytes and as URLs, whole and streamed.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BadRequestError } from 'openai';
import type { ImageGenerateParamsNonStreaming, ImageGenStreamEvent } from 'openai/resources/images';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import {
  elsewhereModels,
  imagePrices,
  imageRows,
  makingModel,
  nanoOfTokens,
  nanoPerImage,
  ownModels,
} from '../../../contract/operations/image-rows.ts';
import { madeUrl, png, pngBytes } from '../../../contract/operations/image-wires.ts';
import type { Seen, Tree } from '../../../contract/operations/scripted.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';

// Some answer after a second at the earliest, which is why all of this happens at once.
setDefaultTimeout(300_000);

let bench: Bench;
const owed = new Owed();
beforeAll(async () => {
  bench = await startBench(imageRows(), { prices: imagePrices });
});
afterAll(() => bench.remove());

/** Each with its provider. */
const providers: Readonly<Record<string, string>> = {
  'gpt-image-1': 'family',
  'dall-e-3': 'family',
  'plain-image': 'plain',
  'gemini-2.5-flash-image': 'gemini',
  [makingModel]: 'gemini',
  'flux-2-inline': 'bfl',
  'flux-2-pro': 'bfl',
  'acme/inline-model': 'replicate',
  'acme/flux-schnell': 'replicate',
  'acme/flux-schnell:1a2b3c': 'replicate',
  'fal-ai/inline/dev': 'fal',
  'fal-ai/flux/dev': 'fal',
};
const handingModels = [...ownModels, makingModel, 'plain-image'] as const;

let calls = 0;
/** No two prompts are alike, so that each request is found again among all that come at the same time. */
const newPrompt = () => `weir number ${++calls} at dawn.`;

function seenWith(model: string, prompt: string): readonly Seen[] {
  return bench.up(providers[model] ?? '').seen.filter(({ bytes }) => bytes.includes(prompt));
}

async function draw(fields: Partial<ImageGenerateParamsNonStreaming> & { readonly model: string }) {
  const prompt = newPrompt();
  const call = openaiOf(bench.weir).images.generate({ prompt, ...fields } as ImageGenerateParamsNonStreaming);
  const { data, response } = await call.withResponse();
  expect(response.headers.get('x-weir-provider')).toBe(providers[fields.model] ?? '');
  return { reply: data, response, seen: seenWith(fields.model, prompt) };
}

const priceOf = (model: string, count = 1) => (model === 'gpt-image-1' ? nanoOfTokens : nanoPerImage * BigInt(count));
const sentIn = (seen: readonly Seen[]) => JSON.parse(`${seen[0]?.bytes}`) as Tree;

describe.concurrent.each([...handingModels])('%s', (model) => {
  test.each([undefined, 'b64_json'] as const)('as bytes (%p)', async (responseFormat) => {
    const { reply, response } = await draw({ model, ...(responseFormat && { response_format: responseFormat }) });
    expect(reply.data).toHaveLength(1);
    expect(reply.data?.[0]?.b64_json).toBe(png);
    expect(reply.data?.[0]?.url).toBeUndefined();
    expect(reply.created).toBeNumber();
    expect(lossesOf(response)).toEqual([]);
    owed.add(response, priceOf(model));
  });

  test('behind an address that Weir serves', async () => {
    const { reply, response } = await draw({ model, response_format: 'url' });
    const [image] = reply.data ?? [];
    expect(image?.b64_json).toBeUndefined();
    expect(image?.url).toStartWith(`${bench.weir.base}/results/`);
    const served = await fetch(image?.url ?? '');
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await served.arrayBuffer()).equals(pngBytes)).toBe(true);
    const changed = new URL(image?.url ?? '');
    changed.searchParams.set('expires', `${Number(changed.searchParams.get('expires')) + 60}`);
    expect((await fetch(changed)).status).toBe(404);
    owed.add(response, priceOf(model));
  });

  test('a stream', async () => {
    const prompt = newPrompt();
    const call = openaiOf(bench.weir).images.generate({ model, prompt, stream: true }).withResponse();
    const { data: stream, response } = await call;
    const events: ImageGenStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type, b64_json }) => [type, b64_json])).toEqual([['image_generation.completed', png]]);
    expect(events[0]).toMatchObject({ output_format: 'png', usage: { total_tokens: expect.any(Number) } });
    owed.add(response, priceOf(model));
  });
});

// One server ignores the number and generates one image.
test.concurrent.each([...ownModels, makingModel])('three of %s', async (model) => {
  const { reply, response, seen } = await draw({ model, n: 3 });
  expect(reply.data?.map(({ b64_json }) => b64_json ?? '')).toEqual([png, png, png]);
  const asksAgain = ['gemini-2.5-flash-image', 'flux-2-inline'].includes(model);
  expect(seen.length).toBe(asksAgain ? 3 : 1);
  owed.add(response, priceOf(model, 3));
});

describe.concurrent('drafts on the way', () => {
  const events = async (model: string, drafts: number) => {
    const request = { model, prompt: newPrompt(), stream: true, partial_images: drafts } as const;
    const { data, response } = await openaiOf(bench.weir).images.generate(request).withResponse();
    return { events: await Array.fromAsync(data), losses: lossesOf(response) };
  };

  test.each([0, 1, 2, 3])('%d from who draws them', async (drafts) => {
    const seen = await events('gpt-image-1', drafts);
    expect(seen.losses).toEqual([]);
    expect(seen.events.map(({ type }) => type)).toEqual([
      ...Array.from({ length: drafts }, () => 'image_generation.partial_image' as const),
      'image_generation.completed',
    ]);
    seen.events.forEach((event, index) => {
      if (event.type === 'image_generation.partial_image') expect(event.partial_image_index).toBe(index);
      expect(event.b64_json).toBe(png);
    });
  });

  test.each(handingModels.slice(1, 6))('none from %s, which a loss says', async (model) => {
    const seen = await events(model, 2);
    expect(seen.losses).toEqual(['partial_images']);
    expect(seen.events.map(({ type }) => type)).toEqual(['image_generation.completed']);
  });
});

describe.concurrent('a provider that only returns a URL', () => {
  test.each([...elsewhereModels, 'dall-e-3'])('%s', async (model) => {
    const { reply, response, seen } = await draw({ model, response_format: 'url' });
    expect(reply.data?.map(({ url }) => url ?? '')).toEqual([madeUrl]);
    expect(seen.length).toBe(1);
    owed.add(response, nanoPerImage);
  });

  test.each([...elsewhereModels])('%s, where the bytes were asked for and cannot be had', async (model) => {
    const { reply, response } = await draw({ model, response_format: 'b64_json', n: 2 });
    expect(reply.data?.map(({ url }) => url ?? '')).toEqual([madeUrl, madeUrl]);
    expect(lossesOf(response)).toEqual(['data[0].b64_json', 'data[1].b64_json']);
    owed.add(response, 2n * nanoPerImage);
  });

  test('and who hands bytes over where they are asked for', async () => {
    const { reply } = await draw({ model: 'dall-e-3', response_format: 'b64_json' });
    expect(reply.data?.[0]?.b64_json).toBe(png);
  });
});

describe.concurrent('every other option', () => {
  const options = {
    size: '1536x1024',
    quality: 'high',
    style: 'natural',
    background: 'opaque',
    moderation: 'low',
    output_format: 'jpeg',
    output_compression: 50,
    user: 'ada',
  } as const;

  /** What each wire has a word for, and what is lost. */
  const expectedBodies: Readonly<Record<string, readonly [sent: object, losses: readonly string[]]>> = {
    'gpt-image-1': [options, []],
    'dall-e-3': [options, []],
    'plain-image': [options, []],
    'gemini-2.5-flash-image': [
      { generationConfig: { imageConfig: { aspectRatio: '3:2', imageSize: '2K' } } },
      // Both fields hold only the proportions and the approximate size.
      ['size', 'quality', 'style', 'background', 'output_format', 'output_compression', 'moderation', 'user'],
    ],
    [makingModel]: [
      { parameters: { outputOptions: { mimeType: 'image/jpeg', compressionQuality: 50 } } },
      ['size', 'quality', 'style', 'background', 'moderation', 'user'],
    ],
    'flux-2-inline': [
      { width: 1_536, height: 1_024, output_format: 'jpeg' },
      ['quality', 'style', 'background', 'output_compression', 'moderation', 'user'],
    ],
    'acme/inline-model': [
      { input: { aspect_ratio: '3:2', output_format: 'jpg', output_quality: 50 } },
      ['size', 'quality', 'style', 'background', 'moderation', 'user'],
    ],
    'fal-ai/inline/dev': [
      { image_size: { width: 1_536, height: 1_024 }, output_format: 'jpeg' },
      ['quality', 'style', 'background', 'output_compression', 'moderation', 'user'],
    ],
  };

  test.each([...handingModels, 'dall-e-3'])('%s', async (model) => {
    const { response, seen } = await draw({ model, ...options });
    const [sent, losses] = expectedBodies[model] ?? [{}, []];
    expect(sentIn(seen)).toMatchObject(sent);
    expect(lossesOf(response).sort()).toEqual([...losses].sort());
  });

  test.each([...handingModels])('%s: a strict caller is refused what would be lost', async (model) => {
    const prompt = newPrompt();
    const call = openaiOf(bench.weir).images.generate(
      { model, prompt, user: 'ada' },
      { headers: { 'x-weir-strict': 'true' } },
    );
    if ((expectedBodies[model]?.[1] ?? []).length === 0) {
      expect((await call).data).toHaveLength(1);
      return;
    }
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.code, error.param]).toEqual(['loss_refused', 'user']);
    expect(seenWith(model, prompt)).toEqual([]);
  });
});

describe.concurrent('refusals', () => {
  test.each([...handingModels])('%s is not asked for what is wrong in itself', async (model) => {
    for (const [param, value] of [
      ['n', 0],
      ['n', 11],
      ['size', 'huge'],
      ['prompt', ''],
      ['output_compression', 101],
      ['response_format', 'file'],
    ] as const) {
      const prompt = newPrompt();
      const error = await failureOf(openaiOf(bench.weir).images.generate({ model, prompt, [param]: value } as never));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.param).toBe(param);
      expect(seenWith(model, prompt)).toEqual([]);
    }
  });

  test.each([
    'gemini-2.5-flash-image',
    'flux-2-pro',
  ])('%s will not draw it, and the words reach the caller', async (model) => {
    const prompt = `something forbidden, ${newPrompt()}`;
    for (const stream of [false, true]) {
      const error = await failureOf(openaiOf(bench.weir).images.generate({ model, prompt, stream } as never));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.code).toBe('upstream_refused');
      expect(error.message).toMatch(/PROHIBITED_CONTENT|Content Moderated/);
    }
  });
});

test('without a model one that draws is chosen', async () => {
  const call = openaiOf(bench.weir).images.generate({ prompt: newPrompt() });
  const { data, response } = await call.withResponse();
  expect(data.data).toHaveLength(1);
  expect(Object.values(providers)).toContain(response.headers.get('x-weir-provider') ?? '');
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
