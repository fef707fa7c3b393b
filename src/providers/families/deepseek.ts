/** DeepSeek's models, on its own platform and at the hosts of their open weights. */

import type { Family } from './family.ts';
import { text } from './parameter-groups.ts';

export const deepseekFamily: Family = {
  title: 'DeepSeek',
  names: /^deepseek(?!-(?:ocr|janus))/,
  sources: ['https://api-docs.deepseek.com/guides/thinking_mode', 'https://models.dev (deepseek)'],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'effort', efforts: ['none', 'low', 'high', 'max'], byDefault: 'high' },
        contextTokens: 1_000_000,
        outputTokensMax: 393_216,
        input: text,
        output: text,
      },
    },
    // On its own platform the older names are aliases of the newest model.
    {
      models: /^deepseek-chat/,
      profile: { thinking: { kind: 'effort', efforts: ['none', 'low', 'high', 'max'], byDefault: 'none' } },
    },
    {
      models: /^deepseek-(?:v?[23]|r1|coder|llm|math|tng|prover|llama|qwen)/,
      profile: { contextTokens: 163_840, outputTokensMax: 163_840 },
    },
    { models: /^deepseek-v?3[.-][12]/, profile: { thinking: { kind: 'switch', byDefault: 'off' } } },
    { models: /^deepseek-(?:v?(?:2|3(?![.-][12]))|coder|llm)/, profile: { thinking: { kind: 'never' } } },
    { models: /^deepseek-(?:r1|prover|tng|llama|qwen)/, profile: { thinking: { kind: 'always' } } },
  ],
};
