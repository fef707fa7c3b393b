/** Moonshot's models, on its own platform and at the hosts of their open weights. */

import type { Family } from './family.ts';
import { films, text, textAndImages } from './parameter-groups.ts';

export const kimiFamily: Family = {
  title: 'Moonshot Kimi',
  names: /^(?:kimi|moonshot-v1|moonlight)/,
  sources: [
    'https://platform.kimi.ai/docs/api/models-overview',
    'https://models.dev (moonshotai)',
    'https://dev.to/aihubmix/kimi-k31-pro-migration-guide-five-400s-one-404-and-the-claude-code-codex-config-13k',
  ],
  seen: '2026-11-15',
  rows: [
    {
      models: /./,
      profile: { contextTokens: 1_048_576, outputTokensMax: 1_048_576, input: films, output: text },
    },
    {
      models: /^kimi-k3/,
      profile: { thinking: { kind: 'effort', efforts: ['none', 'low', 'high', 'max'], byDefault: 'high' } },
    },
    {
      models: /^kimi-k3\.[1-9]/,
      profile: { thinking: { kind: 'effort', efforts: ['low', 'high', 'max'], byDefault: 'max' } },
    },
    { models: /^kimi-k2/, profile: { contextTokens: 262_144, outputTokensMax: 262_144 } },
    { models: /^kimi-k2[.-][5-9]/, profile: { thinking: { kind: 'switch', byDefault: 'on' } } },
    {
      models: /^kimi-k2(?![.-][5-9])/,
      profile: { thinking: { kind: 'never' }, temperatureMax: 1, input: text },
    },
    { models: /^kimi-(?:k2-)?thinking/, profile: { thinking: { kind: 'always' } } },
    {
      models: /^(?:kimi-latest|moonshot-v1|kimi-thinking|moonlight)/,
      profile: { contextTokens: 131_072, outputTokensMax: 131_072, temperatureMax: 1, input: textAndImages },
    },
    { models: /^(?:kimi-latest|moonshot-v1)/, profile: { thinking: { kind: 'never' } } },
    { models: /^kimi-latest/, profile: { contextTokens: 262_144, outputTokensMax: 262_144 } },
  ],
};
