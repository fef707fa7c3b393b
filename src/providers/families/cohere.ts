/** Cohere's models. */

import type { Family } from './family.ts';
import { text, textAndImages } from './parameter-groups.ts';

export const cohereFamily: Family = {
  title: 'Cohere Command',
  names: /^(?:command|c4ai|north)(?:-|$)/,
  sources: [
    'https://docs.cohere.com/docs/command-a-reasoning',
    'https://docs.cohere.com/docs/reasoning',
    'https://models.dev (cohere)',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'never' },
        contextTokens: 256_000,
        outputTokensMax: 64_000,
        stopsMax: 5,
        output: text,
      },
    },
    { models: /^command-a(?:-0|-vision|-translate)/, profile: { outputTokensMax: 8_192 } },
    {
      models: /^command-a-(?:reasoning|plus)|^north/,
      profile: { thinking: { kind: 'budget', tokensMin: 1, canBeOff: true, byDefault: 'on' } },
    },
    { models: /^command-a-reasoning/, profile: { outputTokensMax: 32_768 } },
    { models: /^command-(?:r|light|nightly|$)|^c4ai/, profile: { contextTokens: 128_000, outputTokensMax: 4_096 } },
    { models: /^command-(?:a-0|a-reasoning|r)|^north/, profile: { input: text } },
    { models: /vision|^command-a-plus/, profile: { contextTokens: 128_000, input: textAndImages } },
  ],
};
