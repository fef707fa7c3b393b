/** Reranking through its library's two clients and by hand: the right document first, and fields for three vendors. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Cohere, CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { errorOf } from '../../harness/chat.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const model = 'sandbox-rerank';
const documents = [
  'Carson City is the capital city of the American state of Nevada.',
  'Capital punishment has existed in the United States since before it was a country.',
  'Washington, D.C. is the capital of the United States, a federal district.',
  'Grammar: capitalization is the use of a capital letter at the start of a word.',
];
const query = 'What is the capital of the United States?';

let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

async function post(path: string, body: object): Promise<Response> {
  return fetch(`${weir.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The base URL as people paste it, and as the library wants it. */
const bases = () => [weir.url, weir.base, `${weir.base}/`];

describe('cohere-ai, second version', () => {
  test('every spelling of the base URL reaches the route', async () => {
    for (const baseUrl of bases()) {
      for (const place of [{ baseUrl }, { environment: baseUrl }]) {
        const client = new CohereClientV2({ token: weir.token, maxRetries: 0, ...place });
        const { results, id, meta } = await client.rerank({ model, query, documents });
        expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
        expect(results[0]?.index).toBe(2);
        expect(results[0]?.relevanceScore).toBeGreaterThan(results[1]?.relevanceScore ?? 1);
        expect(id).toBeTruthy();
        expect(meta?.billedUnits?.searchUnits).toBe(1);
        expect(meta?.apiVersion?.version).toBe('2');
      }
    }
  });

  test('top_n and max_tokens_per_doc', async () => {
    const client = new CohereClientV2({ token: weir.token, baseUrl: weir.base, maxRetries: 0 });
    const two = await client.rerank({ model, query, documents, topN: 2, maxTokensPerDoc: 100 });
    expect(two.results).toHaveLength(2);
    expect(two.results[0]?.index).toBe(2);
    const more = await client.rerank({ model, query, documents, topN: 50 });
    expect(more.results).toHaveLength(4);
  });

  test('refusals come as the classes of the library', async () => {
    const client = (token = weir.token) => new CohereClientV2({ token, baseUrl: weir.base, maxRetries: 0 });
    const failed = (call: PromiseLike<unknown>) => Promise.resolve(call).catch((reason: unknown) => reason);
    expect(await failed(client('no-such-token').rerank({ model, query, documents }))).toBeInstanceOf(
      Cohere.UnauthorizedError,
    );
    expect(await failed(client().rerank({ model: 'no-such', query, documents }))).toBeInstanceOf(Cohere.NotFoundError);
    const bad = await failed(client().rerank({ model, query, documents, topN: 0 }));
    expect(bad).toBeInstanceOf(Cohere.BadRequestError);
    if (!(bad instanceof CohereError)) throw new Error('no error');
    expect(bad.statusCode).toBe(400);
    expect((bad.body as { error: { param: string } }).error.param).toBe('top_n');
    expect(await failed(client().rerank({ model: 'sandbox-chat', query, documents }))).toBeInstanceOf(
      Cohere.BadRequestError,
    );
  });
});

describe('cohere-ai, first version', () => {
  test('every spelling of the base URL reaches the route', async () => {
    for (const baseUrl of bases()) {
      for (const place of [{ baseUrl }, { environment: baseUrl }]) {
        const client = new CohereClient({ token: weir.token, maxRetries: 0, ...place });
        const { results } = await client.rerank({ model, query, documents, returnDocuments: true });
        expect(results[0]).toMatchObject({ index: 2, document: { text: documents[2] } });
        const second = await client.v2.rerank({ model, query, documents });
        expect(second.results.map(({ index }) => index)).toEqual(results.map(({ index }) => index));
      }
    }
  });

  test('objects, ranked by the fields that are named', async () => {
    const client = new CohereClient({ token: weir.token, baseUrl: weir.base, maxRetries: 0 });
    const objects = [
      { title: 'soup', body: 'leeks and potatoes' },
      { title: 'rivers', body: 'how water flows' },
    ];
    const byTitle = await client.rerank({ model, query: 'rivers', documents: objects, rankFields: ['title'] });
    expect(byTitle.results[0]?.index).toBe(1);
    const byBody = await client.rerank({ model, query: 'leeks', documents: objects, rankFields: ['body'], topN: 1 });
    expect(byBody.results.map(({ index }) => index)).toEqual([0]);
    const texts = await client.rerank({
      model,
      query: 'leeks',
      documents: objects.map(({ body }) => ({ text: body })),
      returnDocuments: true,
    });
    expect(texts.results[0]?.document).toMatchObject({ text: 'leeks and potatoes' });
  });
});

describe('by hand', () => {
  test.each(['/v1/rerank', '/v2/rerank', '/v1/v1/rerank', '/v1/v2/rerank'])('%s', async (path) => {
    const reply = await post(path, { model, query, documents, return_documents: true, top_n: 3 });
    expect(reply.status).toBe(200);
    const tree = (await reply.json()) as Record<string, unknown>;
    expect(tree).toMatchObject({
      model,
      object: 'list',
      results: [{ index: 2, document: { text: documents[2] } }, {}, {}],
      data: [{ index: 2, document: documents[2] }, {}, {}],
    });
    const { usage, results } = tree as { usage: { total_tokens: number }; results: { relevance_score: number }[] };
    expect(usage.total_tokens).toBeGreaterThan(0);
    const scores = results.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  });

  test('documents are returned only on request, and as they were sent', async () => {
    const objects = [{ text: 'rivers flow', id: 7, tags: ['a'] }];
    const without = (await (await post('/v1/rerank', { model, query: 'rivers', documents: objects })).json()) as {
      results: object[];
    };
    expect(without.results[0]).not.toHaveProperty('document');
    const asked = { model, query: 'rivers', documents: objects, return_documents: true };
    const given = (await (await post('/v1/rerank', asked)).json()) as { results: { document: object }[] };
    expect(given.results[0]?.document).toEqual({ text: 'rivers flow', id: 7, tags: ['a'] });
  });

  test('a thousand documents, the one that matters among them', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `Paragraph ${index} of a long report about nothing.`);
    many[613] = 'The heron nests in the reeds beside the weir.';
    const reply = await post('/v1/rerank', { model, query: 'where does the heron nest', documents: many, top_n: 1 });
    expect(await reply.json()).toMatchObject({ results: [{ index: 613 }] });
  });

  test('without a model the one that ranks is chosen', async () => {
    const reply = await post('/v1/rerank', { query, documents });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ model, results: [{ index: 2 }, {}, {}, {}] });
  });

  test.each([
    ['query', 'absent', undefined],
    ['query', 'empty', ''],
    ['query', 'a number', 5],
    ['documents', 'absent', undefined],
    ['documents', 'an empty list', []],
    ['documents', 'a text', 'text'],
    ['documents[1]', 'a number', ['a', 5]],
    ['top_n', 'zero', 0],
    ['top_n', 'negative', -1],
    ['top_n', 'a fraction', 1.5],
    ['top_n', 'a text', '2'],
    ['return_documents', 'a text', 'yes'],
    ['rank_fields', 'a text', 'title'],
  ])('refused: %s, %s', async (param, _what, value) => {
    const field = param.replace(/\[.*/, '');
    const reply = await post('/v2/rerank', { model, query, documents, [field]: value });
    expect(reply.status).toBe(400);
    expect((await errorOf(reply)).param).toBe(param);
  });
});

/** Query, the document that answers it, and others that share words with it or with nothing. */
const cases: [string, string, ...string[]][] = [
  [
    'how to bake bread',
    'Bake the bread at 220 degrees for forty minutes.',
    'Bread prices rose.',
    'How tall is the tower?',
  ],
  [
    'reset my password',
    'To reset a forgotten password, follow the link.',
    'Passwords are secret.',
    'Reset the router.',
  ],
  ['train to Lisbon', 'The night train to Lisbon leaves at ten.', 'Lisbon is a city.', 'The train to Porto is late.'],
  [
    'heron nesting place',
    'Herons have their nesting place in the reeds.',
    'A nest of spoons.',
    'Place the order here.',
  ],
  ['largest planet', 'Jupiter is the largest planet.', 'Planets orbit stars.', 'The largest lake is deep.'],
  ['speed of light', 'Light travels at a speed of 299792 kilometres a second.', 'Speed limits apply.', 'Light bulbs.'],
  ['refund policy', 'Our refund policy gives thirty days.', 'Policy experts met.', 'Refunds and such.'],
  ['install npm package', 'Install the package with npm install.', 'The package arrived.', 'Install the shelf.'],
  ['boiling point of water', 'Water has its boiling point at 100 degrees.', 'Boiling eggs.', 'The point of no return.'],
  ['symptoms of flu', 'Fever and cough are symptoms of flu.', 'The chimney flue.', 'Symptoms of decline.'],
  ['author of Hamlet', 'Shakespeare is the author of Hamlet.', 'A hamlet is a small village.', 'Authors write.'],
  ['opening hours museum', 'The museum: opening hours are nine to five.', 'Opening a jar.', 'Hours passed.'],
];

test.each(cases)('the right document comes first: %s', async (asked, right, ...others) => {
  for (const order of [
    [right, ...others],
    [...others, right],
  ]) {
    const reply = await post('/v1/rerank', { model, query: asked, documents: order });
    expect(await reply.json()).toMatchObject({ results: [{ index: order.indexOf(right) }, {}, {}] });
  }
});
