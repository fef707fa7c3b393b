/** Google's Gemini. */

import type { Family, FamilyRow } from './family.ts';
import { documents, everything, lowToHigh, text, textAndImages } from './parameter-groups.ts';

const budgeted: readonly FamilyRow[] = [
  {
    models: /^gemini-2[.-]5/,
    profile: {
      thinking: { kind: 'budget', tokensMin: 1, tokensMax: 24_576, canBeOff: true, dynamic: true, byDefault: 'on' },
    },
  },
  {
    models: /^gemini-2[.-]5-pro/,
    profile: {
      thinking: { kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false, dynamic: true, byDefault: 'on' },
    },
  },
  {
    models: /^gemini-2[.-]5-flash-lite/,
    profile: {
      thinking: { kind: 'budget', tokensMin: 512, tokensMax: 24_576, canBeOff: true, dynamic: true, byDefault: 'off' },
    },
  },
];

const leveled: readonly FamilyRow[] = [
  {
    models: /^gemini-3(?:[.-][0-6])?-flash|^gemini-[3-9](?:[.-]\d)?-flash-lite|^gemini-flash-lite-latest/,
    profile: { thinking: { kind: 'effort', efforts: ['minimal', ...lowToHigh], byDefault: 'high' } },
  },
  // The first of the generation has no medium level.
  { models: /^gemini-3-pro/, profile: { thinking: { kind: 'effort', efforts: ['low', 'high'], byDefault: 'high' } } },
];

const small: readonly FamilyRow[] = [
  {
    models: /^gemini-(?:1|2[.-]0|pro(?:-vision)?$|(?:flash|pro)-1|exp)/,
    profile: { thinking: { kind: 'never' }, outputTokensMax: 8_192 },
  },
  { models: /^gemini-(?:1[.-]5-pro|pro-1[.-]5)/, profile: { contextTokens: 2_097_152 } },
  {
    models: /^gemini-.*-image/,
    profile: { contextTokens: 131_072, outputTokensMax: 65_536, input: documents, output: textAndImages },
  },
  { models: /^gemini-2.*-image/, profile: { thinking: { kind: 'never' }, outputTokensMax: 32_768 } },
];

export const geminiFamily: Family = {
  title: 'Google Gemini',
  names: /^gemini-(?!.*(?:gemma|embedding|-tts|live|native-audio|robotics|omni|nano-banana))/,
  sources: [
    'https://github.com/google-gemini/gemini-cli/pull/29611 (media in results of tools)',
    'https://models.dev (google)',
    'https://hexdocs.pm/gemini_ex/0.11.0/Gemini.Validation.ThinkingConfig.md (ranges of budgets)',
    'https://github.com/vercel/ai/blob/main/packages/google/src/google-model-catalog.ts',
  ],
  seen: '2026-11-15',
  rows: [
    // A model that is newer than this table is taken to be like the newest in it.
    {
      models: /./,
      profile: {
        imageTokensMax: 8_192,
        thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'high' },
        contextTokens: 1_048_576,
        outputTokensMax: 65_536,
        temperatureMax: 2,
        stopsMax: 5,
        input: everything,
        output: text,
      },
    },
    ...budgeted,
    ...leveled,
    ...small,
    // Images and files inside the result of a tool are for later models.
    { models: /^gemini-(live-)?[12]\b/, profile: { resultMedia: 'refused' } },
  ],
};
