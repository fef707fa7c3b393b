/** The rerank endpoint: what three vendors' libraries send to it, and what each of them reads in its replies. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { RerankReply } from '../rerank.ts';
import { rerankClient as wire } from './rerank-client.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const body = (tree: Tree) => ({
  kind: 'json' as const,
  tree: { model: 'm', query: 'q', documents: ['a', 'b'], ...tree },
});
const check = (tree: Tree, bodyBytes = 100) => wire.check(body(tree), bodyBytes);
const read = (tree: Tree) => wire.readRequest(body(tree)).value;

describe('checks', () => {
  test('facts', () => {
    expect(check({})).toEqual({
      model: 'm',
      stream: false,
      most: { searches: 1, tokens: { input: { total: 102 }, output: { total: 0 } } },
    });
    expect(check({ model: undefined }).model).toBeUndefined();
  });

  test('a search is a hundred pieces, and long documents are many', () => {
    const documents = Array.from({ length: 100 }, () => 'a');
    expect(check({ documents }, 500).most.searches).toBe(2);
    expect(check({ documents: ['a'] }, 1_000_000).most.searches).toBeGreaterThanOrEqual(20);
    const short = check({ query: 'q' }, 40_000).most.searches ?? 0;
    expect(check({ query: 'q'.repeat(450) }, 40_000).most.searches).toBeGreaterThan(short);
  });

  const right: readonly Tree[] = [
    { documents: [{ text: 'a' }, 'b', { image: 'https://h/i' }] },
    { top_n: 1, return_documents: true, rank_fields: ['a'], max_chunks_per_doc: 1, max_tokens_per_doc: 1 },
    { top_k: 500, truncation: true },
    { top_n: null, return_documents: null, rank_fields: null, max_chunks_per_doc: null },
    { documents: Array.from({ length: 10_000 }, () => '') },
  ];
  for (const tree of right) {
    test(`${JSON.stringify(tree).slice(0, 60)} passes`, () => {
      expect(check(tree).stream).toBe(false);
    });
  }

  const wrong: readonly [Tree, string][] = [
    [{ model: '' }, 'model'],
    [{ model: 1 }, 'model'],
    [{ query: undefined }, 'query'],
    [{ query: '' }, 'query'],
    [{ query: ['q'] }, 'query'],
    [{ documents: undefined }, 'documents'],
    [{ documents: [] }, 'documents'],
    [{ documents: 'a' }, 'documents'],
    [{ documents: ['a', 1] }, 'documents[1]'],
    [{ documents: [null] }, 'documents[0]'],
    [{ documents: [['a']] }, 'documents[0]'],
    [{ documents: Array.from({ length: 10_001 }, () => 'a') }, 'documents'],
    [{ top_n: 0 }, 'top_n'],
    [{ top_n: 1.5 }, 'top_n'],
    [{ top_k: -1 }, 'top_k'],
    [{ return_documents: 'yes' }, 'return_documents'],
    [{ rank_fields: 'text' }, 'rank_fields'],
    [{ rank_fields: [] }, 'rank_fields'],
    [{ rank_fields: ['a', 1] }, 'rank_fields[1]'],
    [{ max_chunks_per_doc: 0 }, 'max_chunks_per_doc'],
    [{ max_tokens_per_doc: 'x' }, 'max_tokens_per_doc'],
  ];
  for (const [tree, param] of wrong) {
    test(`${JSON.stringify(tree).slice(0, 60)} names ${param}`, () => {
      let named: unknown;
      try {
        check(tree);
      } catch (error) {
        named = error instanceof GatewayError && error.status === 400 && error.param;
      }
      expect(named).toBe(param);
    });
  }
});

test('requests as each library writes them', () => {
  expect(read({})).toEqual({ model: 'm', query: 'q', documents: ['a', 'b'], returnDocuments: false });
  expect(read({ top_k: 2, return_documents: true, truncation: false })).toEqual({
    model: 'm',
    query: 'q',
    documents: ['a', 'b'],
    returnDocuments: true,
    topN: 2,
    extras: { format: 'rerank', fields: { truncation: false } },
  });
  const fields = read({ rank_fields: ['title'], max_tokens_per_doc: 5, max_chunks_per_doc: 3 });
  expect([fields.rankFields, fields.tokensPerDocumentMax]).toEqual([['title'], 5]);
  expect(fields.extras?.fields).toEqual({ max_chunks_per_doc: 3 });
  expect(wire.readRequest(body({ model: undefined }), 'chosen').value.model).toBe('chosen');
});

describe('replies', () => {
  const reply: RerankReply = {
    id: 'r-1',
    model: 'up',
    results: [
      { index: 1, score: 0.9 },
      { index: 0, score: 0.1 },
    ],
    consumption: { searches: 1, tokens: { input: { total: 12 }, output: {} } },
  };
  const write = (tree: Tree, said: RerankReply = reply) =>
    JSON.parse(String(wire.writeReply(said, read(tree), making).body));

  test('carry what every library reads', () => {
    const results = [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ];
    expect(write({})).toEqual({
      id: 'r-1',
      object: 'list',
      model: 'up',
      results,
      data: results,
      meta: {
        api_version: { version: '2' },
        billed_units: { search_units: 1, input_tokens: 12 },
        tokens: { input_tokens: 12, output_tokens: 0 },
      },
      usage: { prompt_tokens: 12, total_tokens: 12 },
    });
    expect(write({}, { ...reply, consumption: {} })).toMatchObject({
      meta: { billed_units: {} },
      usage: { total_tokens: 0 },
    });
  });

  test('documents come back as they were sent, with a text', () => {
    const documents = [
      { text: 'a', id: 7 },
      { title: 'T', body: { x: 1 } },
    ];
    const shown = write({ documents, return_documents: true });
    expect(shown.results.map(({ document }: { document: unknown }) => document)).toEqual([
      { title: 'T', body: { x: 1 }, text: 'title: T\nbody: {"x":1}' },
      { text: 'a', id: 7 },
    ]);
    expect(shown.data.map(({ document }: { document: unknown }) => document)).toEqual(['title: T\nbody: {"x":1}', 'a']);
    expect(write({ return_documents: true }).results[0].document).toEqual({ text: 'b' });
    expect(write({ documents, return_documents: false }).results[0]).not.toHaveProperty('document');
  });

  test('what suits the caller', () => {
    const suits = (tree: unknown, asked: Tree = {}) => wire.suits?.(tree, read(asked));
    const whole = write({});
    expect(suits(whole)).toBe(true);
    expect(suits(whole, { top_n: 1 })).toBe(false);
    expect(suits(whole, { return_documents: true })).toBe(false);
    expect(suits(write({ return_documents: true }), { return_documents: true })).toBe(true);
    for (const name of ['id', 'model', 'results', 'data']) expect(suits({ ...whole, [name]: undefined })).toBe(false);
    expect(suits({ ...whole, results: [{ index: 0 }] })).toBe(false);
    for (const odd of [null, [], 1, { results: [null] }]) expect(suits(odd)).toBe(false);
  });
});
