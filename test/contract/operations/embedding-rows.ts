/**
 * Every embedding wire behind a preset or a kind that has it: the suites over plain HTTP and over the
 * libraries call the same ones.
 */

import type { Row } from './bench.ts';
import { chatFamily, cohere, gemini, jina, mistral, voyage } from './embedding-wires.ts';

/** Every wire by its provider's name here, its model, and how many inputs it takes at once. */
export const embeddingWires: readonly [name: string, model: string, inputsMax: number][] = [
  ['family', 'text-embedding-3-small', 2_048],
  ['floats', 'text-embedding-floats', 2_048],
  ['encoded', 'text-embedding-encoded', 2_048],
  ['few', 'text-embedding-v4', 10],
  ['cohere', 'embed-v4.0', 96],
  ['jina', 'jina-embeddings-v4', 512],
  ['voyage', 'voyage-3.5', 1_000],
  ['mistral', 'mistral-embed', 128],
  ['gemini', 'gemini-embedding-001', 100],
];

const models = (name: string) => embeddingWires.filter(([each]) => each === name).map(([, model]) => model);

export const embeddingRows: Readonly<Record<string, Row>> = {
  family: { kind: 'openai', base: '/v1', models: models('family'), answer: chatFamily('honors') },
  floats: { kind: 'openai-chat', base: '/v1', models: models('floats'), answer: chatFamily('floats') },
  encoded: { kind: 'openai-chat', base: '/v1', models: models('encoded'), answer: chatFamily('base64') },
  few: { kind: 'dashscope', base: '/v1', models: models('few'), answer: chatFamily('honors', 10) },
  cohere: { kind: 'cohere', base: '', models: models('cohere'), answer: cohere },
  jina: { kind: 'jina', base: '/v1', models: models('jina'), answer: jina },
  voyage: { kind: 'voyage', base: '/v1', models: models('voyage'), answer: voyage },
  mistral: { kind: 'mistral', base: '/v1', models: models('mistral'), answer: mistral },
  gemini: { kind: 'gemini', base: '/v1beta', models: models('gemini'), answer: gemini },
};

/** 2 USD for a million tokens. */
export const embeddingPrices = { '*': { input: 2, output: 0 } };
export const nanoPerToken = 2_000n;
