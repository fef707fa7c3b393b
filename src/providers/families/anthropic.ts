/** Anthropic's models. */

import type { Family } from './family.ts';
import { sampling } from './parameter-groups.ts';

export const anthropicFamily: Family = {
  title: 'Anthropic Claude',
  sources: ['https://models.dev'],
  seen: '2026-07-02',
  rows: [
    // Some providers let these write more with a header of their own.
    { models: /^claude/, profile: { outputTokensMax: 128_000 } },
    { models: /^claude-(instant|[23]|(opus|sonnet)-4(-0|-2\d{3}|@|$))/, profile: { refuses: ['schemaOutput'] } },
    {
      models: /^claude-(instant|2|3-(opus|sonnet|haiku|5)|3\.5)/,
      profile: { refuses: ['schemaOutput', 'thinking'], thinking: { kind: 'never' } },
    },
    { models: /^claude-3-5/, profile: { outputTokensMax: 8_192 } },
    { models: /^claude-3-(opus|sonnet|haiku)/, profile: { outputTokensMax: 4_096 } },
    { models: /^claude-(opus-(4[-.][78]|5)|4\.[78]-opus|fable)/, profile: { refuses: sampling } },
  ],
};
