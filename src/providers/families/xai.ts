/** xAI's models. It names no largest reply, so that the context is the bound. */

import type { Family } from './family.ts';
import { documents, lowToHigh, penalties, text, textAndImages } from './parameter-groups.ts';

export const xaiFamily: Family = {
  title: 'xAI Grok',
  names: /^grok-(?!imagine|stt|tts|voice|.*(?:image|video))/,
  sources: [
    'https://docs.x.ai/developers/model-capabilities/text/reasoning',
    'https://docs.x.ai/developers/models',
    'https://models.dev (xai)',
    'https://github.com/BerriAI/litellm/blob/main/litellm/llms/xai/chat/transformation.py (stop, penalties)',
    'https://github.com/anomalyco/opencode/issues/39448 (efforts)',
    'https://github.com/acedergren/opencode-oci-provider/releases/tag/v0.2.3 (effort refused)',
  ],
  seen: '2026-11-15',
  rows: [
    // Those that reason refuse penalties and stops; a model newer than this table is taken to be like the newest in it.
    {
      models: /./,
      profile: {
        refuses: [...penalties, 'stop'],
        thinking: { kind: 'effort', efforts: [...lowToHigh, 'xhigh'], byDefault: 'high' },
        contextTokens: 500_000,
        outputTokensMax: 500_000,
        temperatureMax: 2,
        input: documents,
        output: text,
      },
    },
    { models: /^grok-4\.5/, profile: { thinking: { kind: 'effort', efforts: lowToHigh, byDefault: 'high' } } },
    {
      models: /^grok-4\.3/,
      profile: {
        thinking: { kind: 'effort', efforts: ['none', ...lowToHigh], byDefault: 'low' },
        contextTokens: 1_000_000,
        outputTokensMax: 1_000_000,
      },
    },
    {
      models: /^grok-(?:4(?:-|$)|4[.-]1|4\.2|code|build|composer)/,
      profile: { thinking: { kind: 'always' }, contextTokens: 256_000, outputTokensMax: 256_000 },
    },
    { models: /^grok-(?:4-fast|4[.-]1|4\.2)/, profile: { contextTokens: 2_000_000, outputTokensMax: 2_000_000 } },
    {
      models: /^grok-3-mini/,
      profile: { thinking: { kind: 'effort', efforts: ['low', 'high'], byDefault: 'low' } },
    },
    {
      models: /^grok-(?:2|3(?!-mini)|beta|vision)|non-reasoning/,
      profile: { refuses: [], thinking: { kind: 'never' } },
    },
    { models: /^grok-(?:2|3|beta|vision)/, profile: { contextTokens: 131_072, outputTokensMax: 131_072, input: text } },
    { models: /vision/, profile: { input: textAndImages } },
  ],
};
