/** Moderations through the official library, and rerank through its door for undocumented paths, over every wire that serves them. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BadRequestError } from 'openai';
import type { Moderation, ModerationCreateParams } from 'openai/resources/moderations';
import { moderationCategories } from '../../../../src/operations/moderate.ts';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import {
  moderationAliases,
  moderationModels,
  moderationPrices,
  moderationRows,
} from '../../../contract/operations/moderation-rows.ts';
import { rerankPrices, rerankRows, rerankWires } from '../../../contract/operations/rerank-rows.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';

let bench: Bench;
const owed = new Owed();
const providers = ['family', 'mistral', ...rerankWires.map(([name]) => `rank-${name}`)];
beforeAll(async () => {
  const ranking = Object.entries(rerankRows).map(([name, row]) => [`rank-${name}`, row] as const);
  bench = await startBench(
    { ...moderationRows, ...Object.fromEntries(ranking) },
    {
      models: moderationAliases,
      prices: { 'mistral-*': moderationPrices['mistral-*'], 'omni-*': moderationPrices['*'], ...rerankPrices },
    },
  );
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of providers) bench.up(name).forget();
});

const moderate = (fields: ModerationCreateParams) => openaiOf(bench.weir).moderations.create(fields).withResponse();

/** Every category in all three maps, and violence alone where it was bad. */
function expectVerdict(result: Moderation | undefined, isBad: boolean): void {
  if (result === undefined) throw new Error('no result');
  expect(result.flagged).toBe(isBad);
  const categories = new Map<string, boolean>(Object.entries(result.categories));
  const scores = new Map<string, number>(Object.entries(result.category_scores));
  const applied = new Map<string, string[]>(Object.entries(result.category_applied_input_types));
  for (const category of moderationCategories) {
    expect([category, categories.get(category)]).toEqual([category, isBad && category === 'violence']);
    expect(scores.get(category)).toBeNumber();
    expect(applied.get(category)).toBeArray();
  }
}

describe('moderations', () => {
  describe.each([...moderationModels])('%s', (model) => {
    test.each([
      ['a good text', 'a good text', [false]],
      ['a bad text', 'a bad text', [true]],
      ['a list of one', ['bad'], [true]],
      ['a list', ['good', 'bad', 'good', 'bad'], [false, true, false, true]],
      ['a part', [{ type: 'text' as const, text: 'a bad part' }], [true]],
    ])('%s', async (_what, input, flagged) => {
      const { data: reply, response } = await moderate({ model, input });
      expect(reply.id).toStartWith('modr-');
      expect(reply.results.length).toBe(flagged.length);
      for (const [index, isBad] of flagged.entries()) expectVerdict(reply.results[index], isBad);
      const name = model.startsWith('mistral') ? 'mistral' : 'family';
      expect(response.headers.get('x-weir-provider')).toBe(name);
      expect(lossesOf(response)).toEqual([]);
      owed.add(response, name === 'mistral' ? 5_000n * BigInt(flagged.length) : 0n);
    });

    test('what cannot be judged is refused before a provider is called', async () => {
      for (const input of [[], 5, [1], [{ type: 'video' }]]) {
        const error = await failureOf(moderate({ model, input: input as never }));
        expect(error).toBeInstanceOf(BadRequestError);
        expect(error.param).toStartWith('input');
      }
      expect([...bench.up('family').seen, ...bench.up('mistral').seen]).toEqual([]);
    });
  });

  test('without a model one that moderates is found', async () => {
    const { data: reply, response } = await moderate({ input: ['good', 'bad'] });
    expect(reply.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    expect(['family', 'mistral']).toContain(response.headers.get('x-weir-provider') ?? '');
  });

  const image = { type: 'image_url' as const, image_url: { url: 'https://images.example/a.png' } };
  const parts = [{ type: 'text' as const, text: 'bad' }, image];

  test('an image is judged with the text beside it', async () => {
    const { data: reply } = await moderate({ model: 'omni-moderation-latest', input: parts });
    expect(reply.results.length).toBe(1);
    expect(reply.results[0]?.category_applied_input_types.violence).toEqual(['text', 'image']);
    expect(JSON.parse(`${bench.up('family').seen[0]?.bytes}`)['input']).toEqual(parts);
    const { data: alone } = await moderate({ model: 'judge', input: [image] });
    expect(alone.results.map(({ flagged }) => flagged)).toEqual([false]);
  });

  test('and refused where the provider does not read images', async () => {
    const error = await failureOf(moderate({ model: 'mistral-moderation-2411', input: parts }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.code, error.param]).toEqual(['operation_unsupported', 'input']);
    expect(bench.up('mistral').seen.length).toBe(0);
  });
});

interface Ranking {
  readonly model: string;
  readonly results: readonly { readonly index: number; readonly relevance_score: number; readonly document?: object }[];
}

describe('rerank', () => {
  const documents = ['a weak one, 0.2', 'the best, 0.9', 'a fair one, 0.5'];

  describe.each(rerankWires)('%s', (name, model, costNano) => {
    const rank = (fields: object) =>
      openaiOf(bench.weir)
        .post<Ranking>('/rerank', { body: { model, query: 'which one', documents, ...fields } })
        .withResponse();

    test('the most relevant first, at its price', async () => {
      const { data: reply, response } = await rank({});
      expect(reply.model).toBe(model);
      expect(reply.results.map((each) => [each.index, each.relevance_score])).toEqual([
        [1, 0.9],
        [2, 0.5],
        [0, 0.2],
      ]);
      expect(response.headers.get('x-weir-provider')).toBe(`rank-${name}`);
      owed.add(response, costNano);
    });

    test('as many as were asked for, with their documents', async () => {
      const objects = documents.map((text, id) => ({ id, text }));
      const { data: reply } = await rank({ documents: objects, top_n: 2, return_documents: true });
      expect(reply.results.map(({ document }) => document)).toEqual([
        { id: 1, text: 'the best, 0.9' },
        { id: 2, text: 'a fair one, 0.5' },
      ]);
    });

    test('what is wrong is refused by its field', async () => {
      for (const [param, fields] of [
        ['query', { query: '' }],
        ['documents', { documents: [] }],
        ['top_n', { top_n: 0 }],
      ] as const) {
        const error = await failureOf(rank(fields));
        expect(error).toBeInstanceOf(BadRequestError);
        expect(error.param).toBe(param);
      }
      expect(bench.up(`rank-${name}`).seen.length).toBe(0);
    });
  });
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
