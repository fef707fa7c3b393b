/** What each provider's rerank wire is sent, how its rankings are read, and the way from the client and back. */

import { describe, expect, test } from 'bun:test';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { RerankRequest } from '../rerank.ts';
import { cohereRerank } from './cohere-rerank.ts';
import { jinaRerank } from './jina-rerank.ts';
import { rerankProviderWires } from './provider-wires.ts';
import { rerank } from './rerank.ts';
import { rerankClient } from './rerank-client.ts';
import { teiRerank } from './tei-rerank.ts';
import { voyageRerank } from './voyage-rerank.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const request: RerankRequest = {
  model: 'm',
  query: 'q',
  documents: ['a', { text: 'b', id: 1 }, { title: 'T', body: 'B' }],
  topN: 2,
  returnDocuments: true,
  tokensPerDocumentMax: 9,
  extras: { format: 'rerank', fields: { truncation: true, max_chunks_per_doc: 3 } },
};

function written(wire: (typeof rerankProviderWires)[number], asked: RerankRequest) {
  const { value, losses } = wire.writeRequest(asked, 'up');
  return { tree: value.body.kind === 'json' ? value.body.tree : undefined, lost: losses.map(({ what }) => what) };
}

const json = (tree: unknown) => ({ contentType: 'application/json', tree, bytes: new Uint8Array() });

describe('requests', () => {
  test('the plain wire writes every field as it was given', () => {
    expect(written(rerank, { ...request, rankFields: ['title'] })).toEqual({
      tree: {
        model: 'up',
        query: 'q',
        documents: request.documents,
        top_n: 2,
        rank_fields: ['title'],
        max_tokens_per_doc: 9,
        return_documents: false,
        truncation: true,
        max_chunks_per_doc: 3,
      },
      lost: [],
    });
  });

  test('the others take texts, under their own names', () => {
    const documents = ['a', 'b', 'title: T\nbody: B'];
    const asked = { model: 'up', query: 'q', documents };
    expect(written(cohereRerank, request)).toEqual({
      tree: { ...asked, top_n: 2, max_tokens_per_doc: 9 },
      lost: ['truncation', 'max_chunks_per_doc'],
    });
    expect(written(jinaRerank, request)).toEqual({
      tree: { ...asked, top_n: 2, return_documents: false, truncation: true },
      lost: ['max_chunks_per_doc', 'max_tokens_per_doc'],
    });
    expect(written(voyageRerank, request)).toEqual({
      tree: { ...asked, top_k: 2, return_documents: false, truncation: true },
      lost: ['max_chunks_per_doc', 'max_tokens_per_doc'],
    });
  });

  test('one calls the documents texts and knows no limit', () => {
    expect(written(teiRerank, request)).toEqual({
      tree: { model: 'up', query: 'q', texts: ['a', 'b', 'title: T\nbody: B'] },
      lost: ['truncation', 'max_chunks_per_doc', 'max_tokens_per_doc'],
    });
  });

  test('the fields to rank by, in their order', () => {
    const documents = [{ text: 'x', title: 'T', year: 1999, gone: null }];
    const asked = { ...request, documents, rankFields: ['year', 'title', 'gone', 'absent', '__proto__'] };
    expect(written(cohereRerank, asked).tree?.documents).toEqual(['year: 1999\ntitle: T']);
  });

  test('images go where they can be ranked', () => {
    const image = { image: 'https://h/i.png' };
    expect(written(jinaRerank, { ...request, documents: [image] }).tree?.documents).toEqual([image]);
    expect(written(voyageRerank, { ...request, documents: [image] }).tree?.documents).toEqual([
      'image: https://h/i.png',
    ]);
  });
});

describe('replies', () => {
  const results = [
    { index: 2, relevance_score: 0.2 },
    { index: 0, relevance_score: 0.7, document: { text: 'a' } },
    { index: 1, relevance_score: 0.5 },
  ];
  const ranked = [
    { index: 0, score: 0.7 },
    { index: 1, score: 0.5 },
  ];

  test('in the order of relevance and no more than asked for', () => {
    for (const wire of rerankProviderWires) {
      const usage = { total_tokens: 8 };
      for (const tree of [
        { results, usage },
        { object: 'list', data: results, model: 'up-1', id: 'i', usage },
      ]) {
        const { value, losses } = wire.readReply(json(tree), request, making);
        const named = 'id' in tree;
        expect(value).toEqual({
          id: named ? 'i' : 'rerank-1',
          model: named ? 'up-1' : 'm',
          results: ranked,
          consumption: { tokens: { input: { total: 8 }, output: {} } },
        });
        expect([losses, wire.measure(tree)]).toEqual([[], value.consumption]);
      }
    }
  });

  test('a score by its shorter name', () => {
    const tree = { results: [{ index: 1, score: 0.4 }] };
    expect(rerank.readReply(json(tree), request, making).value.results).toEqual([{ index: 1, score: 0.4 }]);
  });

  test('a bare list, as some servers of one’s own answer', () => {
    const tree = [
      { index: 1, score: 0.5 },
      { index: 2, score: 0.2 },
      { index: 0, score: 0.7, document: 'a' },
    ];
    for (const wire of [rerank, teiRerank]) {
      const { value } = wire.readReply(json(tree), request, making);
      expect(value).toEqual({ id: 'rerank-1', model: 'm', results: ranked, consumption: {} });
      expect(wire.measure(tree)).toEqual({});
    }
  });

  test('what is no ranking of these documents is refused', () => {
    const odd: readonly unknown[] = [
      undefined,
      null,
      [],
      {},
      { results: {} },
      { results: [null] },
      { results: [{ index: 3, relevance_score: 1 }] },
      { results: [{ index: -1, relevance_score: 1 }] },
      { results: [{ index: '0', relevance_score: 1 }] },
      { results: [{ index: 0 }] },
      { results: [{ index: 0, relevance_score: '1' }] },
      { results: [results[0], results[0]] },
    ];
    for (const wire of rerankProviderWires) {
      for (const tree of odd) expect(() => wire.readReply(json(tree), request, making)).toThrow(SyntaxError);
    }
  });

  test('warnings are reported', () => {
    const tree = { results, meta: { warnings: ['w'] }, profile: 1 };
    expect(cohereRerank.readReply(json(tree), request, making).losses.map(({ what }) => what)).toEqual([
      'profile',
      'meta.warnings',
    ]);
  });

  test.each(recordedFiles('rerank').map((file) => [file.name, file] as const))('%s is read as it says', (_, {
    text,
  }) => {
    const tree = JSON.parse(text());
    const { value, losses } = cohereRerank.readReply(json(tree), { ...request, topN: 6 }, making);
    const said = tree.results.map((one: Tree) => ({ index: one['index'], score: one['relevance_score'] }));
    expect(value).toEqual({ id: tree.id, model: 'm', results: said, consumption: { searches: 1 } });
    expect([losses, cohereRerank.measure(tree)]).toEqual([[], { searches: 1 }]);
  });
});

describe('from the client and back', () => {
  /** Ranks by length, from what the request says alone. */
  function answer(tree: Tree): unknown {
    const limit = tree['top_n'] ?? tree['top_k'];
    const scored = ((tree['documents'] ?? tree['texts']) as unknown[]).map((document, index) => ({
      index,
      relevance_score: JSON.stringify(document).length / 100,
    }));
    const ordered = scored.toSorted((left, right) => right.relevance_score - left.relevance_score);
    if ('texts' in tree) return ordered.map(({ index, relevance_score: score }) => ({ index, score }));
    const best = ordered.slice(0, Number(limit));
    return 'top_k' in tree
      ? { object: 'list', data: best, model: 'up', usage: { total_tokens: 4 } }
      : { id: 'x', results: best, meta: { billed_units: { search_units: 1 } } };
  }

  for (const wire of rerankProviderWires) {
    test(wire.name, () => {
      const documents = ['short', 'a much longer document', 'the middle one'];
      const tree = { query: 'q', documents, top_n: 2, return_documents: true };
      rerankClient.check({ kind: 'json', tree }, 100);
      const { value } = rerankClient.readRequest({ kind: 'json', tree }, 'm');
      const sent = wire.writeRequest(value, 'up').value.body;
      const said = answer(JSON.parse(JSON.stringify(sent.kind === 'json' ? sent.tree : {})));
      const reply = wire.readReply(json(said), value, making).value;
      const shown = JSON.parse(String(rerankClient.writeReply(reply, value, making).body));
      expect(shown.results.map((one: Tree) => [one['index'], one['document']])).toEqual([
        [1, { text: documents[1] }],
        [2, { text: documents[2] }],
      ]);
      expect(rerankClient.suits?.(shown, value)).toBe(true);
      expect(rerank.readReply(json(shown), value, making).value).toEqual({ ...reply, consumption: expect.anything() });
    });
  }
});
