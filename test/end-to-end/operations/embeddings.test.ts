/** Embeddings through the libraries that request them: every kind of input, both encodings, and meaningful vectors. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ApiError, GoogleGenAI } from '@google/genai';
import { APICallError, embed, embedMany } from 'ai';
import { BadRequestError } from 'openai';
import { cosine, failureOf, floatsOf, openaiOf, watchedFetch } from '../../harness/operation-clients.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const model = 'sandbox-embed';
let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

/** The reply's JSON before the library decodes it. */
async function raw(fields: object): Promise<{ data: { index: number; embedding: unknown }[]; usage: object }> {
  const reply = await watchedFetch(`${weir.base}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...fields }),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as never;
}

describe('the official library', () => {
  test('a text becomes one vector of length one', async () => {
    const reply = await openaiOf(weir).embeddings.create({ model, input: 'The river runs past the old mill.' });
    expect(reply).toMatchObject({ object: 'list', model });
    expect(reply.data).toHaveLength(1);
    const vector = reply.data[0]?.embedding ?? [];
    expect(vector).toHaveLength(256);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    expect(reply.usage.prompt_tokens).toBeGreaterThan(0);
    expect(reply.usage.total_tokens).toBe(reply.usage.prompt_tokens);
  });

  test('a list keeps its number and order', async () => {
    const input = ['rivers and streams', 'tax returns', 'rivers and streams', 'a bowl of soup'];
    const { data } = await openaiOf(weir).embeddings.create({ model, input });
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const alone = await Promise.all(input.map((text) => openaiOf(weir).embeddings.create({ model, input: text })));
    data.forEach(({ embedding }, index) => {
      expect(embedding).toEqual(alone[index]?.data[0]?.embedding ?? []);
    });
    expect(data[0]?.embedding).toEqual(data[2]?.embedding ?? []);
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding ?? []);
  });

  test('tokens, alone and in lists, are inputs too', async () => {
    const one = await openaiOf(weir).embeddings.create({ model, input: [791, 15140, 8640] });
    expect(one.data).toHaveLength(1);
    const two = await openaiOf(weir).embeddings.create({ model, input: [[791, 15140, 8640], [1102]] });
    expect(two.data).toHaveLength(2);
    expect(two.data[0]?.embedding).toEqual(one.data[0]?.embedding ?? []);
    expect(two.data[1]?.embedding).not.toEqual(one.data[0]?.embedding ?? []);
  });

  test.each([1, 2, 64, 1024, 3072])('%p dimensions', async (dimensions) => {
    const { data } = await openaiOf(weir).embeddings.create({ model, input: 'the old mill by the river', dimensions });
    expect(data[0]?.embedding).toHaveLength(dimensions);
    expect(Math.hypot(...(data[0]?.embedding ?? []))).toBeCloseTo(1, 4);
  });

  test('both encodings carry the same numbers, and the library requests base64 by itself', async () => {
    const input = 'The river runs past the old mill.';
    const unasked = await openaiOf(weir).embeddings.create({ model, input });
    const float = await openaiOf(weir).embeddings.create({ model, input, encoding_format: 'float' });
    const packed = await openaiOf(weir).embeddings.create({ model, input, encoding_format: 'base64' });
    const base64 = packed.data[0]?.embedding as unknown;
    expect(typeof base64).toBe('string');
    const numbers = floatsOf(String(base64));
    expect(numbers).toHaveLength(256);
    expect(unasked.data[0]?.embedding).toEqual(numbers);
    expect((float.data[0]?.embedding ?? []).map(Math.fround)).toEqual(numbers);
  });

  test('numbers are the default encoding', async () => {
    const { data } = await raw({ input: 'hello' });
    expect(Array.isArray(data[0]?.embedding)).toBe(true);
  });

  test('the same text gives the same vector, with or without a user', async () => {
    const [first, second] = await Promise.all([raw({ input: 'hello' }), raw({ input: 'hello', user: 'ada' })]);
    expect(first.data).toEqual(second.data);
  });

  test('the most inputs that the wire allows come back in order', async () => {
    const input = Array.from({ length: 2048 }, (_, index) => `entry number ${index}`);
    const { data } = await openaiOf(weir).embeddings.create({ model, input, dimensions: 32 });
    expect(data).toHaveLength(2048);
    expect(data.every(({ index }, place) => index === place)).toBe(true);
    const single = await openaiOf(weir).embeddings.create({ model, input: 'entry number 2047', dimensions: 32 });
    expect(data[2047]?.embedding).toEqual(single.data[0]?.embedding ?? []);
    const more = await failureOf(openaiOf(weir).embeddings.create({ model, input: [...input, 'one too many'] }));
    expect(more).toBeInstanceOf(BadRequestError);
    expect(more.param).toBe('input');
  });

  test('odd texts are accepted: long runs, other scripts, signs, half a character', async () => {
    const input = ['a'.repeat(200_000), 'Ἐν ἀρχῇ ἦν ὁ λόγος', '水は流れる', '🙂🙃', '\ud800', '   ', '\0'];
    const { data } = await openaiOf(weir).embeddings.create({ model, input });
    expect(data).toHaveLength(input.length);
    for (const { embedding } of data) expect(embedding.every(Number.isFinite)).toBe(true);
  });
});

describe('similar sentences lie closer than others', () => {
  const triples: [string, string, string][] = [
    ['The cat sat on the mat.', 'A cat is sitting on a mat.', 'Quarterly revenue exceeded expectations.'],
    [
      'How do I reset my password?',
      'I want to reset the password of my account.',
      'The train to Lisbon leaves at noon.',
    ],
    ['Rivers flow into the sea.', 'The river flows to the sea.', 'Install the package with npm.'],
    ['The invoice is overdue.', 'Your invoices are overdue since May.', 'We hiked along the ridge at dawn.'],
    ['Bake the bread for forty minutes.', 'The bread bakes forty minutes.', 'The committee rejected the amendment.'],
    ['The server returned an error.', 'An error was returned by the servers.', 'Tulips bloom early in spring.'],
    ['Wie komme ich zum Bahnhof?', 'Der Weg zum Bahnhof', 'La soupe est trop salée.'],
    ['color of the painting', 'the painting and its colors', 'voltage of the battery'],
  ];

  test.each(triples)('%s', async (sentence, similar, other) => {
    const { data } = await openaiOf(weir).embeddings.create({ model, input: [sentence, similar, other] });
    const [one = [], near = [], far = []] = data.map(({ embedding }) => embedding);
    expect(cosine(one, near)).toBeGreaterThan(cosine(one, far) + 0.1);
  });

  test('and a sentence is nearest to itself', async () => {
    const input = triples.flat();
    const { data } = await openaiOf(weir).embeddings.create({ model, input });
    const again = await openaiOf(weir).embeddings.create({ model, input: input[5] ?? '' });
    const scores = data.map(({ embedding }) => cosine(embedding, again.data[0]?.embedding ?? []));
    expect(scores.indexOf(Math.max(...scores))).toBe(5);
    expect(Math.max(...scores)).toBeCloseTo(1, 4);
  });
});

describe('AI SDK', () => {
  const fetcher = watchedFetch as typeof fetch;
  const models = {
    openai: () => createOpenAI({ apiKey: weir.token, baseURL: weir.base, fetch: fetcher }).embedding(model),
    'openai-compatible': () =>
      createOpenAICompatible({
        name: 'weir',
        apiKey: weir.token,
        baseURL: weir.base,
        fetch: fetcher,
      }).embeddingModel(model),
    google: () => createGoogle({ apiKey: weir.token, baseURL: `${weir.url}/v1beta`, fetch: fetcher }).embedding(model),
    'google, doubled prefix': () =>
      createGoogle({ apiKey: weir.token, baseURL: `${weir.base}/v1beta`, fetch: fetcher }).embedding(model),
  };

  test.each(Object.entries(models))('%s', async (name, make) => {
    const one = await embed({ model: make(), value: 'the old mill by the river', maxRetries: 0 });
    expect(one.embedding).toHaveLength(256);
    const values = ['the old mill by the river', 'a mill near the river', 'interest rates rose'];
    const many = await embedMany({ model: make(), values, maxRetries: 0 });
    expect(many.embeddings).toHaveLength(3);
    const [first = [], second = [], third = []] = many.embeddings;
    expect(cosine(first, one.embedding)).toBeCloseTo(1, 4);
    expect(cosine(first, second)).toBeGreaterThan(cosine(first, third));
    if (!name.startsWith('google')) expect(one.usage.tokens).toBeGreaterThan(0);
  });

  test.each(Object.entries(models))('%s takes dimensions', async (_name, make) => {
    const { embedding } = await embed({ model: make(), value: 'hello', dimensions: 48, maxRetries: 0 });
    expect(embedding).toHaveLength(48);
  });

  test('google options: length and purpose', async () => {
    const options = { outputDimensionality: 24, taskType: 'RETRIEVAL_QUERY' };
    const { embedding } = await embed({
      model: models.google(),
      value: 'hello',
      providerOptions: { google: options },
      maxRetries: 0,
    });
    expect(embedding).toHaveLength(24);
  });

  test.each(['openai', 'openai-compatible', 'google'] as const)('%s reads the message of a refusal', async (name) => {
    const call = embed({ model: models[name](), value: 'hello', dimensions: 70_000, maxRetries: 0 });
    const error: unknown = await call.catch((reason: unknown) => reason);
    if (!APICallError.isInstance(error)) throw new Error(`not an APICallError: ${error}`);
    expect(error.statusCode).toBe(400);
    expect(error.message).toMatch(/dimension/i);
    expect(error.message).toContain('whole number');
  });
});

describe('the content-generation library', () => {
  const library = (baseUrl = weir.url) => new GoogleGenAI({ apiKey: weir.token, httpOptions: { baseUrl } });

  test('one content and several', async () => {
    const one = await library().models.embedContent({ model, contents: 'the old mill by the river' });
    expect(one.embeddings).toHaveLength(1);
    expect(one.embeddings?.[0]?.values).toHaveLength(256);
    const contents = ['the old mill by the river', 'a bowl of soup', 'tax returns'];
    const many = await library().models.embedContent({ model, contents, config: { outputDimensionality: 64 } });
    expect(many.embeddings?.map(({ values }) => values?.length)).toEqual([64, 64, 64]);
    const alone = await library().models.embedContent({
      model,
      contents: contents[2] ?? '',
      config: { outputDimensionality: 64, taskType: 'SEMANTIC_SIMILARITY' },
    });
    expect(many.embeddings?.[2]?.values).toEqual(alone.embeddings?.[0]?.values ?? []);
  });

  test('agrees with the other families about the same text', async () => {
    const { embeddings } = await library(weir.base).models.embedContent({ model, contents: 'a bowl of soup' });
    const { data } = await openaiOf(weir).embeddings.create({ model, input: 'a bowl of soup' });
    expect((embeddings?.[0]?.values ?? []).map(Math.fround)).toEqual(data[0]?.embedding ?? []);
  });

  test('plain HTTP: embedContent with the key in the URL', async () => {
    const reply = await fetch(`${weir.url}/v1beta/models/${model}:embedContent?key=${weir.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `models/${model}`,
        content: { parts: [{ text: 'a bowl' }, { text: 'of soup' }] },
        outputDimensionality: 8,
      }),
    });
    expect(reply.status).toBe(200);
    const { embedding } = (await reply.json()) as { embedding: { values: number[] } };
    expect(embedding.values).toHaveLength(8);
    expect(Math.hypot(...embedding.values)).toBeCloseTo(1, 4);
  });

  test.each([
    ['an unknown model', { model: 'no-such-model', contents: 'x' }, 404],
    ['a model that converses', { model: 'sandbox-chat', contents: 'x' }, 400],
    ['a length of nothing', { model, contents: 'x', config: { outputDimensionality: -3 } }, 400],
    ['an empty text', { model, contents: '' }, 400],
  ] as const)('%s is an error of its own class', async (_name, request, status) => {
    const error: unknown = await library()
      .models.embedContent(request)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(status);
  });
});
