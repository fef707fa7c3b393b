/** Anthropic: the Messages API at its source. https://platform.claude.com/docs/en/api/messages (read 2026-11-15). */

import type { FamilyRow } from '../families/family.ts';
import type { ProviderPreset } from '../provider.ts';
import { messages, modelsPath } from './paths.ts';

/**
 * Where Claude is called in its own format, instructions in the middle of a conversation are for its newer models only.
 * https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8,
 * https://github.com/langchain-ai/langchainjs/releases/tag/@langchain/anthropic@1.5.13 (read 2026-11-15).
 */
export const earlierClaude: FamilyRow = {
  models: /^claude-(?:instant|v?2|3|(?:opus|sonnet|haiku)-4(?![-.]8)|4(?:\.[0-7])?-)/,
  profile: { laterInstructions: 'refused' },
};

export const anthropic: ProviderPreset = {
  name: 'anthropic',
  label: 'Anthropic',
  synonyms: ['claude', 'sonnet', 'opus', 'haiku'],
  group: 'maker',
  docs: 'https://platform.claude.com/docs/en/api/messages',
  checked: '2026-11-15',
  tables: { genaiPrices: 'anthropic', modelsDev: 'anthropic', litellm: 'anthropic' },
  baseUrl: 'https://api.anthropic.com/v1',
  keyVariables: ['ANTHROPIC_API_KEY'],
  auth: { style: 'header', header: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  formats: { ...messages },
  // Without a limit it shows the first 20.
  modelsPath: `${modelsPath}?limit=1000`,
  // https://docs.anthropic.com/en/docs/about-claude/pricing (read 2026-11-19).
  quirks: { countsTokens: true, takesOf: [earlierClaude], toolFees: { web_search: 0.01 } },
};
