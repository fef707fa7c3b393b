/** Meta's open models, which many hosts serve; each with a context of its own choice. */

import type { Family } from './family.ts';
import { text, textAndImages } from './parameter-groups.ts';

export const llamaFamily: Family = {
  title: 'Meta Llama',
  names: /^(?:meta-|cerebras-|groq-|hermes-\d-|nous-)?(?:code-?)?llama(?!.*(?:guard|embed|rerank|parse))/,
  sources: ['https://models.dev (llama, amazon-bedrock)'],
  seen: '2026-11-15',
  rows: [
    { models: /./, profile: { contextTokens: 131_072, outputTokensMax: 131_072, output: text } },
    { models: /^(?!.*nemotron)/, profile: { thinking: { kind: 'never' } } },
    { models: /llama-?v?4.*maverick/, profile: { contextTokens: 1_048_576, input: textAndImages } },
    { models: /llama-?v?4.*scout/, profile: { contextTokens: 10_485_760, input: textAndImages } },
    { models: /llama-?v?3(?![._-][1-3])/, profile: { contextTokens: 16_384, outputTokensMax: 16_384, input: text } },
    { models: /llama-?v?3[._-][13]/, profile: { input: text } },
    { models: /llama-?v?2/, profile: { contextTokens: 16_384, outputTokensMax: 16_384, input: text } },
  ],
};
