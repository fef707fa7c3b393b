/** Reranking through both clients of its official library over every wire that providers have: each option, its cost, and failures in the library's own classes. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Cohere, CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { type Bench, lossesOf, providerKey, type Row, startBench } from '../../../contract/operations/bench.ts';
import { rerankPrices, rerankRows, rerankWires } from '../../../contract/operations/rerank-rows.ts';
import { failingName, failingRows, failures, waitSeconds } from './failing-vendors.ts';
import { type ReplyRecorder, reasonOf, recordReplies } from './reply-recorder.ts';

const documents = ['a weak one, 0.2', 'the best, 0.9', 'a fair one, 0.5'];
const query = 'which one';

let bench: Bench;
let recorder: ReplyRecorder;
beforeAll(async () => {
  const rows: Record<string, Row> = { ...rerankRows, ...failingRows(rerankRows) };
  const models = { rerank: { targets: [{ provider: 'jina', model: 'jina-reranker-v3' }] } };
  bench = await startBench(rows, { prices: rerankPrices, models });
});
afterAll(() => bench.remove());
beforeEach(() => {
  recorder = recordReplies();
  for (const [name] of rerankWires) bench.up(name).forget();
});

type Place = { readonly baseUrl: string } | { readonly environment: string };

function options(place?: Place, via = recorder) {
  const { url, token } = bench.weir;
  return { token, maxRetries: 0, fetch: via.fetch, ...(place ?? { baseUrl: url }) };
}
const first = (place?: Place, recorder?: ReplyRecorder) => new CohereClient(options(place, recorder));
const second = (place?: Place, recorder?: ReplyRecorder) => new CohereClientV2(options(place, recorder));

/** The only body that a provider got. */
function sentTo(name: string): Record<string, unknown> {
  const { seen } = bench.up(name);
  expect(seen.length).toBe(1);
  const body = JSON.parse(`${seen[0]?.bytes}`) as Record<string, unknown>;
  bench.up(name).forget();
  return body;
}

/** What each wire calls the limit; those of the plain wire get the caller's own bytes. */
const limitOf = (name: string) => (name === 'voyage' ? 'top_k' : 'top_n');
const isPlain = (name: string) => name === 'plain' || name === 'hosted';

const places = (): Place[] =>
  [bench.weir.url, bench.weir.base, `${bench.weir.base}/`].flatMap((url) => [{ baseUrl: url }, { environment: url }]);

describe.each(rerankWires)('%s', (name, model) => {
  const asked = { model, query, documents };

  test('every way to give the base URL, in both versions', async () => {
    for (const place of places()) {
      const clients = [first(place), first(place).v2, second(place)];
      for (const client of clients) {
        const { results, id } = await client.rerank(asked);
        expect(results).toEqual([
          { index: 1, relevanceScore: 0.9 },
          { index: 2, relevanceScore: 0.5 },
          { index: 0, relevanceScore: 0.2 },
        ]);
        expect(id).toBeTruthy();
        expect(recorder.reply().headers.get('x-weir-provider')).toBe(name);
        expect(lossesOf(recorder.reply())).toEqual([]);
        expect(sentTo(name)).toMatchObject(asked);
      }
    }
  });

  test('what was billed is reported in the units of the provider', async () => {
    for (const client of [first(), second()]) {
      const { meta } = await client.rerank(asked);
      expect(meta?.apiVersion?.version).toBe('2');
      const { searchUnits, inputTokens } = meta?.billedUnits ?? {};
      expect([searchUnits, inputTokens]).toEqual(name === 'cohere' ? [1, undefined] : [undefined, 30]);
    }
  });

  test('topN, below and above the number of documents', async () => {
    for (const client of [first(), second()]) {
      const two = await client.rerank({ ...asked, topN: 2 });
      expect(two.results.map(({ index }) => index)).toEqual([1, 2]);
      expect(sentTo(name)[limitOf(name)]).toBe(2);
      const all = await client.rerank({ ...asked, topN: 50 });
      expect(all.results.map(({ index }) => index)).toEqual([1, 2, 0]);
      expect(sentTo(name)[limitOf(name)]).toBe(50);
    }
  });

  test('maxTokensPerDoc and priority, sent or listed as lost', async () => {
    const { results } = await second().rerank({ ...asked, maxTokensPerDoc: 100, priority: 3 });
    expect(results[0]?.index).toBe(1);
    const body = sentTo(name);
    if (name === 'cohere' || isPlain(name)) {
      expect([body['max_tokens_per_doc'], body['priority'], lossesOf(recorder.reply())]).toEqual([100, 3, []]);
    } else {
      expect(body).not.toContainAnyKeys(['max_tokens_per_doc', 'priority']);
      expect(lossesOf(recorder.reply()).toSorted()).toEqual(['max_tokens_per_doc', 'priority']);
    }
  });

  test('returnDocuments: texts and whole objects come back, and only where they are wanted', async () => {
    const texts = await first().rerank({ ...asked, returnDocuments: true, topN: 2 });
    expect(texts.results.map(({ document }) => document)).toEqual([
      { text: 'the best, 0.9' },
      { text: 'a fair one, 0.5' },
    ]);
    const objects = documents.map((text, place) => ({ text, id: `d${place}` }));
    const whole = await first().rerank({ ...asked, documents: objects, returnDocuments: true });
    expect(whole.results.map(({ document }) => document)).toEqual([objects[1], objects[2], objects[0]]);
    for (const returnDocuments of [false, undefined]) {
      const { results } = await first().rerank({ ...asked, ...(returnDocuments === false && { returnDocuments }) });
      expect(results.map(({ document }) => document)).toEqual([undefined, undefined, undefined]);
    }
  });

  test('objects are ranked by their text, or by the fields that are named', async () => {
    const objects = [
      { text: 'said 0.3', title: 'named 0.8', note: 'noted 0.4' },
      { text: 'said 0.7', title: 'named 0.1', note: 'noted 0.6' },
    ];
    const ranked = async (rankFields?: string[]) => {
      const chosen = rankFields === undefined ? {} : { rankFields };
      const { results } = await first().rerank({ ...asked, documents: objects, ...chosen });
      expect(lossesOf(recorder.reply())).toEqual([]);
      return { results: results.map(({ index, relevanceScore }) => [index, relevanceScore]), body: sentTo(name) };
    };
    const byText = await ranked();
    expect(byText.results).toEqual([
      [1, 0.7],
      [0, 0.3],
    ]);
    const byTitle = await ranked(['title']);
    expect(byTitle.results).toEqual([
      [0, 0.8],
      [1, 0.1],
    ]);
    const byBoth = await ranked(['note', 'title']);
    expect(byBoth.results).toEqual([
      [1, 0.6],
      [0, 0.4],
    ]);
    if (isPlain(name)) return expect(byBoth.body).toMatchObject({ documents: objects, rank_fields: ['note', 'title'] });
    expect(byText.body['documents']).toEqual(['said 0.3', 'said 0.7']);
    expect(byBoth.body['documents']).toEqual([
      'note: noted 0.4\ntitle: named 0.8',
      'note: noted 0.6\ntitle: named 0.1',
    ]);
  });

  test('maxChunksPerDoc, sent or listed as lost', async () => {
    await first().rerank({ ...asked, maxChunksPerDoc: 4 });
    expect(sentTo(name)['max_chunks_per_doc']).toBe(isPlain(name) ? 4 : undefined);
    expect(lossesOf(recorder.reply())).toEqual(isPlain(name) ? [] : ['max_chunks_per_doc']);
  });

  test('a caller that wants no losses is refused in the library’s own class', async () => {
    const headers = { 'x-weir-strict': 'true' };
    const call = first().rerank({ ...asked, maxChunksPerDoc: 4 }, { headers });
    if (isPlain(name)) return expect((await call).results.length).toBe(3);
    const error = await reasonOf(call);
    expect(error).toBeInstanceOf(Cohere.BadRequestError);
    expect((error as CohereError).body).toMatchObject({ error: { code: 'loss_refused', param: 'max_chunks_per_doc' } });
    expect(bench.up(name).seen).toEqual([]);
  });
});

test('a client that names no model gets the one that the operator chose', async () => {
  const { results } = await first().rerank({ query, documents });
  expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(sentTo('jina')['model']).toBe('jina-reranker-v3');
});

test('every ranking is charged what its provider billed, in both versions', async () => {
  const calls = rerankWires.flatMap(([, model, costNano]) => [
    { model, costNano, clientOf: first },
    { model, costNano, clientOf: second },
  ]);
  const charged = calls.map(async ({ model, costNano, clientOf }) => {
    const recorder = recordReplies();
    await clientOf(undefined, recorder).rerank({ model, query, documents });
    const row = await bench.row(recorder.reply());
    const tokens = model === 'rerank-v4.0-pro' ? undefined : 30;
    expect([model, row.status, row.costNano, row.estimated, row.inputTotal]).toEqual([
      model,
      200,
      costNano,
      false,
      tokens,
    ]);
  });
  await Promise.all(charged);
});

/** The class of each status; those without one of their own are the library's common class. */
const classes: Readonly<Record<number, abstract new (...args: never[]) => CohereError>> = {
  404: Cohere.NotFoundError,
  422: Cohere.UnprocessableEntityError,
  429: Cohere.TooManyRequestsError,
  502: CohereError,
  503: Cohere.ServiceUnavailableError,
};

describe.each(rerankWires)('%s fails', (name, model) => {
  test.each(failures)('with %p', async (given, _message, reported) => {
    const request = { model: `${failingName(name, given)}/${model}`, query, documents };
    // A key that was refused is set aside: a second caller would hear of that.
    const clients = given === 401 ? [second()] : [first(), second()];
    for (const client of clients) {
      const error = await reasonOf(client.rerank(request));
      expect(error).toBeInstanceOf(classes[reported.status] ?? CohereError);
      if (!(error instanceof CohereError)) throw new Error('no error of the library');
      expect(error.statusCode).toBe(reported.status);
      expect((error.body as { error: { message: string } }).error.message).toContain(reported.words);
      expect(JSON.stringify(error.body)).not.toContain(providerKey);
      const wait = error.rawResponse?.headers.get('retry-after') ?? undefined;
      expect(wait).toBe(given === 429 ? `${waitSeconds}` : undefined);
    }
    expect(bench.up(failingName(name, given)).seen.length).toBe(clients.length);
  });
});

test('nothing is charged for a failure', async () => {
  const calls = rerankWires.flatMap(([name, model]) =>
    failures.map(async ([given, , reported]) => {
      const recorder = recordReplies();
      const named = `${failingName(name, given)}/${model}`;
      await reasonOf(second(undefined, recorder).rerank({ model: named, query, documents }));
      const { status, costNano } = await bench.row(recorder.reply());
      expect([named, status, costNano]).toEqual([named, reported.status, 0n]);
    }),
  );
  await Promise.all(calls);
});

describe('Weir’s own refusals', () => {
  const model = 'rerank-2.5';
  test.each([
    ['an unknown model', { model: 'no-such', query, documents }, Cohere.NotFoundError, 'model'],
    ['a limit of nothing', { model, query, documents, topN: 0 }, Cohere.BadRequestError, 'top_n'],
    ['no documents', { model, query, documents: [] }, Cohere.BadRequestError, 'documents'],
    ['an empty query', { model, query: '', documents }, Cohere.BadRequestError, 'query'],
  ] as const)('%s', async (_name, request, kind, param) => {
    const copy = { ...request, documents: [...request.documents] };
    for (const client of [first(), second()]) {
      const error = await reasonOf(client.rerank(copy));
      expect(error).toBeInstanceOf(kind);
      expect((error as CohereError).body).toMatchObject({ error: { param } });
    }
    expect(bench.up('voyage').seen).toEqual([]);
  });

  test('a token that Weir did not issue', async () => {
    for (const Client of [CohereClient, CohereClientV2]) {
      const client = new Client({ ...options(), token: 'nobody' });
      expect(await reasonOf(client.rerank({ model, query, documents }))).toBeInstanceOf(Cohere.UnauthorizedError);
    }
  });
});
