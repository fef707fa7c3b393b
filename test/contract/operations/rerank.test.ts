/** Reranking over every wire that providers have, for the three libraries that call it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Bench, errorOf, lossesOf, startBench, treeOf } from './bench.ts';
import { rerankPrices, rerankRows, rerankWires as wires } from './rerank-rows.ts';

interface Result {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: unknown;
}

interface Reply {
  readonly id: string;
  readonly model: string;
  readonly results: readonly Result[];
  readonly data: readonly Result[];
  readonly meta: { readonly billed_units: { readonly search_units?: number; readonly input_tokens?: number } };
  readonly usage: { readonly total_tokens: number };
}

const documents = ['a weak one, 0.2', 'the best, 0.9', 'a fair one, 0.5'];

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(rerankRows, { prices: rerankPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of wires) bench.up(name).forget();
});

describe.each(wires)('%s', (name, model, costNano) => {
  const rank = (body: object, path = '/v1/rerank') =>
    bench.post(path, { model, query: 'which one', documents, ...body });

  test('the most relevant first, under both names, at its price', async () => {
    const reply = await rank({});
    const tree = await treeOf<Reply>(reply);
    expect(tree.results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(tree.results.map((result) => result.relevance_score)).toEqual([0.9, 0.5, 0.2]);
    expect(tree.data.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(tree.results.some((result) => 'document' in result)).toBe(false);
    expect([typeof tree.id, tree.model]).toEqual(['string', model]);
    expect(reply.headers.get('x-weir-provider')).toBe(name);
    bench.expectRow(reply, { costNano: costNano });
  });

  test('no more than was asked for, on the second path too', async () => {
    for (const path of ['/v1/rerank', '/v2/rerank']) {
      const tree = await treeOf<Reply>(await rank({ top_n: 2 }, path));
      expect(tree.results.map(({ index }) => index)).toEqual([1, 2]);
      expect(tree.data.length).toBe(2);
    }
    const tree = await treeOf<Reply>(await rank({ top_k: 1 }));
    expect(tree.results.map(({ index }) => index)).toEqual([1]);
  });

  test('documents come back where they are asked for, objects as they were sent', async () => {
    const tree = await treeOf<Reply>(await rank({ return_documents: true, top_n: 1 }));
    expect(tree.results[0]?.document).toEqual({ text: 'the best, 0.9' });
    const objects = documents.map((text, id) => ({ id, text }));
    const given = await treeOf<Reply>(await rank({ documents: objects, return_documents: true, top_n: 1 }));
    expect(given.results[0]).toMatchObject({ index: 1, document: { id: 1, text: 'the best, 0.9' } });
  });
});

describe('what a caller says beside its documents', () => {
  test('is lost where a wire has no word for it', async () => {
    const body = { query: 'which one', documents, max_tokens_per_doc: 100 };
    const reply = await bench.post('/v1/rerank', { ...body, model: 'rerank-v4.0-pro' });
    await treeOf(reply);
    expect(lossesOf(reply)).toEqual([]);
    const other = await bench.post('/v1/rerank', { ...body, model: 'rerank-2.5' });
    await treeOf(other);
    expect(lossesOf(other)).toEqual(['max_tokens_per_doc']);
  });

  test.each([
    [{ query: 'q', documents: [] }, 'documents'],
    [{ documents }, 'query'],
    [{ query: 'q', documents: [1] }, 'documents[0]'],
    [{ query: 'q', documents, top_n: 0 }, 'top_n'],
  ])('%p is refused by its field', async (body, param) => {
    const reply = await bench.post('/v1/rerank', { model: 'rerank-2.5', ...body });
    expect((await errorOf(reply, 400)).param).toBe(param);
    expect(bench.up('voyage').seen.length).toBe(0);
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
