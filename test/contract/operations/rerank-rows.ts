/**
 * Every rerank wire behind a preset or a kind that has it: the suites over plain HTTP and over the
 * library call the same ones.
 */

import type { Row } from './bench.ts';
import { cohere, jina, plain, voyage } from './rerank-wires.ts';

/** Each wire with its model and what three documents cost: 2 USD per 1,000 searches, 3 USD for a million tokens. */
export const rerankWires: readonly [name: string, model: string, costNano: bigint][] = [
  // A local server costs nothing.
  ['plain', 'bge-reranker-v2-m3', 0n],
  ['hosted', 'qwen3-reranker-8b', 30n * 3_000n],
  ['cohere', 'rerank-v4.0-pro', 2_000_000n],
  ['jina', 'jina-reranker-v3', 30n * 3_000n],
  ['voyage', 'rerank-2.5', 30n * 3_000n],
];

export const rerankRows: Readonly<Record<string, Row>> = {
  plain: { kind: 'vllm', base: '/v1', models: ['bge-reranker-v2-m3'], answer: plain },
  hosted: { kind: 'openai-chat', base: '/v1', models: ['qwen3-reranker-8b'], answer: plain },
  cohere: { kind: 'cohere', base: '', models: ['rerank-v4.0-pro'], answer: cohere },
  jina: { kind: 'jina', base: '/v1', models: ['jina-reranker-v3'], answer: jina },
  voyage: { kind: 'voyage', base: '/v1', models: ['rerank-2.5'], answer: voyage },
};

export const rerankPrices = { 'rerank-v4*': { searches: 2 }, '*': { input: 3, output: 0 } };
