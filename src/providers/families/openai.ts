/** OpenAI's models. */

import type { Family } from './family.ts';
import { likelihoods, penalties, sampling } from './parameter-groups.ts';

export const openaiFamily: Family = {
  title: 'OpenAI',
  sources: ['https://models.dev'],
  seen: '2026-07-02',
  rows: [
    {
      models: /^(gpt-3\.5|gpt-4|chatgpt-4o)/,
      profile: { refuses: ['thinking', 'verbosity'], thinking: { kind: 'never' } },
    },
    {
      models: /^gpt-(3\.5|4(-turbo|-\d|-32k|$))/,
      profile: { refuses: ['thinking', 'verbosity', 'schemaOutput'], outputTokensMax: 4_096 },
    },
    { models: /^gpt-4(-\d|-32k|$)/, profile: { outputTokensMax: 8_192 } },
    { models: /^(gpt-4o|chatgpt-4o)/, profile: { outputTokensMax: 16_384 } },
    { models: /^gpt-4\.1/, profile: { outputTokensMax: 32_768 } },
    {
      models: /^o[134](-|$)/,
      profile: {
        refuses: [...sampling, ...penalties, ...likelihoods, 'verbosity'],
        outputTokensMax: 100_000,
      },
    },
    {
      models: /^o(3|4-mini)(-\d|$)/,
      profile: { refuses: [...sampling, ...penalties, ...likelihoods, 'verbosity', 'stop'] },
    },
    { models: /^gpt-5/, profile: { outputTokensMax: 128_000 } },
    // Later ones of the family take sampling while they do not think, which is how they begin.
    {
      models: /^gpt-5(-(mini|nano|pro|codex|\d)|$)/,
      profile: { refuses: [...sampling, ...penalties, ...likelihoods, 'stop'] },
    },
    { models: /^gpt-5-pro/, profile: { outputTokensMax: 272_000 } },
    { models: /^gpt-oss/, profile: { outputTokensMax: 131_072 } },
  ],
};
