/** MiniMax's models. */

import type { Family } from './family.ts';
import { films, text } from './parameter-groups.ts';

export const minimaxFamily: Family = {
  title: 'MiniMax',
  names: /^minimax-(?!.*(?:hailuo|speech|image|music|video))/,
  sources: [
    'https://platform.minimax.io/docs/api-reference/text-openai-api',
    'https://models.dev (minimax)',
    'https://java.agentscope.io/v2/en/integration/model/minimax',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'switch', byDefault: 'on' },
        contextTokens: 1_000_000,
        outputTokensMax: 512_000,
        temperatureMax: 1,
        input: films,
        output: text,
      },
    },
    {
      models: /minimax-m2/,
      profile: { thinking: { kind: 'always' }, contextTokens: 204_800, outputTokensMax: 204_800, input: text },
    },
    { models: /minimax-m1/, profile: { thinking: { kind: 'always' }, input: text } },
    { models: /minimax-text/, profile: { thinking: { kind: 'never' }, contextTokens: 4_000_000, input: text } },
  ],
};
