/** Alibaba's Qwen, at Alibaba and at the hosts of its open weights. Only Alibaba accepts how much it thinks. */

import { effortWords, type Modality } from '../../conversation/model-profile.ts';
import type { Family } from './family.ts';
import { everything, films, text, textAndImages } from './parameter-groups.ts';

const allInput: readonly Modality[] = ['text', 'image', 'audio', 'video'];

export const qwenFamily: Family = {
  title: 'Alibaba Qwen',
  names: /^(?:qwen|qwq|qvq|tongyi-qwen)(?!.*(?:image|-tts|-asr|embedding|rerank|-mt-|livetranslate|realtime|guard))/,
  sources: [
    'https://models.dev (alibaba)',
    'https://qwen.readthedocs.io/en/stable/getting_started/quickstart.html',
    'https://docs.apiyi.com/en/api-capabilities/qwen-3-8/chat-completions.md',
  ],
  seen: '2026-11-15',
  rows: [
    { models: /./, profile: { contextTokens: 1_048_576, outputTokensMax: 262_144, output: text } },
    { models: /^qwen-?3\.\d/, profile: { thinking: { kind: 'switch', byDefault: 'on' }, input: allInput } },
    {
      models: /^qwen-?3\.8/,
      profile: { thinking: { kind: 'effort', efforts: effortWords, byDefault: 'xhigh' } },
    },
    { models: /^qwen-?3(?!\.)/, profile: { thinking: { kind: 'switch', byDefault: 'on' }, input: text } },
    {
      models: /^qwen-?3-max|^qwen-(?:plus|flash|turbo)/,
      profile: { thinking: { kind: 'switch', byDefault: 'off' }, input: text },
    },
    {
      models: /^qwen-?v?(?:1|2|max|long|coder|math|vl|omni)|^qwen-?3(?!\.).*(?:instruct|coder)/,
      profile: { thinking: { kind: 'never' } },
    },
    { models: /^(?:qwen-)?(?:qwq|qvq)|^qwen-?3(?!\.).*thinking/, profile: { thinking: { kind: 'always' } } },
    { models: /^qwen-?v?(?:1|2)/, profile: { outputTokensMax: 131_072, input: text } },
    { models: /vl|^qvq/, profile: { input: films } },
    { models: /ocr/, profile: { input: textAndImages } },
    { models: /omni/, profile: { input: everything, output: ['text', 'audio'] } },
  ],
};
