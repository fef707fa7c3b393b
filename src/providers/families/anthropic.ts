/** Anthropic's models. */

import { claudeCaching } from './claude-caching.ts';
import type { Family, FamilyRow } from './family.ts';
import { documents, lowToHigh, lowToMax, sampling, text } from './parameter-groups.ts';

// The version follows the line's name (`claude-opus-4-5`) or, at some hosts, precedes it (`claude-4.5-opus`).

const budgets = { kind: 'budget', tokensMin: 1_024, canBeOff: true, byDefault: 'off' } as const;

const budgeted: readonly FamilyRow[] = [
  // Before 4.6 only a budget makes it think; an effort is refused.
  {
    models: /^claude-(?:(?:opus|sonnet|haiku)-?4|4(?:[-.]\d)?-(?:opus|sonnet|haiku)|(?:sonnet-)?3[-.]7)/,
    profile: { refuses: [], thinking: budgets, contextTokens: 200_000, outputTokensMax: 64_000 },
  },
  {
    models: /^claude-(?:opus-?4[-.]5|4[-.]5-opus)/,
    profile: { thinking: { ...budgets, efforts: lowToHigh } },
  },
  // From 4.1 on they refuse a temperature beside a top_p.
  {
    models: /^claude-(?:(?:opus|sonnet|haiku)-?4[-.]?[156](?!\d)|4[-.][156]-)/,
    profile: { temperatureWithTopP: 'refused' },
  },
  { models: /^claude-(?:opus-?4(?:[-.]?[01]|-2|@|$)|4(?:[-.][01])?-opus)/, profile: { outputTokensMax: 32_000 } },
  {
    models: /^claude-(?:(?:opus|sonnet)-4(?:[-.]0|-2\d|@|$)|4-(?:opus|sonnet)|(?:sonnet-)?3[-.]7)/,
    profile: { refuses: ['schemaOutput'] },
  },
];

/** From 4.6 on the model chooses how much it thinks. */
const adaptive: readonly FamilyRow[] = [
  {
    models: /^claude-(?:(?:opus|sonnet)-?4[-.]6|4[-.]6-(?:opus|sonnet))/,
    profile: {
      refuses: [],
      thinking: {
        kind: 'adaptive',
        efforts: [...lowToHigh, 'max'],
        canBeOff: true,
        byDefault: 'off',
        budgets: { tokensMin: 1_024 },
      },
      contextTokens: 1_000_000,
      outputTokensMax: 128_000,
    },
  },
  {
    models: /^claude-(?:opus-?4[-.][78]|4[-.][78]-opus)/,
    profile: {
      refuses: sampling,
      thinking: { kind: 'adaptive', efforts: lowToMax, canBeOff: true, byDefault: 'off' },
      contextTokens: 1_000_000,
      outputTokensMax: 128_000,
    },
  },
  {
    models: /^claude-(?:sonnet|opus)-5(?:$|[-@](?!5))/,
    profile: { thinking: { kind: 'adaptive', efforts: lowToMax, canBeOff: true, byDefault: 'on' } },
  },
  {
    models: /^claude-(?:fable|mythos|(?:sonnet|opus)-5[-.]5)/,
    profile: { thinking: { kind: 'adaptive', efforts: lowToMax, canBeOff: false, byDefault: 'on' } },
  },
  {
    models: /^claude-(?:(?:fable|mythos)-5[-.][12]|(?:sonnet|opus)-5[-.]5)/,
    profile: { forcedTools: 'refused' },
  },
];

const unthinking: readonly FamilyRow[] = [
  {
    models: /^claude-(?:instant|v?[12]|3-(?:opus|sonnet|haiku)|3[-.]5|(?:opus|sonnet|haiku)-3(?![-.]7))/,
    profile: {
      refuses: ['schemaOutput'],
      thinking: { kind: 'never' },
      contextTokens: 200_000,
      outputTokensMax: 4_096,
    },
  },
  { models: /^claude-(?:(?:sonnet|haiku)-)?3[-.]5/, profile: { outputTokensMax: 8_192 } },
  { models: /^claude-(?:instant|v?[12])/, profile: { input: text } },
];

export const anthropicFamily: Family = {
  title: 'Anthropic Claude',
  names: /^claude/,
  sources: [
    'https://models.dev (anthropic)',
    'https://ai-sdk.dev/providers/ai-sdk-providers/anthropic (effort, adaptive-only models)',
    'https://github.com/vercel/ai/blob/main/packages/anthropic/src/anthropic-model-catalog.ts',
    'https://github.com/BerriAI/litellm/issues/15097 (temperature and top_p)',
    'https://github.com/lidge-jun/opencodex/issues/65 (live table of kinds of thinking)',
  ],
  seen: '2026-11-15',
  rows: [
    // A model that is newer than this table is taken to be like the newest in it.
    {
      models: /./,
      profile: {
        imageTokensMax: 8_192,
        refuses: sampling,
        thinking: { kind: 'adaptive', efforts: lowToMax, canBeOff: true },
        contextTokens: 1_000_000,
        outputTokensMax: 128_000,
        temperatureMax: 1,
        input: documents,
        output: text,
      },
    },
    ...budgeted,
    ...adaptive,
    ...unthinking,
    ...claudeCaching,
  ],
};
