/**
 * How long a prompt of Anthropic's models must be to be cached; they cache only what is marked. Read on 2026-11-15:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching, https://docs.orq.ai/docs/proxy/prompt-caching
 */

import type { FamilyRow } from './family.ts';

export const claudeCaching: readonly FamilyRow[] = [
  // Not every host caches for the models before these.
  { models: /^claude-(?!instant)(3[-.]7|[a-z]+-\d|[4-9])/, profile: { caching: { tokensMin: 1_024 } } },
  { models: /^claude-(opus-5|fable|mythos)/, profile: { caching: { tokensMin: 512 } } },
  { models: /^claude-(opus-4[-.]7|4\.7-opus)/, profile: { caching: { tokensMin: 2_048 } } },
  { models: /^claude-((opus|haiku)-4[-.][56]|4\.[56]-(opus|haiku))/, profile: { caching: { tokensMin: 4_096 } } },
];
