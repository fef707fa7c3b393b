/**
 * Images edited through the official library over every wire that edits them: one and several, masked,
 * streamed, as bytes and as URLs.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BadRequestError } from 'openai';
import type { ImageEditParamsNonStreaming } from 'openai/resources/images';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import {
  elsewhereModels,
  imagePrices,
  imageRows,
  nanoOfTokens,
  nanoPerImage,
  ownModels,
} from '../../../contract/operations/image-rows.ts';
import { madeUrl, png, pngBytes } from '../../../contract/operations/image-wires.ts';
import { formOf, type Seen, type Tree } from '../../../contract/operations/scripted.ts';
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

const providers: Readonly<Record<string, string>> = {
  'gpt-image-1': 'family',
  'plain-image': 'plain',
  'gemini-2.5-flash-image': 'gemini',
  'flux-2-inline': 'bfl',
  'flux-2-pro': 'bfl',
  'acme/inline-model': 'replicate',
  'acme/flux-schnell': 'replicate',
  'acme/flux-schnell:1a2b3c': 'replicate',
  'fal-ai/inline/dev': 'fal',
  'fal-ai/flux/dev': 'fal',
};
const handingModels = [...ownModels, 'plain-image'] as const;
/** What the library sends is what they read: a form. */
const formModels: readonly string[] = ['gpt-image-1', 'plain-image'];
const otherModels = ownModels.slice(1);

let calls = 0;
/** No two prompts are alike, so that each request is found again among all that come at the same time. */
const newPrompt = () => `make it night ${++calls}.`;
const imageFile = (name = 'image.png') => new File([pngBytes], name, { type: 'image/png' });

function seenWith(model: string, prompt: string): readonly Seen[] {
  return bench.up(providers[model] ?? '').seen.filter(({ bytes }) => bytes.includes(prompt));
}

async function edit(fields: Partial<ImageEditParamsNonStreaming> & { readonly model: string }) {
  const prompt = newPrompt();
  const call = openaiOf(bench.weir).images.edit({ prompt, image: imageFile(), ...fields });
  const { data, response } = await call.withResponse();
  expect(response.headers.get('x-weir-provider')).toBe(providers[fields.model] ?? '');
  return { reply: data, response, seen: seenWith(fields.model, prompt) };
}

const priceOf = (model: string, count = 1) => (model === 'gpt-image-1' ? nanoOfTokens : nanoPerImage * BigInt(count));
const treeIn = (seen: readonly Seen[]) => JSON.parse(`${seen[0]?.bytes}`) as Tree;
const timesIn = (seen: readonly Seen[]) => `${seen[0]?.bytes}`.split(png).length - 1;

async function formIn([first]: readonly Seen[]): Promise<FormData> {
  if (first === undefined) throw new Error('no provider was called');
  return formOf(first);
}

describe.concurrent.each([...handingModels])('%s', (model) => {
  const isForm = formModels.includes(model);

  test('one image', async () => {
    const { reply, response, seen } = await edit({ model });
    expect(reply.data?.map(({ b64_json }) => b64_json ?? '')).toEqual([png]);
    expect(reply.created).toBeNumber();
    expect(lossesOf(response)).toEqual([]);
    if (isForm) expect((await formIn(seen)).getAll('image')).toHaveLength(1);
    else expect(timesIn(seen)).toBe(1);
    owed.add(response, priceOf(model));
  });

  test('several images, as many as it takes', async () => {
    const { reply, response, seen } = await edit({ model, image: [imageFile('a.png'), imageFile('b.png')] });
    expect(reply.data).toHaveLength(1);
    // Two of them read one image only.
    const takesOne = ['acme/inline-model', 'fal-ai/inline/dev'].includes(model);
    expect(lossesOf(response)).toEqual(takesOne ? ['images[1]'] : []);
    if (isForm) expect((await formIn(seen)).getAll('image[]')).toHaveLength(2);
    else expect(timesIn(seen)).toBe(takesOne ? 1 : 2);
  });

  test('a mask', async () => {
    const { reply, response, seen } = await edit({ model, mask: imageFile('mask.png') });
    expect(reply.data).toHaveLength(1);
    expect(lossesOf(response)).toEqual(isForm ? [] : ['mask']);
    if (isForm) expect((await formIn(seen)).get('mask')).toBeInstanceOf(File);
    else expect(timesIn(seen)).toBe(1);
  });

  test('behind an address that Weir serves', async () => {
    const { reply, response } = await edit({ model, response_format: 'url' });
    const [image] = reply.data ?? [];
    expect(image?.b64_json).toBeUndefined();
    expect(image?.url).toStartWith(`${bench.weir.base}/results/`);
    const served = await fetch(image?.url ?? '');
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await served.arrayBuffer()).equals(pngBytes)).toBe(true);
    owed.add(response, priceOf(model));
  });

  test('a stream', async () => {
    const request = { model, prompt: newPrompt(), image: imageFile(), stream: true } as const;
    const { data: stream, response } = await openaiOf(bench.weir).images.edit(request).withResponse();
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type, b64_json }) => [type, b64_json])).toEqual([['image_edit.completed', png]]);
    owed.add(response, priceOf(model));
  });
});

test.concurrent.each([...ownModels])('three of %s', async (model) => {
  const { reply, response, seen } = await edit({ model, n: 3 });
  expect(reply.data?.map(({ b64_json }) => b64_json ?? '')).toEqual([png, png, png]);
  const asksAgain = ['gemini-2.5-flash-image', 'flux-2-inline'].includes(model);
  expect(seen.length).toBe(asksAgain ? 3 : 1);
  owed.add(response, priceOf(model, 3));
});

describe.concurrent('drafts on the way', () => {
  const events = async (model: string, drafts: number) => {
    const request = { model, prompt: newPrompt(), image: imageFile(), stream: true, partial_images: drafts } as const;
    const { data, response } = await openaiOf(bench.weir).images.edit(request).withResponse();
    return { types: (await Array.fromAsync(data)).map(({ type }) => type), losses: lossesOf(response) };
  };

  test.each([0, 1, 2, 3])('%d from who draws them', async (drafts) => {
    const { types, losses } = await events('gpt-image-1', drafts);
    expect(losses).toEqual([]);
    const partial = Array.from({ length: drafts }, () => 'image_edit.partial_image' as const);
    expect(types).toEqual([...partial, 'image_edit.completed']);
  });

  test.each([...otherModels])('none from %s, which a loss says', async (model) => {
    expect(await events(model, 2)).toEqual({ types: ['image_edit.completed'], losses: ['partial_images'] });
  });
});

describe.concurrent('a provider that only returns a URL', () => {
  test.each([...elsewhereModels])('%s', async (model) => {
    const { reply, response } = await edit({ model, response_format: 'url' });
    expect(reply.data?.map(({ url }) => url ?? '')).toEqual([madeUrl]);
    expect(lossesOf(response)).toEqual([]);
    owed.add(response, nanoPerImage);
  });

  test.each([...elsewhereModels])('%s, where the bytes were asked for and cannot be had', async (model) => {
    const { reply, response } = await edit({ model, response_format: 'b64_json' });
    expect(reply.data?.map(({ url }) => url ?? '')).toEqual([madeUrl]);
    expect(lossesOf(response)).toEqual(['data[0].b64_json']);
  });
});

describe.concurrent('every other option', () => {
  const options = {
    size: '1536x1024',
    quality: 'high',
    background: 'opaque',
    input_fidelity: 'high',
    output_format: 'jpeg',
    output_compression: 50,
    user: 'ada',
  } as const;
  const never = ['quality', 'background', 'input_fidelity', 'user'];
  const expectedBodies: Readonly<Record<string, readonly [sent: object, losses: readonly string[]]>> = {
    'gemini-2.5-flash-image': [
      { generationConfig: { imageConfig: { aspectRatio: '3:2', imageSize: '2K' } } },
      [...never, 'size', 'output_format', 'output_compression'],
    ],
    'flux-2-inline': [{ width: 1_536, height: 1_024, output_format: 'jpeg' }, [...never, 'output_compression']],
    'acme/inline-model': [
      { input: { aspect_ratio: '3:2', output_format: 'jpg', output_quality: 50 } },
      [...never, 'size'],
    ],
    'fal-ai/inline/dev': [
      { image_size: { width: 1_536, height: 1_024 }, output_format: 'jpeg' },
      [...never, 'output_compression'],
    ],
  };

  test.each([...formModels])('%s reads all of it', async (model) => {
    const { response, seen } = await edit({ model, ...options });
    expect(lossesOf(response)).toEqual([]);
    const form = await formIn(seen);
    const fields = Object.keys(options).map((name) => [name, form.get(name)]);
    expect(fields).toEqual(Object.entries(options).map(([name, value]) => [name, `${value}`]));
  });

  test.each([...otherModels])('%s', async (model) => {
    const { response, seen } = await edit({ model, ...options });
    const [sent, losses] = expectedBodies[model] ?? [{}, []];
    expect(treeIn(seen)).toMatchObject(sent);
    expect(lossesOf(response).sort()).toEqual([...losses].sort());
  });

  test.each([...otherModels])('%s: a strict caller is refused what would be lost', async (model) => {
    const prompt = newPrompt();
    const request = { model, prompt, image: imageFile(), mask: imageFile('mask.png') };
    const call = openaiOf(bench.weir).images.edit(request, { headers: { 'x-weir-strict': 'true' } });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.code, error.param]).toEqual(['loss_refused', 'mask']);
    expect(seenWith(model, prompt)).toEqual([]);
  });
});

test.concurrent.each([...handingModels])('%s is not asked for what is wrong in itself', async (model) => {
  for (const [param, value] of [
    ['n', 0],
    ['n', 11],
    ['size', 'huge'],
    ['prompt', ''],
    ['output_compression', 101],
    ['input_fidelity', 'medium'],
    ['image', new File(['<b>'], 'a.html', { type: 'text/html' })],
  ] as const) {
    const prompt = newPrompt();
    const request = { model, prompt, image: imageFile(), [param]: value };
    const error = await failureOf(openaiOf(bench.weir).images.edit(request as never));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
    expect(seenWith(model, prompt)).toEqual([]);
  }
});

test('without a model one that edits images is chosen', async () => {
  const call = openaiOf(bench.weir).images.edit({ prompt: newPrompt(), image: imageFile() });
  const { data, response } = await call.withResponse();
  expect(data.data).toHaveLength(1);
  expect(Object.values(providers)).toContain(response.headers.get('x-weir-provider') ?? '');
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
