/** Google's open models. */

import type { Family } from './family.ts';
import { text, textAndImages } from './parameter-groups.ts';

export const gemmaFamily: Family = {
  title: 'Google Gemma',
  names: /^(?:code|med)?gemma/,
  sources: ['https://models.dev (google)'],
  seen: '2026-11-15',
  rows: [
    { models: /./, profile: { contextTokens: 262_144, outputTokensMax: 262_144, output: text } },
    {
      models: /gemma-?3/,
      profile: { thinking: { kind: 'never' }, contextTokens: 131_072, outputTokensMax: 131_072, input: textAndImages },
    },
    {
      models: /gemma-?2/,
      profile: { thinking: { kind: 'never' }, contextTokens: 8_192, outputTokensMax: 8_192, input: text },
    },
    { models: /gemma-?4/, profile: { input: textAndImages } },
  ],
};
