/** Embeddings over every wire that providers have: order, encodings, batches, purposes and what they cost. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Bench, errorOf, lossesOf, startBench, treeOf } from './bench.ts';
import { embeddingPrices, embeddingRows, nanoPerToken, embeddingWires as wires } from './embedding-rows.ts';
import { tokensOf, vectorOf } from './embedding-wires.ts';

interface Reply {
  readonly object: string;
  readonly model: string;
  readonly data: readonly { readonly index: number; readonly embedding: unknown }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(embeddingRows, { prices: embeddingPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of wires) bench.up(name).forget();
});

const decoded = (text: unknown) => [...new Float32Array(new Uint8Array(Buffer.from(`${text}`, 'base64')).buffer)];
const rounded = (text: string) => [...new Float32Array(vectorOf(text))];

describe.each(wires)('%s', (name, model, inputsMax) => {
  test('floats for one text and for several, in their order, at their price', async () => {
    const input = ['text 3', 'text 1', 'text 2'];
    for (const given of ['text 7', input]) {
      const reply = await bench.post('/v1/embeddings', { model, input: given });
      const tree = await treeOf<Reply>(reply);
      const texts = [given].flat();
      expect(tree.object).toBe('list');
      expect(tree.data.map(({ index }) => index)).toEqual(texts.map((_, index) => index));
      expect(tree.data.map(({ embedding }) => [...new Float32Array(embedding as number[])])).toEqual(
        texts.map(rounded),
      );
      expect(tree.usage).toEqual({ prompt_tokens: tokensOf(texts), total_tokens: tokensOf(texts) });
      expect(reply.headers.get('x-weir-provider')).toBe(name);
      bench.expectRow(reply, {
        costNano: BigInt(tokensOf(texts)) * nanoPerToken,
        estimated: false,
        inputTotal: tokensOf(texts),
      });
    }
  });

  test('base64 where it is asked for, the same bits', async () => {
    const reply = await bench.post('/v1/embeddings', { model, input: ['text 5', 'text 6'], encoding_format: 'base64' });
    const { data } = await treeOf<Reply>(reply);
    expect(data.map(({ embedding }) => typeof embedding)).toEqual(['string', 'string']);
    expect(data.map(({ embedding }) => decoded(embedding))).toEqual([rounded('text 5'), rounded('text 6')]);
  });

  test('more texts than it takes at once, joined in their order', async () => {
    const count = Math.min(2 * inputsMax + 3, 2_048);
    const input = Array.from({ length: count }, (_, index) => `text ${count - index}`);
    const reply = await bench.post('/v1/embeddings', { model, input, encoding_format: 'float' });
    const { data, usage } = await treeOf<Reply>(reply);
    expect(data.map(({ embedding }) => (embedding as number[])[0])).toEqual(
      input.map((text) => vectorOf(text)[0] ?? 0),
    );
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    expect(usage.prompt_tokens).toBe(tokensOf(input));
    expect(bench.up(name).seen.length).toBe(Math.ceil(count / inputsMax));
    bench.expectRow(reply, { costNano: BigInt(tokensOf(input)) * nanoPerToken, inputTotal: tokensOf(input) });
  });
});

describe('what a caller says beside its texts', () => {
  const sent = async (name: string, model: string, body: object) => {
    const reply = await bench.post('/v1/embeddings', { model, input: 'text 1', ...body });
    await treeOf(reply);
    const [seen] = bench.up(name).seen;
    return { tree: JSON.parse(`${seen?.bytes}`) as Record<string, unknown>, losses: lossesOf(reply) };
  };

  test('dimensions have the name that each wire gives them', async () => {
    expect((await sent('family', 'text-embedding-3-small', { dimensions: 2 })).tree['dimensions']).toBe(2);
    expect((await sent('cohere', 'embed-v4.0', { dimensions: 512 })).tree['output_dimension']).toBe(512);
    expect((await sent('jina', 'jina-embeddings-v4', { dimensions: 2 })).tree['dimensions']).toBe(2);
    expect((await sent('voyage', 'voyage-3.5', { dimensions: 2 })).tree['output_dimension']).toBe(2);
    expect((await sent('mistral', 'mistral-embed', { dimensions: 2 })).tree['output_dimension']).toBe(2);
    const { tree } = await sent('gemini', 'gemini-embedding-001', { dimensions: 2 });
    expect((tree['requests'] as Record<string, unknown>[])[0]?.['outputDimensionality']).toBe(2);
  });

  test('a purpose is translated, and where there is none a loss says so', async () => {
    const given = { input_type: 'query' };
    expect((await sent('cohere', 'embed-v4.0', given)).tree['input_type']).toBe('search_query');
    expect((await sent('jina', 'jina-embeddings-v4', given)).tree['task']).toBe('retrieval.query');
    expect((await sent('voyage', 'voyage-3.5', given)).tree['input_type']).toBe('query');
    const { tree } = await sent('gemini', 'gemini-embedding-001', given);
    expect((tree['requests'] as Record<string, unknown>[])[0]?.['taskType']).toBe('RETRIEVAL_QUERY');
    expect((await sent('mistral', 'mistral-embed', given)).losses).toEqual(['purpose']);
  });

  test('the user is lost on wires without a field for it, and refused in strict mode', async () => {
    expect((await sent('cohere', 'embed-v4.0', { user: 'somebody' })).losses).toEqual(['user']);
    expect((await sent('family', 'text-embedding-3-small', { user: 'somebody' })).tree['user']).toBe('somebody');
    const body = { model: 'embed-v4.0', input: 'text 1', user: 'somebody' };
    const reply = await bench.post('/v1/embeddings', body, { 'x-weir-strict': 'true' });
    expect(await errorOf(reply, 400)).toMatchObject({ code: 'loss_refused', param: 'user' });
  });

  test('tokens pass within the family and are refused elsewhere before anything is sent', async () => {
    const tokens = [[1, 2], [3]];
    const reply = await bench.post('/v1/embeddings', { model: 'text-embedding-3-small', input: tokens });
    expect((await treeOf<Reply>(reply)).data.length).toBe(2);
    expect(JSON.parse(`${bench.up('family').seen[0]?.bytes}`)).toMatchObject({ input: tokens });
    const refused = await bench.post('/v1/embeddings', { model: 'voyage-3.5', input: tokens });
    expect(await errorOf(refused, 400)).toMatchObject({ code: 'operation_unsupported', param: 'input' });
    expect(bench.up('voyage').seen.length).toBe(0);
  });
});

describe('the content-generation family’s callers', () => {
  const post = (model: string, action: string, body: object) =>
    bench.post(`/v1beta/models/${model}:${action}`, body as Record<string, unknown>);
  const content = (text: string) => ({ content: { parts: [{ text }] } });

  test.each(wires)('are served by %s', async (_, model) => {
    const one = await treeOf<{ embedding: { values: number[] } }>(await post(model, 'embedContent', content('text 4')));
    expect([...new Float32Array(one.embedding.values)]).toEqual(rounded('text 4'));
    const requests = ['text 9', 'text 8'].map((text) => ({ model: `models/${model}`, ...content(text) }));
    const many = await treeOf<{ embeddings: { values: number[] }[] }>(
      await post(model, 'batchEmbedContents', { requests }),
    );
    expect(many.embeddings.map(({ values }) => values[0])).toEqual([9, 8]);
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
