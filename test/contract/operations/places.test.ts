/** Providers of the family whose place or key is their own, and what a key that comes twice or a lost result means for all of them. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { recording } from './audio-wires.ts';
import { type Bench, errorOf, startBench, treeOf } from './bench.ts';
import { bfl } from './image-wires.ts';
import { placeRows, soldPaths as sold } from './place-rows.ts';
import type { Answer } from './scripted.ts';

setDefaultTimeout(300_000);

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(
    {
      ...placeRows,
      silent: {
        kind: 'openai-chat',
        base: '/v1',
        models: ['silent-embed'],
        answer: () => Response.json({ data: [{ index: 0, embedding: [1] }], model: 'x' }),
      },
      bfl: { kind: 'bfl', base: '/v1', models: ['flux-2-inline'], answer: bfl() },
    },
    { prices: { '*': { input: 1_000, output: 1, image: 1, minute: 1, characters: 1 } } },
  );
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of ['azure', 'older', 'groq', 'together', 'deepseek', 'silent', 'bfl']) bench.up(name).forget();
});

const requests: Readonly<Record<string, (model: string) => Promise<Response>>> = {
  '/embeddings': (model) => bench.post('/v1/embeddings', { model, input: 'text' }),
  '/rerank': (model) => bench.post('/v1/rerank', { model, query: 'q', documents: ['a'] }),
  '/images/generations': (model) => bench.post('/v1/images/generations', { model, prompt: 'a weir' }),
  '/audio/speech': (model) => bench.post('/v1/audio/speech', { model, input: 'Hello', voice: 'alloy' }),
  '/audio/transcriptions': (model) => hear(model, 'transcriptions'),
  '/audio/translations': (model) => hear(model, 'translations'),
};

function hear(model: string, path: string): Promise<Response> {
  const form = new FormData();
  form.append('file', new File([recording], 'talk.wav', { type: 'audio/wav' }));
  form.append('model', model);
  return bench.form(`/v1/audio/${path}`, form);
}

async function askedAt(name: string, path: string, model: string): Promise<string> {
  const reply = await requests[path]?.(model);
  const text = await reply?.text();
  if (reply?.status !== 200) throw new Error(`${reply?.status}: ${text}`);
  const [seen] = bench.up(name).seen;
  return seen === undefined ? '' : `${seen.path}${seen.query.size > 0 ? `?${seen.query}` : ''}`;
}

describe('places', () => {
  test.each(sold)('azure %s', async (path) => {
    expect(await askedAt('azure', path, 'my-deployment')).toBe(`/openai/v1${path}`);
  });

  test.each(sold)('azure deployments %s', async (path) => {
    const place = `/openai/deployments/old-deployment${path}?api-version=2025-04-01-preview`;
    expect(await askedAt('older', path, 'old-deployment')).toBe(place);
  });

  test.each([...sold, '/rerank'])('together %s', async (path) => {
    expect(await askedAt('together', path, 'together-any')).toBe(`/v1${path}`);
  });

  test.each(['/audio/speech', '/audio/transcriptions', '/audio/translations'])('groq %s', async (path) => {
    expect(await askedAt('groq', path, 'playai-tts')).toBe(`/openai/v1${path}`);
  });

  test.each([
    ['deepseek', 'deepseek-chat', '/embeddings'],
    ['deepseek', 'deepseek-chat', '/audio/speech'],
    ['groq', 'playai-tts', '/embeddings'],
    ['azure', 'my-deployment', '/rerank'],
  ])('%s (%s) does not sell %s, and is not asked', async (name, model, path) => {
    const reply = await requests[path]?.(model);
    if (reply === undefined) throw new Error('no such request');
    expect(await errorOf(reply, 400)).toMatchObject({ code: 'operation_unsupported', param: 'model' });
    expect(bench.up(name).seen.length).toBe(0);
  });
});

describe('money', () => {
  test('is estimated, and says so, where the provider tells nothing', async () => {
    const reply = await bench.post('/v1/embeddings', {
      model: 'silent-embed',
      input: 'a text of forty characters or nearly so',
    });
    await treeOf(reply);
    const { estimated, costNano } = await bench.row(reply);
    expect(estimated).toBe(true);
    // Some tokens at 1000 USD for a million, and fewer than the characters.
    expect(costNano).toBeGreaterThan(5n * 1_000_000n);
    expect(costNano).toBeLessThan(40n * 1_000_000n);
  });

  test.each([
    '/images/generations',
    '/audio/speech',
    '/embeddings',
  ])('is taken once for a key that comes twice (%s)', async (path) => {
    const body = { model: 'together-any', prompt: 'a weir', input: 'Hello', voice: 'alloy' };
    const send = () => bench.post(`/v1${path}`, body, { 'idempotency-key': `once${path.replaceAll('/', '-')}` });
    const first = await send();
    const bytes = Buffer.from(await first.arrayBuffer());
    const second = await send();
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(Buffer.from(await second.arrayBuffer()).equals(bytes)).toBe(true);
    expect(bench.up('together').seen.length).toBe(1);
  });
});

describe('a result that is lost', () => {
  test('is reported, and the work is not ordered again', async () => {
    const up = bench.up('bfl');
    const ticket: Answer = ({ headers }) =>
      Response.json({ id: 'x', polling_url: `http://${headers.get('host')}/v1/get_result?id=x` });
    up.next(ticket, () => new Response('gone', { status: 500 }));
    const { code } = await errorOf((await requests['/images/generations']?.('flux-2-inline')) as Response, 502);
    expect(code).toBe('upstream_failed');
    expect(up.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('is not looked for on another host, where the key would go too', async () => {
    const up = bench.up('bfl');
    const thief = bench.up('together');
    up.next(() => Response.json({ id: 'x', polling_url: `${thief.url}/v1/get_result?id=x` }));
    await errorOf((await requests['/images/generations']?.('flux-2-inline')) as Response, 502);
    expect(thief.seen.length).toBe(0);
  });
});
