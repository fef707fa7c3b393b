/** The embeddings endpoint of the chat family: what is accepted, what is understood, and what callers get back. */

import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { EmbedRequest } from '../embed.ts';
import { openaiEmbeddingsClient as wire } from './openai-embeddings-client.ts';
import { readVector } from './vectors.ts';

const check = (tree: Tree) => wire.check({ kind: 'json', tree: { model: 'm', input: 'a', ...tree } }, 70);
const read = (tree: Tree): EmbedRequest =>
  wire.readRequest({ kind: 'json', tree: { model: 'm', input: 'a', ...tree } }).value;
const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };

describe('checks', () => {
  test('facts', () => {
    const most = { tokens: { input: { total: 70 }, output: { total: 0 } } };
    expect(check({})).toEqual({ model: 'm', stream: false, most });
  });

  const right: readonly Tree[] = [
    { input: ['a', 'b'] },
    { input: [1, 2] },
    { input: [[1], [2, 3]] },
    { encoding_format: 'base64', dimensions: 1, user: 'u' },
    { encoding_format: null, dimensions: null, user: null },
    { input: Array.from({ length: 2048 }, () => 'a') },
    { input: Array.from({ length: 9000 }, () => 7) },
    { unknown: 1 },
  ];
  for (const tree of right) {
    test(`${JSON.stringify(tree).slice(0, 60)} passes`, () => {
      expect(check(tree).model).toBe('m');
    });
  }

  const wrong: readonly [Tree, string][] = [
    [{ model: undefined }, 'model'],
    [{ model: null }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: 1 }, 'model'],
    [{ input: undefined }, 'input'],
    [{ input: null }, 'input'],
    [{ input: '' }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: {} }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: ['a', ''] }, 'input[1]'],
    [{ input: ['a', 1] }, 'input[1]'],
    [{ input: [[1], 'a'] }, 'input[1]'],
    [{ input: [[1], []] }, 'input[1]'],
    [{ input: [1, 'a'] }, 'input[1]'],
    [{ input: [1, -1] }, 'input[1]'],
    [{ input: [1, 1.5] }, 'input[1]'],
    [{ input: [[1, 'a']] }, 'input[0][1]'],
    [{ input: [null] }, 'input[0]'],
    [{ input: Array.from({ length: 2049 }, () => 'a') }, 'input'],
    [{ encoding_format: 'int8' }, 'encoding_format'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ dimensions: 1.5 }, 'dimensions'],
    [{ dimensions: '8' }, 'dimensions'],
    [{ dimensions: 1e9 }, 'dimensions'],
    [{ user: 1 }, 'user'],
  ];
  for (const [tree, param] of wrong) {
    test(`${JSON.stringify(tree).slice(0, 60)} names ${param}`, () => {
      const error = refusal(tree);
      expect([error?.status, error?.param]).toEqual([400, param]);
    });
  }

  function refusal(tree: Tree): GatewayError | undefined {
    try {
      check(tree);
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
    return undefined;
  }
});

describe('requests', () => {
  test('each form of input', () => {
    expect(read({ input: 'a' }).inputs).toEqual(['a']);
    expect(read({ input: ['a', 'b'] }).inputs).toEqual(['a', 'b']);
    expect(read({ input: [1, 2] }).inputs).toEqual([[1, 2]]);
    expect(read({ input: [[1], [2]] }).inputs).toEqual([[1], [2]]);
  });

  test('what has a neutral name', () => {
    expect(read({ encoding_format: 'base64', dimensions: 8, user: 'u' })).toEqual({
      model: 'm',
      inputs: ['a'],
      encoding: 'base64',
      dimensions: 8,
      user: 'u',
    });
  });

  test('what other dialects call by other names, kept as it was written', () => {
    expect(read({ input_type: 'query', output_dimension: 8, embedding_type: 'base64', truncation: true })).toEqual({
      model: 'm',
      inputs: ['a'],
      encoding: 'base64',
      dimensions: 8,
      purpose: 'search_query',
      extras: { format: 'openai-embeddings', fields: { input_type: 'query', output_dimension: 8, truncation: true } },
    });
    expect(read({ task: 'text-matching' }).purpose).toBe('similarity');
    expect(read({ task: 'nl2code' }).purpose).toBeUndefined();
    expect(read({ embedding_type: 'int8' }).extras?.fields).toEqual({ embedding_type: 'int8' });
  });

  test('purposes as every dialect names them', () => {
    const words: readonly [string, string | undefined][] = [
      ['query', 'search_query'],
      ['search_query', 'search_query'],
      ['retrieval.query', 'search_query'],
      ['document', 'search_document'],
      ['passage', 'search_document'],
      ['search_document', 'search_document'],
      ['retrieval.passage', 'search_document'],
      ['Classification', 'classification'],
      ['clustering', 'clustering'],
      ['separation', 'clustering'],
      ['similarity', 'similarity'],
      ['text-matching', 'similarity'],
      ['constructor', undefined],
    ];
    for (const [word, purpose] of words) {
      expect([word, read({ input_type: word }).purpose]).toEqual([word, purpose]);
      expect([word, read({ task: word }).purpose]).toEqual([word, purpose]);
    }
  });

  test('the model that was chosen is used where the body names none', () => {
    expect(wire.readRequest({ kind: 'json', tree: { input: 'a' } }, 'chosen').value.model).toBe('chosen');
  });
});

describe('replies', () => {
  const vectors = [Float32Array.of(0.1, -0.2), Float32Array.of(0.5, 1e-7)];
  const reply = { model: 'up', vectors, consumption: { tokens: { input: { total: 5 }, output: {} } } };
  const write = (encoding: 'float' | 'base64') => {
    const { contentType, body } = wire.writeReply(reply, { ...read({ input: ['a', 'b'] }), encoding }, making);
    expect(contentType).toBe('application/json');
    const tree = JSON.parse(String(body));
    expectValid('CreateEmbeddingResponse', tree);
    return tree;
  };

  test('as numbers', () => {
    expect(write('float')).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.1, -0.2] },
        { object: 'embedding', index: 1, embedding: [0.5, 1e-7] },
      ],
      model: 'up',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
  });

  test('as base64, equal to the numbers bit by bit', () => {
    const [first, second] = write('base64').data;
    expect([readVector(first.embedding), readVector(second.embedding)]).toEqual(vectors);
    expect(typeof first.embedding).toBe('string');
  });

  test('what suits the caller', () => {
    const asked = (encoding: 'float' | 'base64') => ({ ...read({ input: ['a', 'b'] }), encoding });
    const suits = (tree: unknown, encoding: 'float' | 'base64' = 'float') => wire.suits?.(tree, asked(encoding));
    const whole = write('float');
    expect(suits(whole)).toBe(true);
    expect(suits(write('base64'), 'base64')).toBe(true);
    expect(suits(whole, 'base64')).toBe(false);
    expect(suits(write('base64'))).toBe(false);
    expect(suits({ ...whole, data: whole.data.slice(1) })).toBe(false);
    expect(suits({ ...whole, data: whole.data.toReversed() })).toBe(false);
    for (const name of ['object', 'data', 'model', 'usage']) expect(suits({ ...whole, [name]: undefined })).toBe(false);
    for (const odd of [null, 1, [], { data: [null, null] }]) expect(suits(odd)).toBe(false);
  });
});
