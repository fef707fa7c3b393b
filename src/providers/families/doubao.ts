/** ByteDance's Doubao, called Seed elsewhere. */

import type { Family } from './family.ts';
import { films, lowToHigh, text, textAndImages } from './parameter-groups.ts';

export const doubaoFamily: Family = {
  title: 'ByteDance Seed',
  names: /^(?:doubao-|seed-(?:\d|oss|code))(?!.*(?:seedream|seedance|seededit|embedding|-tts|-asr|streaming))/,
  sources: [
    'https://models.dev (aihubmix, openrouter, qiniu-ai)',
    'https://github.com/neavo/LinguaGacha/wiki/ThinkingLevelSupportEN',
    'https://docs.evolink.ai/en/api-manual/language-series/doubao-seed-2.0/doubao-seed-2.0-reference.md',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'effort', efforts: ['none', 'minimal', ...lowToHigh], byDefault: 'medium' },
        contextTokens: 262_144,
        outputTokensMax: 131_072,
        input: films,
        output: text,
      },
    },
    { models: /seed-1[.-]8/, profile: { outputTokensMax: 65_536 } },
    { models: /seed-(?:1[.-]6|code)/, profile: { outputTokensMax: 32_768 } },
    { models: /seed-1[.-]6-thinking/, profile: { thinking: { kind: 'always' } } },
    {
      models: /seed-oss/,
      profile: { thinking: { kind: 'switch', byDefault: 'on' }, outputTokensMax: 262_144, input: text },
    },
    {
      models: /^doubao-(?:1[.-]5|pro|lite)/,
      profile: { thinking: { kind: 'never' }, outputTokensMax: 16_384, input: text },
    },
    { models: /^doubao-1[.-]5.*thinking/, profile: { thinking: { kind: 'always' } } },
    { models: /^doubao.*vision/, profile: { input: textAndImages } },
  ],
};
