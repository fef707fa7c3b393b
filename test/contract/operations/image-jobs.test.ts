/**
 * Images of Stability AI, Luma and Recraft through a Weir of its own: what each received, what the
 * caller got, and what it cost.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Bench, errorOf, lossesOf, startBench, treeOf } from './bench.ts';
import { dreamMachine, filtered, flagged, luma, recraft, stability } from './image-jobs.ts';
import { madeUrl, png, pngBytes } from './image-wires.ts';
import { formOf } from './scripted.ts';

setDefaultTimeout(300_000);

interface Reply {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

const perImage = 40_000_000n;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(
    {
      stability: {
        kind: 'stability',
        base: '',
        models: ['stable-image-core', 'sd3.5-large', 'inpaint', 'search-and-replace', 'fast'],
        answer: stability,
      },
      luma: { kind: 'luma', base: '/v1', models: ['uni-1'], answer: luma() },
      dreams: { kind: 'luma-dream-machine', base: '/dream-machine/v1', models: ['photon-1'], answer: dreamMachine() },
      recraft: { kind: 'recraft', base: '/v1', models: ['recraftv4'], answer: recraft },
    },
    { prices: { '*': { image: 0.04 } } },
  );
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of ['stability', 'luma', 'dreams', 'recraft']) bench.up(name).forget();
});

const make = (body: object) => bench.post('/v1/images/generations', { prompt: 'a weir at dawn', ...body });

function change(model: string, more: Readonly<Record<string, string | Blob>> = {}) {
  const form = new FormData();
  form.append('image', new Blob([pngBytes], { type: 'image/png' }), 'a.png');
  form.append('prompt', 'make it night');
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  form.append('model', model);
  return bench.form('/v1/images/edits', form);
}

async function sentForm(): Promise<Record<string, string>> {
  const [seen] = bench.up('stability').seen;
  if (seen === undefined) throw new Error('no provider was called');
  const form = await formOf(seen);
  return Object.fromEntries(
    [...form.entries()].map(([name, value]) => [name, typeof value === 'string' ? value : '(file)']),
  );
}

describe('stability', () => {
  test('makes an image of words', async () => {
    const reply = await make({ model: 'stable-image-core', size: '1792x1024', seed: 7, negative_prompt: 'birds' });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ b64_json: png }]);
    expect(bench.up('stability').seen.map(({ path }) => path)).toEqual(['/v2beta/stable-image/generate/core']);
    expect(await sentForm()).toEqual({
      ...{ prompt: 'a weir at dawn', negative_prompt: 'birds', aspect_ratio: '16:9', seed: '7' },
    });
    expect(lossesOf(reply)).toEqual(['size']);
    bench.expectRow(reply, { costNano: perImage });
  });

  test('names the model where several share a place, and asks once for each image', async () => {
    const reply = await make({ model: 'sd3.5-large', n: 3 });
    expect((await treeOf<Reply>(reply)).data).toEqual(Array(3).fill({ b64_json: png }));
    expect(bench.up('stability').seen).toHaveLength(3);
    expect((await sentForm())['model']).toBe('sd3.5-large');
    bench.expectRow(reply, { costNano: 3n * perImage });
  });

  test('changes an image that came as a file, with its mask', async () => {
    const reply = await change('inpaint', { mask: new Blob([pngBytes], { type: 'image/png' }) });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ b64_json: png }]);
    expect(await sentForm()).toEqual({ prompt: 'make it night', image: '(file)', mask: '(file)' });
    expect(lossesOf(reply)).toEqual(['mask']);
    bench.expectRow(reply, { costNano: perImage });
  });

  test('gets the fields that only its wire has', async () => {
    await treeOf(await change('search-and-replace', { search_prompt: 'the moon' }));
    expect(await sentForm()).toEqual({ prompt: 'make it night', search_prompt: 'the moon', image: '(file)' });
    const refused = await errorOf(await change('search-and-replace'), 422);
    expect(refused.message).toContain('search_prompt');
  });

  test('gets no prompt where it reads none', async () => {
    const reply = await change('fast');
    expect((await treeOf<Reply>(reply)).data).toEqual([{ b64_json: png }]);
    expect([await sentForm(), lossesOf(reply)]).toEqual([{ image: '(file)' }, ['prompt']]);
  });

  test.each([
    [flagged, 403],
    [filtered, 400],
  ])('refuses what is %s, in words that reach the caller and for nothing', async (word, status) => {
    const reply = await make({ model: 'stable-image-core', prompt: `something ${word}` });
    const { message } = await errorOf(reply, status);
    expect(message).toMatch(/flagged by our content moderation|CONTENT_FILTERED/);
    bench.expectRow(reply, { costNano: 0n });
  });

  test('what a service cannot do is refused before anything is sent', async () => {
    expect((await errorOf(await make({ model: 'inpaint' }), 400)).code).toBe('operation_unsupported');
    expect((await errorOf(await change('stable-image-core'), 400)).code).toBe('operation_unsupported');
    expect(bench.up('stability').seen).toEqual([]);
  });
});

describe('luma', () => {
  test('is asked until the image is there', async () => {
    const reply = await make({ model: 'uni-1', size: '1536x1024', user: 'u-1' });
    expect((await treeOf<Reply>(reply)).data).toEqual([{ url: madeUrl }]);
    const { seen } = bench.up('luma');
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/generations',
      'GET /v1/generations/g-1',
      'GET /v1/generations/g-1',
    ]);
    expect(JSON.parse(`${seen[0]?.bytes}`)).toEqual({
      ...{ model: 'uni-1', type: 'image', prompt: 'a weir at dawn', aspect_ratio: '3:2', user_id: 'u-1' },
    });
    bench.expectRow(reply, { costNano: perImage });
  });

  test('changes an image that came as a file', async () => {
    const reply = await change('uni-1');
    expect((await treeOf<Reply>(reply)).data).toEqual([{ url: madeUrl }]);
    expect(JSON.parse(`${bench.up('luma').seen[0]?.bytes}`)).toMatchObject({
      type: 'image_edit',
      source: { data: png, media_type: 'image/png' },
    });
    bench.expectRow(reply, { costNano: perImage });
  });

  test('refuses in words that reach the caller, for nothing', async () => {
    const reply = await make({ model: 'uni-1', prompt: `something ${flagged}` });
    const { code, message } = await errorOf(reply, 400);
    expect([code, message.includes('The prompt was moderated.')]).toEqual(['upstream_refused', true]);
    bench.expectRow(reply, { costNano: 0n });
  });
});

test('the older API of Luma is asked where all its generations are', async () => {
  const reply = await make({ model: 'photon-1' });
  expect((await treeOf<Reply>(reply)).data).toEqual([{ url: madeUrl }]);
  const { seen } = bench.up('dreams');
  expect(seen.map(({ path }) => path.replace('/dream-machine/v1/generations', ''))).toEqual(['/image', '/d-1', '/d-1']);
  bench.expectRow(reply, { costNano: perImage });
});

test('recraft makes six images at a time', async () => {
  const reply = await make({ model: 'recraftv4', n: 7, style: 'realistic_image' });
  expect((await treeOf<Reply>(reply)).data).toEqual(Array(7).fill({ url: madeUrl }));
  expect(bench.up('recraft').seen.map(({ bytes }) => JSON.parse(`${bytes}`).n ?? 1)).toEqual([6, 1]);
  bench.expectRow(reply, { costNano: 7n * perImage });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
