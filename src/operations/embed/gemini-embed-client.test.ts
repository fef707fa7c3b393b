/** The content-generation family's two embedding endpoints: one content, and a list of requests. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { geminiBatchEmbedContents as batch, geminiEmbedContent as single } from './gemini-embed-client.ts';

const content = (text: string) => ({ parts: [{ text }] });
const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const readOne = (tree: Tree) => single.readRequest({ kind: 'json', tree: { content: content('a'), ...tree } }, 'm');
const readAll = (requests: Tree[]) => batch.readRequest({ kind: 'json', tree: { requests } }, 'm');

function refused(wire: typeof single, tree: Tree, named: string | undefined = 'm'): string | undefined {
  try {
    wire.check({ kind: 'json', tree }, 10, named);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return error.param;
    throw error;
  }
  return undefined;
}

describe('checks', () => {
  test('the path names the model', () => {
    const facts = single.check({ kind: 'json', tree: { content: content('a') } }, 30, 'm');
    expect(facts).toEqual({
      model: 'm',
      stream: false,
      most: { tokens: { input: { total: 30 }, output: { total: 0 } } },
    });
    expect(refused(single, { content: content('a') }, '')).toBe('model');
  });

  const wrong: readonly [Tree, string][] = [
    [{}, 'content'],
    [{ content: 'a' }, 'content'],
    [{ content: {} }, 'content.parts'],
    [{ content: { parts: [] } }, 'content.parts'],
    [{ content: content('') }, 'content.parts'],
    [{ content: { parts: [{ inlineData: {} }] } }, 'content.parts[0]'],
    [{ content: content('a'), taskType: 1 }, 'taskType'],
    [{ content: content('a'), title: [] }, 'title'],
    [{ content: content('a'), outputDimensionality: 0 }, 'outputDimensionality'],
    [{ content: content('a'), embedContentConfig: { outputDimensionality: 'x' } }, 'outputDimensionality'],
  ];
  for (const [tree, param] of wrong) {
    test(`${JSON.stringify(tree)} names ${param}`, () => {
      expect(refused(single, tree)).toBe(param);
      expect(refused(batch, { requests: [{ content: content('a') }, tree] })).toBe(`requests[1].${param}`);
    });
  }

  test('a batch', () => {
    expect(refused(batch, {})).toBe('requests');
    expect(refused(batch, { requests: [] })).toBe('requests');
    expect(refused(batch, { requests: [1] })).toBe('requests[0]');
    const many = (count: number) => ({ requests: Array.from({ length: count }, () => ({ content: content('a') })) });
    expect(refused(batch, many(2048))).toBeUndefined();
    expect(refused(batch, many(2049))).toBe('requests');
  });

  test('one batch has one purpose and one length', () => {
    const mixed = (more: Tree) => ({ requests: [{ content: content('a') }, { content: content('b'), ...more }] });
    expect(refused(batch, mixed({ taskType: 'CLUSTERING' }))).toBe('requests[1].taskType');
    expect(refused(batch, mixed({ outputDimensionality: 8 }))).toBe('requests[1].outputDimensionality');
  });
});

describe('requests', () => {
  test('parts are one text, options in either spelling and place', () => {
    const parts = [{ text: 'a' }, { text: 'b' }];
    const expected = {
      model: 'm',
      inputs: ['a\nb'],
      encoding: 'float',
      dimensions: 8,
      purpose: 'search_document',
      title: 't',
    } as const;
    const options = { taskType: 'RETRIEVAL_DOCUMENT', title: 't', outputDimensionality: 8 };
    const spelled = { task_type: 'RETRIEVAL_DOCUMENT', title: 't', output_dimensionality: 8 };
    for (const tree of [options, spelled, { embedContentConfig: options }]) {
      expect(readOne({ content: { parts }, ...tree })).toEqual({ value: expected, losses: [] });
    }
  });

  test("the family's own purposes are kept beside the nearest neutral one", () => {
    expect(readOne({ taskType: 'QUESTION_ANSWERING' }).value).toMatchObject({
      purpose: 'search_query',
      extras: { format: 'gemini-embed', fields: { taskType: 'QUESTION_ANSWERING' } },
    });
    expect(readOne({ taskType: 'SOMETHING_NEW' }).value.purpose).toBeUndefined();
  });

  test('titles that differ are a loss', () => {
    const requests = [
      { content: content('a'), title: 't' },
      { content: content('b'), title: 'u' },
    ];
    const { value, losses } = readAll(requests);
    expect([value.inputs, value.title, losses.map(({ what }) => what)]).toEqual([['a', 'b'], undefined, ['title']]);
    expect(readAll(requests.map((one) => ({ ...one, title: 't' }))).value.title).toBe('t');
  });
});

test('replies', () => {
  const vectors = [Float32Array.of(0.5, 0.1)];
  const reply = { model: 'up', vectors, consumption: { tokens: { input: { total: 3 }, output: {} } } };
  const { value } = readOne({});
  const values = [0.5, 0.1];
  expect(JSON.parse(String(single.writeReply(reply, value, making).body))).toEqual({
    embedding: { values },
    usageMetadata: { promptTokenCount: 3 },
  });
  expect(JSON.parse(String(batch.writeReply({ ...reply, consumption: {} }, value, making).body))).toEqual({
    embeddings: [{ values }],
  });
});
