/**
 * Both moderation wires behind a preset that has them: the suites over plain HTTP and over the library
 * call the same ones.
 */

import type { Row } from './bench.ts';
import { family, mistral } from './moderation-wires.ts';

/** An alias of the first is called like a model of its own. */
export const moderationModels = ['omni-moderation-latest', 'mistral-moderation-2411', 'judge'] as const;

export const moderationRows: Readonly<Record<string, Row>> = {
  family: { kind: 'openai', base: '/v1', models: ['omni-moderation-latest'], answer: family },
  mistral: { kind: 'mistral', base: '/v1', models: ['mistral-moderation-2411'], answer: mistral },
};

export const moderationAliases = {
  judge: { targets: [{ provider: 'family', model: 'omni-moderation-latest' }] },
};

/** 1 USD for a million tokens, which one of them counts. */
export const moderationPrices = { 'mistral-*': { input: 1, output: 0 }, '*': { input: 0, output: 0 } };
