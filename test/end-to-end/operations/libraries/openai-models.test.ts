/**
 * The list of models through the official library, in front of every scripted provider: each model once, with its
 * providers and operations.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AuthenticationError, NotFoundError } from 'openai';
import type { Model } from 'openai/resources/models';
import { type Bench, startBench } from '../../../contract/operations/bench.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { createToken } from '../../../harness/token.ts';
import { everyRow } from './every-row.ts';

/** Weir's fields beside the library's own four. */
interface Described extends Model {
  readonly providers: readonly string[];
  readonly operations?: readonly string[];
  readonly pricing?: { readonly prompt: string; readonly completion: string };
}

const rows = everyRow();
const served = Object.entries(rows).flatMap(([name, { models = [] }]) => models.map((model) => [model, name] as const));

let bench: Bench;
beforeAll(async () => {
  const targets = [
    { provider: 'embed-voyage', model: 'voyage-3.5' },
    { provider: 'embed-jina', model: 'jina-embeddings-v4' },
  ];
  bench = await startBench(rows, {
    models: { 'house/vectors': { targets } },
    prices: { '*': { input: 2, output: 8 } },
  });
});
afterAll(() => bench.remove());

async function listed(apiKey = bench.weir.token): Promise<Described[]> {
  const models: Described[] = [];
  for await (const model of openaiOf(bench.weir, apiKey).models.list()) models.push(model as Described);
  return models;
}

/** The operation in a provider's name here. */
const operations: Readonly<Record<string, string>> = {
  embed: 'embed',
  rerank: 'rerank',
  moderate: 'moderate',
  draw: 'make-image',
  speak: 'speak',
  hear: 'transcribe',
};

test('every model is in the list once, with its provider', async () => {
  const models = await listed();
  const ids = models.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [model, name] of served) {
    const entry = models.find(({ id }) => id === model);
    expect(entry).toMatchObject({ id: model, object: 'model', owned_by: name, providers: [name] });
    // An unknown name on a generic server counts as a conversation model.
    if (model === 'kokoro') continue;
    expect([model, entry?.operations?.includes(operations[name.split('-')[0] ?? ''] ?? '')]).toEqual([model, true]);
    expect([model, entry?.operations?.includes('converse')]).toEqual([model, model.startsWith('voxtral')]);
  }
});

test('an alias is in the list with all its providers', async () => {
  const alias = (await listed()).find(({ id }) => id === 'house/vectors');
  expect(alias?.providers).toEqual(['embed-voyage', 'embed-jina']);
});

describe('one by its name', () => {
  test.each(served)('%s', async (model, name) => {
    const entry = (await openaiOf(bench.weir).models.retrieve(model)) as Described;
    expect(entry).toMatchObject({ id: model, object: 'model', providers: [name] });
    expect(entry).toEqual((await listed()).find(({ id }) => id === model) as Described);
  });

  test('an alias with a slash', async () => {
    expect(await openaiOf(bench.weir).models.retrieve('house/vectors')).toMatchObject({ id: 'house/vectors' });
  });

  test.each(['no-such-model', 'house', 'house/vectors/more', '../models'])('%s is a NotFoundError', async (model) => {
    const error = await failureOf(openaiOf(bench.weir).models.retrieve(model));
    expect(error).toBeInstanceOf(NotFoundError);
  });
});

test('a token sees what it may use and nothing else', async () => {
  const { token } = await createToken(bench.weir, '--models', 'voyage-3.5,fal-ai/flux/dev');
  expect((await listed(token)).map(({ id }) => id).sort()).toEqual(['fal-ai/flux/dev', 'voyage-3.5']);
  const narrow = openaiOf(bench.weir, token);
  expect((await narrow.models.retrieve('fal-ai/flux/dev')).id).toBe('fal-ai/flux/dev');
  const error = await failureOf(narrow.models.retrieve('scribe_v1'));
  expect(error).toBeInstanceOf(NotFoundError);
  expect([error.code, error.param]).toEqual(['model_not_found', 'model']);
});

test('an unknown token sees nothing', async () => {
  const unknown = openaiOf(bench.weir, 'weir_thisisnotatokenofours00000000000000000000');
  expect(await failureOf(unknown.models.list())).toBeInstanceOf(AuthenticationError);
  expect(await failureOf(unknown.models.retrieve('scribe_v1'))).toBeInstanceOf(AuthenticationError);
});

test('prices are those of the operator', async () => {
  const entry = (await listed()).find(({ id }) => id === 'voyage-3.5');
  expect(Number(entry?.pricing?.prompt) * 1_000_000).toBeCloseTo(2, 9);
});
