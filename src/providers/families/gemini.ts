/** Google's models. */

import type { Family } from './family.ts';

export const geminiFamily: Family = {
  title: 'Google Gemini',
  sources: ['https://models.dev'],
  seen: '2026-07-02',
  rows: [
    { models: /^gemini/, profile: { outputTokensMax: 65_536 } },
    { models: /^gemini-(1|2\.0)/, profile: { refuses: ['thinking'], thinking: { kind: 'never' } } },
    { models: /^gemini-2\.0/, profile: { outputTokensMax: 8_192 } },
  ],
};
