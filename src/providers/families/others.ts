/** Families of which little is known. */

import type { Family } from './family.ts';
import { likelihoods, penalties, sampling } from './parameter-groups.ts';

export const otherFamilies: Family = {
  title: 'other makers',
  sources: ['https://models.dev'],
  seen: '2026-07-02',
  rows: [
    { models: /deepseek/, profile: { outputTokensMax: 384_000 } },
    { models: /^deepseek-(reasoner|r1)/, profile: { refuses: [...sampling, ...penalties, ...likelihoods] } },
    { models: /grok/, profile: { outputTokensMax: 131_072 } },
    { models: /^grok-build/, profile: { outputTokensMax: 256_000 } },
    { models: /^grok-(2|3(?!-mini))/, profile: { refuses: ['thinking'], thinking: { kind: 'never' } } },
    { models: /^grok-4(-|$)/, profile: { refuses: [...penalties, 'stop', 'thinking'], thinking: { kind: 'always' } } },
    { models: /^grok-(3-mini|4)(?!.*non-reasoning)/, profile: { refuses: [...penalties, 'stop'] } },
    { models: /kimi/, profile: { outputTokensMax: 262_144 } },
    { models: /(?:mi|magi|dev|codes)(?:ni)?stral|mixtral/, profile: { outputTokensMax: 262_144 } },
    { models: /glm-/, profile: { outputTokensMax: 131_072 } },
    { models: /minimax/, profile: { outputTokensMax: 131_072 } },
    { models: /qwen/, profile: { outputTokensMax: 131_072 } },
    { models: /llama/, profile: { outputTokensMax: 131_072 } },
    { models: /command-/, profile: { outputTokensMax: 64_000 } },
    { models: /sonar/, profile: { outputTokensMax: 32_768 } },
  ],
};
