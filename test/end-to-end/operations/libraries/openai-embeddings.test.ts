/** Vectors through the official library over every embedding wire: each kind of input, both encodings, lengths, batches and what they cost. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BadRequestError } from 'openai';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import {
  embeddingPrices,
  embeddingRows,
  embeddingWires,
  nanoPerToken,
} from '../../../contract/operations/embedding-rows.ts';
import { tokensOf, vectorOf } from '../../../contract/operations/embedding-wires.ts';
import { failureOf, floatsOf, openaiOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';

let bench: Bench;
const owed = new Owed();
beforeAll(async () => {
  bench = await startBench(embeddingRows, { prices: embeddingPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of embeddingWires) bench.up(name).forget();
});

/** The library's reply, and the one on the wire. */
const embed = (fields: EmbeddingCreateParams) => openaiOf(bench.weir).embeddings.create(fields).withResponse();
/** As 32 bits hold it. */
const rounded = (text: string) => vectorOf(text).map(Math.fround);
const sentTo = (name: string) => JSON.parse(`${bench.up(name).seen[0]?.bytes}`) as Record<string, unknown>;

/** The only ones that take tokens for a text: they have the library's own format. */
const tokenWires = embeddingWires.filter(([, model]) => model.startsWith('text-embedding'));
const textWires = embeddingWires.filter(([, model]) => !model.startsWith('text-embedding'));

describe.each(embeddingWires)('%s', (name, model, inputsMax) => {
  test.each([
    ['one text', 'text 7'],
    ['a list of one', ['text 4']],
    ['several texts', ['text 3', 'text 1', 'text 2']],
  ])('%s, without a word about the encoding', async (_what, input) => {
    const { data: reply, response, request_id } = await embed({ model, input });
    const texts = [input].flat();
    expect(reply.object).toBe('list');
    expect(reply.model).toBe(model);
    expect(reply.data.map(({ object, index }) => [object, index])).toEqual(
      texts.map((_, index) => ['embedding', index]),
    );
    // The library requests base64 by default, and would misread numbers.
    expect(reply.data.map(({ embedding }) => embedding)).toEqual(texts.map(rounded));
    expect(reply.usage).toEqual({ prompt_tokens: tokensOf(texts), total_tokens: tokensOf(texts) });
    expect(response.headers.get('x-weir-provider')).toBe(name);
    expect(request_id).toBe(response.headers.get('x-request-id'));
    expect(lossesOf(response)).toEqual([]);
    owed.add(response, BigInt(tokensOf(texts)) * nanoPerToken);
  });

  test('numbers where they are asked for', async () => {
    const { data: reply } = await embed({ model, input: ['text 5', 'text 6'], encoding_format: 'float' });
    expect(reply.data.map(({ embedding }) => embedding.map(Math.fround))).toEqual([
      rounded('text 5'),
      rounded('text 6'),
    ]);
  });

  test('base64 where it is asked for', async () => {
    const { data: reply } = await embed({ model, input: ['text 5', 'text 6'], encoding_format: 'base64' });
    // An explicit encoding reaches the caller as it is.
    const texts = reply.data.map(({ embedding }) => String(embedding as unknown));
    expect(texts.map(floatsOf)).toEqual([rounded('text 5'), rounded('text 6')]);
  });

  test('more texts than it takes at once', async () => {
    const count = Math.min(2 * inputsMax + 3, 2_048);
    const input = Array.from({ length: count }, (_, index) => `text ${count - index}`);
    const { data: reply, response } = await embed({ model, input });
    expect(reply.data.map(({ embedding }) => embedding[0])).toEqual(input.map((_, index) => count - index));
    expect(reply.data.every(({ index }, place) => index === place)).toBe(true);
    expect(reply.usage.total_tokens).toBe(tokensOf(input));
    expect(bench.up(name).seen.length).toBe(Math.ceil(count / inputsMax));
    owed.add(response, BigInt(tokensOf(input)) * nanoPerToken);
  });

  test('one text too many for the wire, and none', async () => {
    const input = Array.from({ length: 2_049 }, () => 'text 1');
    for (const given of [input, [], '']) {
      const error = await failureOf(embed({ model, input: given }));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.param).toBe('input');
    }
    expect(bench.up(name).seen.length).toBe(0);
  });

  test('the user is sent where there is a field for it, and a loss otherwise', async () => {
    const { response } = await embed({ model, input: 'text 1', user: 'ada' });
    const isSent = tokenWires.some(([each]) => each === name);
    expect(lossesOf(response)).toEqual(isSent ? [] : ['user']);
    expect(JSON.stringify(sentTo(name)).includes('ada')).toBe(isSent);
  });
});

describe('lengths', () => {
  const fields: Readonly<Record<string, string>> = {
    voyage: 'output_dimension',
    mistral: 'output_dimension',
    cohere: 'output_dimension',
  };

  test.each(embeddingWires)('%s', async (name, model) => {
    // One of them sells four lengths only, and its scripted vectors have none of them.
    const dimensions = name === 'cohere' ? 512 : 2;
    const { data: reply, response } = await embed({ model, input: ['text 8', 'text 9'], dimensions });
    expect(reply.data.map(({ embedding }) => embedding)).toEqual(
      ['text 8', 'text 9'].map((text) => rounded(text).slice(0, dimensions)),
    );
    expect(lossesOf(response)).toEqual([]);
    if (name === 'gemini') {
      const asked = (sentTo(name)['requests'] as Record<string, unknown>[]).map((one) => one['outputDimensionality']);
      expect(asked).toEqual([2, 2]);
    } else {
      expect(sentTo(name)[fields[name] ?? 'dimensions']).toBe(dimensions);
    }
  });
});

describe('tokens', () => {
  const one = [791, 15_140, 8_640];
  const several = [[791, 15_140, 8_640], [1_102]];

  test.each(tokenWires)('%s takes them, alone and in lists', async (name, model) => {
    const { data: alone } = await embed({ model, input: one });
    expect(alone.data.map(({ embedding }) => embedding)).toEqual([rounded(`tokens ${one.join('')}`)]);
    expect(sentTo(name)['input']).toEqual(one);
    bench.up(name).forget();
    const { data: listed } = await embed({ model, input: several });
    expect(listed.data.map(({ index }) => index)).toEqual([0, 1]);
    expect(sentTo(name)['input']).toEqual(several);
  });

  test.each(textWires)('%s reads texts alone, and is not asked', async (name, model) => {
    for (const input of [one, several]) {
      const error = await failureOf(embed({ model, input }));
      expect(error).toBeInstanceOf(BadRequestError);
      expect([error.code, error.param]).toEqual(['operation_unsupported', 'input']);
    }
    expect(bench.up(name).seen.length).toBe(0);
  });
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
