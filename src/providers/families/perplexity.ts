/** Perplexity's models, which search before they answer. */

import type { Family } from './family.ts';
import { likelihoods, lowToHigh, text, textAndImages } from './parameter-groups.ts';

export const perplexityFamily: Family = {
  title: 'Perplexity Sonar',
  names: /^sonar(?:-|$)/,
  sources: [
    'https://github.com/BerriAI/litellm/blob/main/litellm/llms/perplexity/chat/transformation.py',
    'https://models.dev (perplexity)',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        refuses: ['tools', 'toolChoice', 'parallelToolCalls', 'stop', 'seed', 'verbosity', ...likelihoods],
        thinking: { kind: 'never' },
        contextTokens: 200_000,
        outputTokensMax: 128_000,
        temperatureMax: 2,
        searchOption: 'taken',
        input: textAndImages,
        output: text,
      },
    },
    { models: /^sonar-reasoning/, profile: { thinking: { kind: 'always' }, contextTokens: 128_000 } },
    {
      models: /^sonar-deep-research/,
      profile: {
        thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'medium' },
        contextTokens: 128_000,
        input: text,
      },
    },
  ],
};
