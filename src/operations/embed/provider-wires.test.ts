/** What each provider's embeddings wire is sent, what it may not be sent, and how its replies are read. */

import { describe, expect, test } from 'bun:test';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EmbedRequest } from '../embed.ts';
import { cohereEmbed } from './cohere-embed.ts';
import { geminiEmbed } from './gemini-embed.ts';
import { jinaEmbeddings } from './jina-embeddings.ts';
import { mistralEmbeddings } from './mistral-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { perplexityEmbeddings } from './perplexity-embeddings.ts';
import { embedProviderWires } from './provider-wires.ts';
import { voyageEmbeddings } from './voyage-embeddings.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const plain: EmbedRequest = { model: 'm', inputs: ['a', 'b'], encoding: 'float' };
const full: EmbedRequest = {
  ...plain,
  encoding: 'base64',
  dimensions: 8,
  purpose: 'search_query',
  title: 't',
  user: 'u',
  extras: { format: 'openai-embeddings', fields: { input_type: 'query', truncation: true, truncate: 'END', odd: 1 } },
};

function written(wire: (typeof embedProviderWires)[number], request: EmbedRequest) {
  const { value, losses } = wire.writeRequest(request, 'up');
  return { tree: value.body.kind === 'json' ? value.body.tree : undefined, lost: losses.map(({ what }) => what) };
}

const json = (tree: unknown) => ({ contentType: 'application/json', tree, bytes: new Uint8Array() });

describe('requests', () => {
  test('the first dialect writes everything that it was given, in the published shape', () => {
    expect(written(openaiEmbeddings, full)).toEqual({
      tree: {
        model: 'up',
        input: ['a', 'b'],
        encoding_format: 'base64',
        dimensions: 8,
        user: 'u',
        input_type: 'query',
        truncation: true,
        truncate: 'END',
        odd: 1,
      },
      lost: ['title'],
    });
    const { extras: _, ...said } = full;
    expectValid('CreateEmbeddingRequest', written(openaiEmbeddings, said).tree);
    expect(written(openaiEmbeddings, said).lost).toEqual(['purpose', 'title']);
  });

  test('each other dialect by its own names', () => {
    expect(written(mistralEmbeddings, full)).toEqual({
      tree: { model: 'up', input: ['a', 'b'], output_dimension: 8 },
      lost: ['purpose', 'title', 'user', 'truncation', 'truncate', 'odd'],
    });
    expect(written(perplexityEmbeddings, full)).toEqual({
      tree: { model: 'up', input: ['a', 'b'], dimensions: 8 },
      lost: ['purpose', 'title', 'user', 'truncation', 'truncate', 'odd'],
    });
    expect(written(jinaEmbeddings, full)).toEqual({
      tree: { model: 'up', input: ['a', 'b'], dimensions: 8, task: 'retrieval.query', truncate: 'END' },
      lost: ['title', 'user', 'truncation', 'odd'],
    });
    expect(written(voyageEmbeddings, full)).toEqual({
      tree: { model: 'up', input: ['a', 'b'], output_dimension: 8, input_type: 'query', truncation: true },
      lost: ['title', 'user', 'truncate', 'odd'],
    });
    expect(written(cohereEmbed, full)).toEqual({
      tree: {
        model: 'up',
        texts: ['a', 'b'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 8,
        truncate: 'END',
      },
      lost: ['title', 'user', 'truncation', 'odd'],
    });
    const options = { taskType: 'RETRIEVAL_QUERY', title: 't', outputDimensionality: 8 };
    const entry = (text: string) => ({ model: 'models/up', content: { parts: [{ text }] }, ...options });
    expect(written(geminiEmbed, full)).toEqual({
      tree: { requests: [entry('a'), entry('b')] },
      lost: ['user', 'truncation', 'truncate', 'odd'],
    });
  });

  test('nothing is invented, but the purpose that one wire insists on', () => {
    for (const wire of [openaiEmbeddings, mistralEmbeddings, jinaEmbeddings, voyageEmbeddings]) {
      expect(written(wire, plain)).toEqual({ tree: { model: 'up', input: ['a', 'b'] }, lost: [] });
    }
    expect(written(cohereEmbed, plain).tree?.input_type).toBe('search_document');
  });

  test('every purpose is written or reported', () => {
    for (const wire of embedProviderWires) {
      for (const purpose of ['search_query', 'search_document', 'classification', 'clustering', 'similarity', 'x']) {
        const { tree, lost } = written(wire, { ...plain, purpose });
        const silent = JSON.stringify(tree) === JSON.stringify(written(wire, plain).tree);
        const isDefault = wire === cohereEmbed && purpose === 'search_document';
        expect([wire.name, purpose, lost]).toEqual([wire.name, purpose, silent && !isDefault ? ['purpose'] : []]);
      }
    }
  });

  test("one family's own purpose goes back to it and is reported elsewhere", () => {
    const extras = { format: 'gemini-embed', fields: { taskType: 'FACT_VERIFICATION' } };
    const request: EmbedRequest = { ...plain, purpose: 'search_query', extras };
    expect(JSON.stringify(written(geminiEmbed, request).tree)).toContain('"taskType":"FACT_VERIFICATION"');
    expect(written(geminiEmbed, request).lost).toEqual([]);
    expect(written(voyageEmbeddings, request).lost).toEqual(['taskType']);
  });

  test('tokens go only where they mean the same', () => {
    const tokens: EmbedRequest = { ...plain, inputs: [[1, 2], [3]] };
    expect(written(openaiEmbeddings, tokens).tree?.input).toEqual([[1, 2], [3]]);
    for (const wire of embedProviderWires.filter((one) => one !== openaiEmbeddings)) {
      try {
        wire.writeRequest(tokens, 'up');
        expect.unreachable();
      } catch (error) {
        expect(error instanceof GatewayError && [error.code, error.param]).toEqual(['operation_unsupported', 'input']);
      }
    }
  });

  test('how many inputs each takes at once', () => {
    const limits = Object.fromEntries(embedProviderWires.map(({ name, inputsMax }) => [name, inputsMax]));
    expect(limits).toMatchObject({ 'openai-embeddings': 2048, 'gemini-embed': 100, 'cohere-embed': 96 });
    expect(limits['voyage-embeddings']).toBe(1000);
  });
});

const replies: Readonly<Record<string, unknown>> = {
  list: {
    object: 'list',
    data: [
      { object: 'embedding', index: 1, embedding: [3, 4] },
      { object: 'embedding', index: 0, embedding: Buffer.from(Float32Array.of(1, 2).buffer).toString('base64') },
    ],
    model: 'up-1',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  },
  'perplexity-embeddings': {
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: Buffer.from([1, 2]).toString('base64') },
      { object: 'embedding', index: 1, embedding: Buffer.from([3, 4]).toString('base64') },
    ],
    usage: { prompt_tokens: 7, total_tokens: 7, cost: { input_cost: 0, total_cost: 0, currency: 'USD' } },
  },
  'gemini-embed': { embeddings: [{ values: [1, 2] }, { values: [3, 4] }], usageMetadata: { promptTokenCount: 7 } },
  'cohere-embed': {
    id: 'x',
    embeddings: {
      float: [
        [1, 2],
        [3, 4],
      ],
    },
    texts: ['a', 'b'],
    response_type: 'embeddings_by_type',
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 7 } },
  },
};

describe('replies', () => {
  for (const wire of embedProviderWires) {
    const reply = replies[wire.name] ?? replies['list'];

    test(`${wire.name} is read in the order of the inputs`, () => {
      const { value, losses } = wire.readReply(json(reply), plain, making);
      expect(value.vectors).toEqual([Float32Array.of(1, 2), Float32Array.of(3, 4)]);
      expect(value.model).toBe(wire.name in replies ? 'm' : 'up-1');
      const consumption = { tokens: { input: { total: 7 }, output: {} } };
      expect([value.consumption, wire.measure(reply), losses]).toEqual([consumption, consumption, []]);
    });

    test(`${wire.name} refuses what is no reply of it`, () => {
      const three = { ...plain, inputs: ['a', 'b', 'c'] };
      expect(() => wire.readReply(json(reply), three, making)).toThrow(SyntaxError);
      for (const odd of [undefined, null, [], 'x', {}, { data: [1, 2] }, { embeddings: [{}, {}] }, { data: {} }]) {
        expect(() => wire.readReply(json(odd), plain, making)).toThrow(SyntaxError);
        expect(wire.measure(odd)).toEqual({});
      }
    });
  }

  test('bytes are read with their signs, and nothing else for them', () => {
    const reply = (embedding: unknown) => json({ data: [{ index: 0, embedding }] });
    const one = { ...plain, inputs: ['a'] };
    const [vector] = perplexityEmbeddings.readReply(
      reply(Buffer.from([0, 127, 128, 255]).toString('base64')),
      one,
      making,
    ).value.vectors;
    expect(vector).toEqual(Float32Array.of(0, 127, -128, -1));
    for (const odd of ['', [1, 2], undefined, 7]) {
      expect(() => perplexityEmbeddings.readReply(reply(odd), one, making)).toThrow(SyntaxError);
    }
  });

  test('an index twice or beyond is no reply', () => {
    const data = (...indexes: unknown[]) => ({ data: indexes.map((index) => ({ index, embedding: [1] })) });
    for (const odd of [data(0, 0), data(0, 2), data(-1, 0), data('0', 1)]) {
      expect(() => openaiEmbeddings.readReply(json(odd), plain, making)).toThrow(SyntaxError);
    }
    expect(openaiEmbeddings.readReply(json(data(undefined, undefined)), plain, making).value.vectors).toHaveLength(2);
  });

  test('what is not understood is reported', () => {
    const more = { ...(replies['cohere-embed'] as object), images: [], meta: { warnings: ['w'] } };
    const { losses } = cohereEmbed.readReply(json(more), plain, making);
    expect(losses.map(({ what }) => what)).toEqual(['images', 'meta.warnings']);
  });
});

describe('recordings', () => {
  for (const { name, text } of recordedFiles('embeddings')) {
    const wire = name.startsWith('voyage/') ? voyageEmbeddings : openaiEmbeddings;
    test(`${name} is read by its payload`, () => {
      const tree = JSON.parse(text());
      const { value, losses } = wire.readReply(json(tree), plain, making);
      expect(value.model).toBe(tree.model);
      expect(value.consumption.tokens?.input.total).toBe(tree.usage.total_tokens);
      const said = tree.data.map(({ embedding }: { embedding: number[] }) => Float32Array.from(embedding));
      expect([value.vectors, losses]).toEqual([said, []]);
    });
  }
});
