/** Zhipu's models (Z.ai), on its own platform and at the hosts of their open weights. */

import { effortWords } from '../../conversation/model-profile.ts';
import type { Family } from './family.ts';
import { films, text } from './parameter-groups.ts';

export const glmFamily: Family = {
  title: 'Zhipu GLM',
  names: /^(?:coding-)?(?:chat)?glm-(?!image|asr|tts|ocr|realtime)/,
  sources: [
    'https://models.dev (zai)',
    'https://github.com/nesquena/hermes-webui/releases/tag/exp-v0.52.105 (efforts of 5.2, quoting docs.z.ai)',
    'https://dev.to/aihubmix/glm-53-api-guide-always-on-thinking-3-effort-levels-and-the-support-matrix-1d8e',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'effort', efforts: ['low', 'high', 'max'], byDefault: 'max' },
        contextTokens: 1_048_576,
        outputTokensMax: 262_144,
        input: text,
        output: text,
      },
    },
    { models: /glm-5\.2/, profile: { thinking: { kind: 'effort', efforts: effortWords, byDefault: 'max' } } },
    {
      models: /glm-(?:4[.-][5-9]|5(?:[.-][01]|-|v|:|$))/,
      profile: { thinking: { kind: 'switch', byDefault: 'on' }, contextTokens: 204_800, outputTokensMax: 204_800 },
    },
    { models: /glm-4[.-]5/, profile: { contextTokens: 131_072, outputTokensMax: 131_072 } },
    { models: /glm-(?:4[.-][5-9]|5)v/, profile: { input: films } },
    { models: /glm-4[.-]5v/, profile: { contextTokens: 65_536, outputTokensMax: 65_536 } },
    { models: /glm-4[.-]6v/, profile: { contextTokens: 131_072, outputTokensMax: 131_072 } },
    {
      models: /glm-(?:[1-3]|4(?![.-][5-9]))/,
      profile: { thinking: { kind: 'never' }, contextTokens: 131_072, outputTokensMax: 32_768 },
    },
    { models: /glm-(?:z1|4\.1v)/, profile: { thinking: { kind: 'always' }, contextTokens: 131_072 } },
  ],
};
