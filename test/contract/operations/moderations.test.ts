/** Moderations over both wires: one result for each input, every category in both maps. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { moderationCategories } from '../../../src/operations/moderate.ts';
import { type Bench, errorOf, startBench, treeOf } from './bench.ts';
import { moderationAliases, moderationModels, moderationPrices, moderationRows } from './moderation-rows.ts';

interface Reply {
  readonly id: string;
  readonly model: string;
  readonly results: readonly {
    readonly flagged: boolean;
    readonly categories: Readonly<Record<string, boolean>>;
    readonly category_scores: Readonly<Record<string, number>>;
    readonly category_applied_input_types: Readonly<Record<string, readonly string[]>>;
  }[];
}

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(moderationRows, { models: moderationAliases, prices: moderationPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  bench.up('family').forget();
  bench.up('mistral').forget();
});

const image = { type: 'image_url', image_url: { url: 'https://images.example/a.png' } };

describe.each([...moderationModels])('%s', (model) => {
  test.each([
    ['a good text', [false]],
    ['a bad text', [true]],
    [
      ['good', 'bad', 'good', 'bad'],
      [false, true, false, true],
    ],
    [[{ type: 'text', text: 'a bad part' }], [true]],
  ])('%p', async (input, flagged) => {
    const reply = await bench.post('/v1/moderations', { model, input });
    const { id, results } = await treeOf<Reply>(reply);
    expect(id).toStartWith('modr-');
    expect(results.map((result) => result.flagged)).toEqual(flagged);
    for (const [index, result] of results.entries()) {
      for (const category of moderationCategories) {
        const expected = flagged[index] === true && category === 'violence';
        expect([category, result.categories[category]]).toEqual([category, expected]);
        expect(result.category_scores[category]).toBeNumber();
        expect(result.category_applied_input_types[category]).toBeArray();
      }
    }
  });
});

describe('images', () => {
  const input = [{ type: 'text', text: 'bad' }, image];

  test('are judged with the text beside them', async () => {
    const reply = await bench.post('/v1/moderations', { model: 'omni-moderation-latest', input });
    const { results } = await treeOf<Reply>(reply);
    expect(results.length).toBe(1);
    expect(results[0]?.category_applied_input_types['violence']).toEqual(['text', 'image']);
    // What passes is not rewritten.
    expect(JSON.parse(`${bench.up('family').seen[0]?.bytes}`)).toEqual({ model: 'omni-moderation-latest', input });
  });

  test('are refused where the provider does not read images', async () => {
    const reply = await bench.post('/v1/moderations', { model: 'mistral-moderation-2411', input });
    expect(await errorOf(reply, 400)).toMatchObject({ code: 'operation_unsupported', param: 'input' });
    expect(bench.up('mistral').seen.length).toBe(0);
  });
});

test('without a model one that moderates is found', async () => {
  const { model } = await treeOf<Reply>(await bench.post('/v1/moderations', { input: 'good' }));
  expect(model).toMatch(/moderation/);
});

test('a provider’s own categories stand beside the known ones and flag nothing by themselves', async () => {
  const reply = await bench.post('/v1/moderations', { model: 'mistral-moderation-2411', input: ['good', 'bad'] });
  const { results } = await treeOf<Reply>(reply);
  expect(results[0]?.categories).toMatchObject({ law: true, violence: false });
  expect(results[0]?.flagged).toBe(false);
  expect(results[1]?.category_scores).toMatchObject({ violence: 0.97, violence_and_threats: 0.97 });
  bench.expectRow(reply, { costNano: 10_000n });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
