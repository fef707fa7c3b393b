/** Images over every wire that providers have: generated and edited, at once and later, as bytes and as URLs. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Bench, errorOf, lossesOf, startBench, treeOf } from './bench.ts';
import {
  elsewhereModels,
  imagePrices,
  imageRows,
  makingModel,
  nanoOfTokens,
  nanoPerImage,
  ownModels,
} from './image-rows.ts';
import { bfl, fal, madeUrl, png, pngBytes, replicate } from './image-wires.ts';

interface Reply {
  readonly created: number;
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

const names = ['family', 'gemini', 'bfl', 'replicate', 'fal'] as const;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(
    {
      ...imageRows(),
      'open-replicate': { kind: 'replicate', base: '/v1', answer: replicate() },
      'open-fal': { kind: 'fal', base: '/deep/down', answer: fal() },
      'open-bfl': { kind: 'bfl', base: '/v1', answer: bfl() },
    },
    { prices: imagePrices },
  );
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of names) bench.up(name).forget();
});

/** Some answer after a second at the earliest, and are polled several times. */
setDefaultTimeout(300_000);

const make = (body: object, headers?: Record<string, string>) =>
  bench.post('/v1/images/generations', { prompt: 'a weir at dawn', ...body }, headers);

describe('making', () => {
  test.each([...ownModels, makingModel])('%s as bytes', async (model) => {
    const reply = await make({ model, response_format: 'b64_json' });
    const { data, created } = await treeOf<Reply>(reply);
    expect(data.map((one) => one.b64_json)).toEqual([png]);
    expect(created).toBeGreaterThan(1_700_000_000);
    bench.expectRow(reply, { costNano: model === 'gpt-image-1' ? nanoOfTokens : nanoPerImage });
  });

  test.each([...ownModels, makingModel])('%s as an address that Weir serves', async (model) => {
    const { data } = await treeOf<Reply>(await make({ model, response_format: 'url' }));
    const url = data[0]?.url ?? '';
    expect(url).toStartWith(`${bench.weir.url}/v1/results/`);
    const served = await fetch(url);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await served.arrayBuffer()).equals(pngBytes)).toBe(true);
    const other = await fetch(url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    expect(other.status).toBe(404);
  });

  test.each([...elsewhereModels])('%s where the provider says that it lies', async (model) => {
    const reply = await make({ model, response_format: 'url' });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ url: madeUrl }]);
    bench.expectRow(reply, { costNano: nanoPerImage });
    const name = reply.headers.get('x-weir-provider') ?? '';
    expect(bench.up(name).seen.filter(({ method }) => method === 'POST').length).toBe(1);
    expect(bench.up(name).seen.filter(({ method }) => method === 'GET').length).toBeGreaterThan(1);
  });

  test('what lies where Weir cannot fetch it stays an address, and a loss says so', async () => {
    const reply = await make({ model: 'flux-2-pro', response_format: 'b64_json' });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ url: madeUrl }]);
    expect(lossesOf(reply)).toContain('data[0].b64_json');
  });

  test.each([
    'open-replicate/../account',
    'open-replicate/a/..',
    'open-fal/../x',
    'open-bfl/..',
  ])('%s cannot leave its place', async (model) => {
    const { code } = await errorOf(await make({ model }), model.startsWith('open-replicate') ? 400 : 422);
    expect(code).not.toBe('model_not_found');
    for (const kind of ['replicate', 'fal', 'bfl']) {
      expect(bench.up(`open-${kind}`).seen.filter(({ path }) => !path.includes('%252E%252E'))).toEqual([]);
    }
  });

  test('a model that refuses response_format does not get it', async () => {
    await treeOf(await make({ model: 'gpt-image-1', response_format: 'b64_json', quality: 'high', x_own: 1 }));
    const sent = JSON.parse(`${bench.up('family').seen[0]?.bytes}`);
    expect(sent).toEqual({ model: 'gpt-image-1', prompt: 'a weir at dawn', quality: 'high', x_own: 1 });
  });

  test.each([
    ['gpt-image-1', 1],
    ['imagen-4.0-generate-001', 2],
    ['gemini-2.5-flash-image', 5],
    ['flux-2-inline', 5],
    ['fal-ai/inline/dev', 2],
  ])('five of %s in %d requests', async (model, requests) => {
    const reply = await make({ model, n: 5 });
    expect((await treeOf<Reply>(reply)).data.map((one) => one.b64_json)).toEqual(Array(5).fill(png));
    const name = reply.headers.get('x-weir-provider') ?? '';
    expect(bench.up(name).seen.filter(({ method }) => method === 'POST').length).toBe(requests);
    if (model !== 'gpt-image-1') bench.expectRow(reply, { costNano: 5n * nanoPerImage });
  });

  test('sizes become what each wire has, and what does not fit is reported', async () => {
    const sent = async (name: string, model: string) => {
      bench.up(name).forget();
      const reply = await make({ model, size: '1536x1024', quality: 'high', user: 'somebody' });
      await treeOf(reply);
      return { tree: JSON.parse(`${bench.up(name).seen[0]?.bytes}`), losses: lossesOf(reply) };
    };
    const generated = await sent('gemini', 'gemini-2.5-flash-image');
    expect(generated.tree.generationConfig.imageConfig.aspectRatio).toBe('3:2');
    expect(generated.losses).toEqual(['size', 'quality', 'user']);
    const flux = await sent('bfl', 'flux-2-inline');
    expect([flux.tree.width, flux.tree.height]).toEqual([1_536, 1_024]);
    expect(flux.losses).toEqual(['quality', 'user']);
    expect((await sent('fal', 'fal-ai/inline/dev')).tree.image_size).toEqual({ width: 1_536, height: 1_024 });
  });

  test.each(['gemini-2.5-flash-image', 'flux-2-pro'])('%s refuses in words that reach the caller', async (model) => {
    const reply = await make({ model, prompt: 'something forbidden' });
    const { code, message } = await errorOf(reply, 400);
    expect(code).toBe('upstream_refused');
    expect(message).toMatch(/PROHIBITED_CONTENT|Content Moderated/);
    bench.expectRow(reply, { costNano: 0n });
  });
});

describe('streams', () => {
  const eventsOf = async (reply: Response) => {
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    const text = await reply.text();
    return text.split('\n\n').flatMap((block) => {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      return data === undefined ? [] : [JSON.parse(data.slice(6)) as Record<string, unknown>];
    });
  };

  test('of the family pass as they come, with the partial images', async () => {
    const reply = await make({ model: 'gpt-image-1', stream: true, partial_images: 2 });
    const events = await eventsOf(reply);
    const types = ['image_generation.partial_image', 'image_generation.partial_image', 'image_generation.completed'];
    expect(events.map(({ type }) => `${type}`)).toEqual(types);
    expect(events.every((event) => event['b64_json'] === png)).toBe(true);
    bench.expectRow(reply, { costNano: nanoOfTokens });
  });

  test.each([
    'gemini-2.5-flash-image',
    'flux-2-inline',
    'plain-image',
  ])('of %s are one event that completes it', async (model) => {
    const reply = await make({ model, stream: true });
    const events = await eventsOf(reply);
    expect(events.map(({ type }) => type)).toEqual(['image_generation.completed']);
    expect(events[0]).toMatchObject({ b64_json: png, output_format: 'png' });
    bench.expectRow(reply, { costNano: nanoPerImage });
  });
});

test('a stream of what could not be fetched says where it lies', async () => {
  const reply = await make({ model: 'flux-2-pro', stream: true });
  expect(await reply.text()).toContain(`"url":"${madeUrl}"`);
  expect(lossesOf(reply)).toContain('data[0].b64_json');
});

describe('changing', () => {
  const edit = (model: string, images: number, more: Readonly<Record<string, string | Blob>> = {}) => {
    const form = new FormData();
    const field = images > 1 ? 'image[]' : 'image';
    for (let index = 0; index < images; index++) {
      form.append(field, new Blob([pngBytes], { type: 'image/png' }), `${index}.png`);
    }
    form.append('prompt', 'make it night');
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    // The model may come after the files.
    form.append('model', model);
    return bench.form('/v1/images/edits', form);
  };

  test('a form passes to the family with its mask', async () => {
    const mask = new Blob([pngBytes], { type: 'image/png' });
    const reply = await edit('gpt-image-1', 2, { mask });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ b64_json: png }]);
    bench.expectRow(reply, { costNano: nanoOfTokens });
  });

  test.each([
    ['gemini-2.5-flash-image', 'gemini'],
    ['flux-2-inline', 'bfl'],
    ['acme/inline-model', 'replicate'],
    ['fal-ai/inline/dev', 'fal'],
  ])('a file of a form reaches %s as it is', async (model, name) => {
    const reply = await edit(model, 1);
    expect((await treeOf<Reply>(reply)).data).toEqual([{ b64_json: png }]);
    expect(`${bench.up(name).seen[0]?.bytes}`).toContain(png);
    bench.expectRow(reply, { costNano: nanoPerImage });
  });

  test('JSON with an address passes where the provider fetches it', async () => {
    const images = [{ image_url: 'https://pictures.example/a.png' }];
    const body = { model: 'gpt-image-1', prompt: 'make it night', images };
    await treeOf(await bench.post('/v1/images/edits', body));
    expect(JSON.parse(`${bench.up('family').seen[0]?.bytes}`)).toEqual(body);
  });

  test('and is not fetched by Weir from a place that is not public', async () => {
    const url = `${bench.up('family').url}/secret.png`;
    const body = { model: 'gemini-2.5-flash-image', prompt: 'make it night', images: [{ image_url: url }] };
    const { code, param } = await errorOf(await bench.post('/v1/images/edits', body), 400);
    expect(code).toBe('field_invalid');
    expect(param).toContain('image');
    expect(bench.up('family').seen.length).toBe(0);
    expect(bench.up('gemini').seen.length).toBe(0);
  });

  test('a mask that a provider has no place for is a loss', async () => {
    const reply = await edit('gemini-2.5-flash-image', 1, { mask: new Blob([pngBytes], { type: 'image/png' }) });
    await treeOf(reply);
    expect(lossesOf(reply)).toContain('mask');
  });

  test('a model that only generates images does not edit them', async () => {
    const { code } = await errorOf(await edit('mistral-large', 1), 404);
    expect(code).toBe('model_not_found');
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
