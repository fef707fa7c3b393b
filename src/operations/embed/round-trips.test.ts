/** From every client's wire over every provider's and back: the texts arrive, and the vectors come back bit by bit. */

import { describe, expect, test } from 'bun:test';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { EmbedRequest } from '../embed.ts';
import type { WireBody } from '../wire.ts';
import { cohereEmbedClient } from './cohere-embed-client.ts';
import { geminiBatchEmbedContents, geminiEmbedContent } from './gemini-embed-client.ts';
import { openaiEmbeddingsClient } from './openai-embeddings-client.ts';
import { embedProviderWires } from './provider-wires.ts';
import { readVector, writeBase64, writeNumbers } from './vectors.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const texts = ['first', 'zweiter Text', '三番目'];

const bodies: Readonly<Record<string, (inputs: readonly string[]) => Tree>> = {
  'openai-embeddings': (input) => ({ model: 'm', input, encoding_format: 'base64', input_type: 'document' }),
  'gemini-embed-content': ([text]) => ({ content: { parts: [{ text }] }, taskType: 'RETRIEVAL_DOCUMENT' }),
  'cohere-embed': (inputs) => ({
    model: 'm',
    texts: inputs,
    input_type: 'search_document',
    embedding_types: ['base64'],
    truncate: 'END',
  }),
  'gemini-batch-embed-contents': (inputs) => ({
    requests: inputs.map((text) => ({ content: { parts: [{ text }] }, taskType: 'RETRIEVAL_DOCUMENT' })),
  }),
};

/** A vector that only its text has. */
function vectorOf(text: string): Float32Array {
  return Float32Array.from(
    { length: 16 },
    (_, place) => Math.sin(place + 1) / (text.length + (text.codePointAt(0) ?? 0)),
  );
}

/** The one wire whose vectors are bytes loses all but the sign of numbers that small, so that they are made larger for it. */
const inBytes = 'perplexity-embeddings';

function vectorAt(wire: string, text: string): Float32Array {
  return wire === inBytes
    ? Float32Array.from(vectorOf(text), (value) => Math.round(value * 1_000) % 128)
    : vectorOf(text);
}

const bytesOf = (vector: Float32Array) => Buffer.from(Int8Array.from(vector).buffer).toString('base64');

/** Answers a written request as its provider does, from what the request says alone. */
function answer(wire: string, body: WireBody): unknown {
  const tree = body.kind === 'json' ? (JSON.parse(JSON.stringify(body.tree)) as Tree) : {};
  if (wire === 'gemini-embed') {
    const requests = tree['requests'] as { content: { parts: { text: string }[] } }[];
    const values = requests.map(({ content }) => writeNumbers(vectorOf(content.parts[0]?.text ?? '')));
    return { embeddings: values.map((one) => ({ values: one })) };
  }
  if (wire === 'cohere-embed') {
    const float = (tree['texts'] as string[]).map((text) => writeNumbers(vectorOf(text)));
    return { id: 'x', embeddings: { float }, meta: { billed_units: { input_tokens: 3 } } };
  }
  const write = wire === inBytes ? bytesOf : tree['encoding_format'] === 'base64' ? writeBase64 : writeNumbers;
  const data = (tree['input'] as string[]).map((text, index) => ({ index, embedding: write(vectorAt(wire, text)) }));
  return { object: 'list', data: data.toReversed(), model: tree['model'], usage: { total_tokens: 3 } };
}

/** The vectors in a client's reply, by the plainest reading of it. */
function vectorsIn(reply: unknown): Float32Array[] {
  const found: Float32Array[] = [];
  JSON.stringify(reply, (name, value) => {
    if (name === 'base64') found.push(...(value as unknown[]).map(readVector));
    if (name === 'values' || (name === 'embedding' && !isObject(value))) found.push(readVector(value));
    return value;
  });
  return found;
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

for (const client of [openaiEmbeddingsClient, geminiEmbedContent, geminiBatchEmbedContents, cohereEmbedClient]) {
  for (const provider of embedProviderWires) {
    test(`${client.name} over ${provider.name}`, () => {
      const inputs = client.name === 'gemini-embed-content' ? texts.slice(0, 1) : texts;
      const body: WireBody = { kind: 'json', tree: bodies[client.name]?.(inputs) ?? {} };
      client.check(body, 100, 'm');
      const { value: request, losses } = client.readRequest(body, 'm');
      expect([request.inputs, request.purpose, losses]).toEqual([inputs, 'search_document', []]);
      const sent = provider.writeRequest(request, 'up').value;
      const tree = throughJson(answer(provider.name, sent.body));
      const reply = provider.readReply(
        { contentType: 'application/json', tree, bytes: new Uint8Array() },
        request,
        making,
      );
      const expected = inputs.map((text) => vectorAt(provider.name, text));
      expect(reply.value.vectors).toEqual(expected);
      const shown = JSON.parse(String(client.writeReply(reply.value, request, making).body));
      expect(vectorsIn(shown)).toEqual(expected);
      expect(client.suits?.(shown, request) ?? true).toBe(true);
    });
  }
}

describe('a written request is read again as what it was', () => {
  const requests: readonly EmbedRequest[] = [
    { model: 'up', inputs: texts, encoding: 'float' },
    { model: 'up', inputs: texts, encoding: 'float', dimensions: 8 },
  ];
  const purposed = ['search_query', 'search_document', 'classification', 'clustering', 'similarity'].map(
    (purpose): EmbedRequest => ({ model: 'up', inputs: texts, encoding: 'float', purpose }),
  );

  for (const provider of embedProviderWires.filter(({ name }) => name !== 'cohere-embed')) {
    test(provider.name, () => {
      const reader = provider.name === 'gemini-embed' ? geminiBatchEmbedContents : openaiEmbeddingsClient;
      let compared = 0;
      for (const request of [...requests, ...purposed]) {
        const { value, losses } = provider.writeRequest(request, 'up');
        if (losses.length > 0) continue;
        reader.check(value.body, 100, 'up');
        const { extras: _, ...read } = reader.readRequest(value.body, 'up').value;
        expect(read).toEqual(request);
        compared++;
      }
      expect(compared).toBeGreaterThanOrEqual(requests.length);
    });
  }
});
