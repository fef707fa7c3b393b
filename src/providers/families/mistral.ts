/** Mistral's models, on its own platform and at the hosts of their open weights. */

import type { Family } from './family.ts';
import { text, textAndImages } from './parameter-groups.ts';

export const mistralFamily: Family = {
  title: 'Mistral',
  names:
    /^(?:open-|labs-|dolphin-)?(?:mi(?:ni)?stral|mixtral|magistral|devstral|codestral|pixtral|voxtral)(?!.*(?:embed|moderation|ocr|transcribe|-tts))/,
  sources: ['https://models.dev (mistral)', 'https://github.com/pydantic/pydantic-ai/issues/5285 (reasoning_effort)'],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'never' },
        contextTokens: 262_144,
        outputTokensMax: 262_144,
        temperatureMax: 1.5,
        output: text,
      },
    },
    {
      models: /magistral/,
      profile: { thinking: { kind: 'always' }, contextTokens: 131_072, outputTokensMax: 131_072 },
    },
    {
      models: /mistral-(?:small-(?:latest|26|4)|medium-(?:latest|26|3[.-]5))/,
      profile: { thinking: { kind: 'effort', efforts: ['none', 'high'], byDefault: 'none' } },
    },
    {
      models: /pixtral|mistral-(?:large-(?:latest|25|3)|medium|small-(?:latest|25|26|3|4))|ministral.*25/,
      profile: { input: textAndImages },
    },
    { models: /codestral|devstral(?!-small-2512)|mixtral|nemo|7b/, profile: { input: text } },
    { models: /voxtral/, profile: { input: ['text', 'audio'] } },
  ],
};
