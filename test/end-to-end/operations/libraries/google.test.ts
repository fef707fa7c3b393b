/** Vectors and models through the content-generation family's libraries over every wire that providers have: each option, its cost, and failures in the libraries' own classes. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGoogle } from '@ai-sdk/google';
import { ApiError, type EmbedContentConfig, GoogleGenAI } from '@google/genai';
import { APICallError, embed, embedMany } from 'ai';
import { type Bench, lossesOf, providerKey, startBench, treeOf } from '../../../contract/operations/bench.ts';
import {
  embeddingPrices,
  embeddingRows,
  embeddingWires,
  nanoPerToken,
} from '../../../contract/operations/embedding-rows.ts';
import { tokensOf, vectorOf } from '../../../contract/operations/embedding-wires.ts';
import { sampled } from '../../../harness/size.ts';
import { failingName, failingRows, failures, waitSeconds } from './failing-vendors.ts';
import { type ReplyRecorder, reasonOf, recordReplies } from './reply-recorder.ts';

let bench: Bench;
let recorder: ReplyRecorder;
beforeAll(async () => {
  bench = await startBench({ ...embeddingRows, ...failingRows(embeddingRows) }, { prices: embeddingPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  recorder = recordReplies();
  for (const [name] of embeddingWires) bench.up(name).forget();
});

function library(via = recorder, baseUrl = bench.weir.url, headers = {}): GoogleGenAI {
  return new GoogleGenAI({ apiKey: bench.weir.token, httpOptions: { baseUrl, headers, fetch: via.fetch } });
}

function sdkModel(model: string, via = recorder, base = bench.weir.url) {
  const { token } = bench.weir;
  return createGoogle({ apiKey: token, baseURL: `${base}/v1beta`, fetch: via.fetch }).embedding(model);
}

type Vectors = readonly { readonly values?: readonly number[] }[] | undefined;

/** Both sides as 32 bits hold them, since no more travel. */
const bits = (vector: readonly number[] | undefined) => [...new Float32Array(vector ?? [])];
const vectorsOf = (embeddings: Vectors) => embeddings?.map(({ values }) => bits(values));
const wanted = (texts: readonly string[], length = 3) => texts.map((text) => bits(vectorOf(text).slice(0, length)));

interface Sent {
  readonly requests?: readonly Record<string, unknown>[];
  readonly [name: string]: unknown;
}

/** The bodies that a provider got. */
function sentTo(name: string): Sent[] {
  const bodies = bench.up(name).seen.map(({ bytes }) => JSON.parse(`${bytes}`) as Sent);
  bench.up(name).forget();
  return bodies;
}

/** The values of these fields in the only request, for all its texts: beside them, or in the entry of each. */
function saidTo(name: string, ...fields: readonly string[]): unknown[] {
  const [body, ...more] = sentTo(name);
  expect(more).toEqual([]);
  return fields.map((field) => {
    const said = new Set(body?.requests?.map((request) => request[field]) ?? [body?.[field]]);
    expect(said.size).toBe(1);
    return [...said][0];
  });
}

/** What each wire calls the length of a vector, and one that its vendor allows. */
const lengths: Readonly<Record<string, readonly [field: string, length: number]>> = {
  cohere: ['output_dimension', 512],
  voyage: ['output_dimension', 2],
  mistral: ['output_dimension', 2],
  gemini: ['outputDimensionality', 2],
};
const lengthOf = (name: string) => lengths[name] ?? (['dimensions', 2] as const);

type Words = Readonly<Record<string, string>>;

const ownWords = ['QUESTION_ANSWERING', 'FACT_VERIFICATION', 'CODE_RETRIEVAL_QUERY'];
const sharedWords = ['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'CLASSIFICATION', 'CLUSTERING', 'SEMANTIC_SIMILARITY'];

/** The values of the wires with a field for the purpose of vectors; the family's other wires have none. */
const purposes: Readonly<
  Record<string, { readonly field: string; readonly words: Words; readonly byDefault?: string }>
> = {
  cohere: {
    field: 'input_type',
    words: {
      RETRIEVAL_QUERY: 'search_query',
      RETRIEVAL_DOCUMENT: 'search_document',
      CLASSIFICATION: 'classification',
      CLUSTERING: 'clustering',
    },
    // The field is required.
    byDefault: 'search_document',
  },
  jina: {
    field: 'task',
    words: {
      RETRIEVAL_QUERY: 'retrieval.query',
      RETRIEVAL_DOCUMENT: 'retrieval.passage',
      CLASSIFICATION: 'classification',
      CLUSTERING: 'separation',
      SEMANTIC_SIMILARITY: 'text-matching',
    },
  },
  voyage: { field: 'input_type', words: { RETRIEVAL_QUERY: 'query', RETRIEVAL_DOCUMENT: 'document' } },
  gemini: {
    field: 'taskType',
    words: Object.fromEntries([...sharedWords, ...ownWords].map((word) => [word, word])),
  },
};

/** What a wire gets of a task, and which losses the caller sees. */
function purposeSentTo(
  name: string,
  taskType: string,
): { readonly said: string | undefined; readonly losses: string[] } {
  const { words = {}, byDefault } = purposes[name] ?? {};
  const exact = words[taskType];
  if (exact !== undefined) return { said: exact, losses: [] };
  if (!ownWords.includes(taskType)) return { said: byDefault, losses: ['purpose'] };
  // The nearest value that others have; that it is another one is reported too.
  const nearest = words['RETRIEVAL_QUERY'];
  return { said: nearest ?? byDefault, losses: nearest === undefined ? ['purpose', 'taskType'] : ['taskType'] };
}

describe.each(embeddingWires)('%s', (name, model, inputsMax) => {
  const texts = ['text 3', 'text 1', 'text 2'];
  const ask = (contents: string | string[], config: EmbedContentConfig = {}) =>
    library().models.embedContent({ model, contents, config });

  test('one content and several, in every form that the library takes', async () => {
    const content = (text: string) => ({ role: 'user', parts: [{ text }] });
    const forms = [
      ['text 7', ['text 7']],
      [{ text: 'text 7' }, ['text 7']],
      [content('text 7'), ['text 7']],
      [texts, texts],
      [texts.map((text) => ({ text })), texts],
      [texts.map(content), texts],
      [{ parts: [{ text: 'text 5' }, { text: 'and more' }] }, ['text 5\nand more']],
    ] as const;
    for (const baseUrl of [bench.weir.url, bench.weir.base]) {
      for (const [contents, meant] of forms) {
        const given = contents as string | string[];
        const { embeddings } = await library(recorder, baseUrl).models.embedContent({ model, contents: given });
        expect(vectorsOf(embeddings)).toEqual(wanted(meant));
        expect(recorder.reply().headers.get('x-weir-provider')).toBe(name);
        expect(lossesOf(recorder.reply())).toEqual([]);
        const [body, ...more] = sentTo(name);
        expect(more).toEqual([]);
        const sent = body?.['input'] ?? body?.['texts'] ?? body?.requests?.map(textOfRequest);
        expect(sent).toEqual(meant);
      }
    }
  });

  test('outputDimensionality has the name that the wire gives it', async () => {
    const [field, length] = lengthOf(name);
    for (const contents of ['text 7', texts]) {
      const { embeddings } = await ask(contents, { outputDimensionality: length });
      expect(vectorsOf(embeddings)).toEqual(wanted([contents].flat(), length));
      expect(saidTo(name, field)).toEqual([length]);
      expect(lossesOf(recorder.reply())).toEqual([]);
    }
  });

  test.each([...sharedWords, ...ownWords])('taskType %s is translated, or named as lost', async (taskType) => {
    const { said, losses } = purposeSentTo(name, taskType);
    const { embeddings } = await ask(texts, { taskType });
    expect(vectorsOf(embeddings)).toEqual(wanted(texts));
    expect(lossesOf(recorder.reply())).toEqual(losses);
    expect(saidTo(name, purposes[name]?.field ?? 'taskType')).toEqual([said]);
  });

  test('a title is sent where there is a field for it', async () => {
    const config = { taskType: 'RETRIEVAL_DOCUMENT', title: 'a novel' };
    await ask('text 7', config);
    const { losses } = purposeSentTo(name, config.taskType);
    expect(lossesOf(recorder.reply())).toEqual(name === 'gemini' ? [] : [...losses, 'title']);
    expect(saidTo(name, 'title')).toEqual([name === 'gemini' ? 'a novel' : undefined]);
  });

  test('more contents than it takes at once, joined in their order', async () => {
    const many = Array.from({ length: 230 }, (_, index) => `text ${230 - index}`);
    const { embeddings } = await ask(many);
    expect(vectorsOf(embeddings)).toEqual(wanted(many));
    expect(sentTo(name).length).toBe(Math.ceil(many.length / inputsMax));
  });

  test('AI SDK: one value, several and more than it sends at once', async () => {
    for (const base of [bench.weir.url, bench.weir.base]) {
      const one = await embed({ model: sdkModel(model, recorder, base), value: 'text 7', maxRetries: 0 });
      expect(bits(one.embedding)).toEqual(wanted(['text 7'])[0] ?? []);
      const many = Array.from({ length: 103 }, (_, index) => `text ${index}`);
      for (const values of [texts, many]) {
        const { embeddings } = await embedMany({ model: sdkModel(model, recorder, base), values, maxRetries: 0 });
        expect(embeddings.map(bits)).toEqual(wanted(values));
      }
      expect(recorder.reply().headers.get('x-weir-provider')).toBe(name);
    }
  });

  test('AI SDK: dimensions, and its options for them and for the task', async () => {
    const [field, length] = lengthOf(name);
    const purposeField = purposes[name]?.field ?? 'taskType';
    const { said, losses } = purposeSentTo(name, 'CLUSTERING');
    const google = { outputDimensionality: length, taskType: 'CLUSTERING' };
    const byDefault = purposes[name]?.byDefault;
    for (const { option, lost, purpose } of [
      { option: { dimensions: length }, lost: [], purpose: byDefault },
      { option: { providerOptions: { google } }, lost: losses, purpose: said },
    ]) {
      const one = await embed({ model: sdkModel(model), value: 'text 7', maxRetries: 0, ...option });
      expect(bits(one.embedding)).toEqual(wanted(['text 7'], length)[0] ?? []);
      expect(saidTo(name, field, purposeField)).toEqual([length, purpose]);
      expect(lossesOf(recorder.reply())).toEqual(lost);
      const { embeddings } = await embedMany({ model: sdkModel(model), values: texts, maxRetries: 0, ...option });
      expect(embeddings.map(bits)).toEqual(wanted(texts, length));
      expect(saidTo(name, field, purposeField)).toEqual([length, purpose]);
      expect(lossesOf(recorder.reply())).toEqual(lost);
    }
  });

  test.each([
    ['embedContent', 'key'],
    ['batchEmbedContents', 'x-goog-api-key'],
  ])('plain HTTP: %s with the token as %s', async (action, carrier) => {
    const inQuery = carrier === 'key';
    const query = inQuery ? `?key=${bench.weir.token}` : '';
    const entries = texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      output_dimensionality: lengthOf(name)[1],
    }));
    const reply = await fetch(`${bench.weir.url}/v1beta/models/${model}:${action}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(inQuery ? {} : { [carrier]: bench.weir.token }) },
      body: JSON.stringify(action === 'embedContent' ? entries[0] : { requests: entries }),
    });
    const asked = action === 'embedContent' ? texts.slice(0, 1) : texts;
    const tree = await treeOf<{ embedding?: { values: number[] }; embeddings?: Vectors; usageMetadata: object }>(reply);
    const vectors = action === 'embedContent' ? tree.embedding && [tree.embedding] : tree.embeddings;
    expect(vectorsOf(vectors)).toEqual(wanted(asked, lengthOf(name)[1]));
    expect(tree.usageMetadata).toEqual({ promptTokenCount: tokensOf(asked) });
    expect(saidTo(name, lengthOf(name)[0])).toEqual([lengthOf(name)[1]]);
  });

  test('a caller that wants no losses is refused in the library’s own class', async () => {
    const models = library(recorder, bench.weir.url, { 'x-weir-strict': 'true' }).models;
    const config = { taskType: 'RETRIEVAL_DOCUMENT', title: 'a novel' };
    const call = models.embedContent({ model, contents: 'text 7', config });
    if (name === 'gemini') return expect(vectorsOf((await call).embeddings)).toEqual(wanted(['text 7']));
    const error = await reasonOf(call);
    expect(error).toBeInstanceOf(ApiError);
    expect(inside(error)).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT', reason: 'loss_refused' });
    expect(bench.up(name).seen).toEqual([]);
  });

  test('the model is found and says that it embeds', async () => {
    const found = await library().models.get({ model });
    expect(found.name).toBe(`models/${model}`);
    expect(found.supportedActions).toEqual(['embedContent', 'batchEmbedContents']);
  });
});

function textOfRequest(request: Record<string, unknown>): string | undefined {
  const { parts } = request['content'] as { readonly parts: readonly { readonly text: string }[] };
  return parts.length === 1 ? parts[0]?.text : undefined;
}

/** The error that the library hands over as its message. */
function inside(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof ApiError)) throw new Error(`no error of the library: ${error}`);
  const { error: body } = JSON.parse(error.message) as { readonly error: Readonly<Record<string, unknown>> };
  expect(body['code']).toBe(error.status);
  return body;
}

test('the list holds every model once, and its pages end', async () => {
  for (const config of [{}, { pageSize: 2 }]) {
    const names: (string | undefined)[] = [];
    for await (const model of await library().models.list({ config })) names.push(model.name);
    expect(new Set(names).size).toBe(names.length);
    for (const [, model] of embeddingWires) expect(names).toContain(`models/${model}`);
  }
});

test('every vector is charged what its provider counted, by both libraries', async () => {
  const texts = ['text 3', 'text 12'];
  const expected = [200, BigInt(tokensOf(texts)) * nanoPerToken, false, tokensOf(texts)];
  const calls = embeddingWires.flatMap(([, model]) =>
    [
      (recorder: ReplyRecorder) => library(recorder).models.embedContent({ model, contents: texts }),
      (recorder: ReplyRecorder) => embedMany({ model: sdkModel(model, recorder), values: texts, maxRetries: 0 }),
    ].map(async (call) => {
      const recorder = recordReplies();
      await call(recorder);
      const row = await bench.row(recorder.reply());
      expect([model, row.status, row.costNano, row.estimated, row.inputTotal]).toEqual([model, ...expected]);
    }),
  );
  await Promise.all(calls);
});

const statusWords: Readonly<Record<number, string>> = {
  404: 'NOT_FOUND',
  422: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
};

const inTurns = embeddingWires.map(([name, model], index) => [name, model, index] as const);

describe.each(inTurns)('%s fails', (name, model, index) => {
  // The classes depend on the status alone; every wire has every status in the soak.
  test.each([...sampled(failures, index, 2)])('with %p', async (given, _message, reported) => {
    const up = bench.up(failingName(name, given));
    const named = `${failingName(name, given)}/${model}`;
    const error = await reasonOf(library().models.embedContent({ model: named, contents: ['text 1', 'text 2'] }));
    expect(inside(error)).toMatchObject({ code: reported.status, status: statusWords[reported.status] });
    expect(inside(error)['message']).toContain(reported.words);
    expect((error as ApiError).message).not.toContain(providerKey);
    expect(recorder.reply().headers.get('retry-after') ?? undefined).toBe(given === 429 ? `${waitSeconds}` : undefined);
    expect(up.seen.length).toBe(1);
    // A key that was refused is set aside: a second caller would hear of that.
    if (given === 401) return;
    const same = await reasonOf(embed({ model: sdkModel(named), value: 'text 1', maxRetries: 0 }));
    if (!APICallError.isInstance(same)) throw new Error(`no error of the library: ${same}`);
    expect([same.statusCode, same.message]).toEqual([reported.status, expect.stringContaining(reported.words)]);
    expect(up.seen.length).toBe(2);
  });
});

test('nothing is charged for a failure', async () => {
  const calls = embeddingWires.flatMap(([name, model]) =>
    failures.map(async ([given, , reported]) => {
      const recorder = recordReplies();
      const named = `${failingName(name, given)}/${model}`;
      await reasonOf(library(recorder).models.embedContent({ model: named, contents: 'text 1' }));
      const { status, costNano } = await bench.row(recorder.reply());
      expect([named, status, costNano]).toEqual([named, reported.status, 0n]);
    }),
  );
  await Promise.all(calls);
});

describe('Weir’s own refusals', () => {
  const model = 'voyage-3.5';
  const image = [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }];
  test.each([
    ['an unknown model', { model: 'no-such', contents: 'x' }, 404, 'model'],
    [
      'a length of nothing',
      { model, contents: 'x', config: { outputDimensionality: -1 } },
      400,
      'outputDimensionality',
    ],
    ['an image', { model, contents: image }, 400, 'content.parts[0]'],
    ['an empty text', { model, contents: '' }, 400, 'requests'],
  ])('%s', async (_name, request, status, param) => {
    const error = await reasonOf(library().models.embedContent(request));
    expect(inside(error)['code']).toBe(status);
    expect(inside(error)['param']).toContain(param);
    expect(bench.up('voyage').seen).toEqual([]);
  });

  test('a model without a provider is not found', async () => {
    expect(inside(await reasonOf(library().models.get({ model: 'no-such' })))['code']).toBe(404);
  });

  test('a token that Weir did not issue', async () => {
    const stranger = new GoogleGenAI({ apiKey: 'nobody', httpOptions: { baseUrl: bench.weir.url } });
    for (const call of [stranger.models.embedContent({ model, contents: 'x' }), stranger.models.list()]) {
      expect(inside(await reasonOf(call))).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    }
  });
});
