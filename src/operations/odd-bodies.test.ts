/** Whatever a body holds, the check of every JSON wire answers with the one error type, and what runs after it does not throw. */

import { expect, test } from 'bun:test';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { cohereEmbedClient } from './embed/cohere-embed-client.ts';
import { geminiBatchEmbedContents, geminiEmbedContent } from './embed/gemini-embed-client.ts';
import type { WireBody } from './wire.ts';
import { clientWires } from './wires.ts';

interface AnyClientWire {
  readonly name: string;
  check(body: WireBody, bodyBytes: number, named?: string): unknown;
  readRequest(body: WireBody, named?: string): unknown;
}

const wires: readonly AnyClientWire[] = [
  clientWires.embed,
  geminiEmbedContent,
  geminiBatchEmbedContents,
  cohereEmbedClient,
  clientWires.rerank,
  clientWires.moderate,
];

const whole: Readonly<Record<string, Tree>> = {
  'openai-embeddings': {
    model: 'm',
    input: ['a'],
    encoding_format: 'float',
    dimensions: 2,
    user: 'u',
    input_type: 'query',
  },
  'gemini-embed-content': {
    content: { parts: [{ text: 'a' }] },
    taskType: 'CLUSTERING',
    title: 't',
    outputDimensionality: 2,
  },
  'gemini-batch-embed-contents': { requests: [{ model: 'models/m', content: { parts: [{ text: 'a' }] }, title: 't' }] },
  'cohere-embed': {
    model: 'm',
    inputs: [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
    ],
    input_type: 'clustering',
    embedding_types: ['float', 'base64'],
    output_dimension: 2,
    truncate: 'END',
  },
  rerank: {
    model: 'm',
    query: 'q',
    documents: ['a', { text: 'b' }],
    top_n: 1,
    rank_fields: ['text'],
    return_documents: true,
  },
  'openai-moderations': {
    model: 'm',
    input: [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'https://h/i' } },
    ],
  },
};

const odd: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [null],
  [[]],
  [{}],
  [''],
  ['a', 1],
  [1, 'a'],
  [1, -1],
  [[1], ['a']],
  [[[]]],
  { text: 1 },
  { parts: 'a' },
  { parts: [null] },
  [{ content: { parts: [{ text: 'a' }] } }, { content: { parts: [{ text: 'b' }] }, outputDimensionality: 3 }],
  [{ content: null }],
  [{ type: 'text' }],
  [{ type: 'image_url', image_url: 'https://h' }],
  [{ type: 'image_url', image_url: { url: 'file:///etc' } }],
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
  Array.from({ length: 10_001 }, () => 'a'),
];

/** The tree with one place of it replaced, for every place. */
function* replaced(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) for (const one of replaced(inner, by)) yield value.with(index, one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      for (const one of replaced(inner, by)) yield { ...value, [name]: one };
      const { [name]: _, ...without } = value as Record<string, unknown>;
      yield without;
    }
  }
}

/** True where the body was accepted. */
function tried(wire: AnyClientWire, tree: unknown): boolean {
  const body: WireBody = { kind: 'json', tree: tree as Tree };
  let accepted = true;
  try {
    wire.check(body, 100, 'm');
  } catch (error) {
    accepted = false;
    if (!(error instanceof GatewayError)) throw error;
    expect(error.status).toBe(400);
    expect(error.code === 'json_malformed' || error.param !== '').toBe(true);
  }
  wire.readRequest(body, 'm');
  return accepted;
}

for (const wire of wires) {
  test(`${wire.name}: odd values in every place`, () => {
    const tree = whole[wire.name];
    expect(tree).toBeDefined();
    expect(tried(wire, tree)).toBe(true);
    let refused = 0;
    for (const value of odd) for (const one of replaced(tree, value)) if (!tried(wire, one)) refused++;
    expect(refused).toBeGreaterThan(100);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test(`${wire.name}: a form is no JSON`, () => {
    try {
      wire.check({ kind: 'form', fields: [] }, 0, 'm');
      expect.unreachable();
    } catch (error) {
      expect(error instanceof GatewayError && error.code).toBe('content_type_unsupported');
    }
    expect(() => wire.readRequest({ kind: 'form', fields: [] }, 'm')).not.toThrow();
  });
}
