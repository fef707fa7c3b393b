/** Amazon's Nova. */

import type { Family } from './family.ts';
import { documents, lowToHigh, text } from './parameter-groups.ts';

export const novaFamily: Family = {
  title: 'Amazon Nova',
  names: /^nova-(?:\d+-)?(?:micro|lite|pro|premier)/,
  sources: [
    'https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html',
    'https://vercel.com/ai-gateway/models/nova-2-lite.md',
    'https://models.dev (amazon-bedrock)',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: {
        thinking: { kind: 'never' },
        contextTokens: 300_000,
        outputTokensMax: 10_000,
        temperatureMax: 1,
        input: [...documents, 'video'],
        output: text,
      },
    },
    { models: /^nova-micro/, profile: { contextTokens: 128_000, input: text } },
    { models: /^nova-premier/, profile: { contextTokens: 1_000_000, outputTokensMax: 32_000 } },
    {
      models: /^nova-2/,
      profile: {
        thinking: { kind: 'effort', efforts: ['none', ...lowToHigh], byDefault: 'none' },
        contextTokens: 1_000_000,
        outputTokensMax: 65_536,
      },
    },
  ],
};
