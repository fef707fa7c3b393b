/** OpenAI's open models, which many hosts serve. */

import type { Family } from './family.ts';
import { lowToHigh, text } from './parameter-groups.ts';

export const gptOssFamily: Family = {
  title: 'OpenAI gpt-oss',
  names: /^gpt-oss/,
  sources: ['https://models.dev (openai/gpt-oss-120b)'],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'medium' },
        contextTokens: 131_072,
        outputTokensMax: 131_072,
        input: text,
        output: text,
      },
    },
  ],
};
