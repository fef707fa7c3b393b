/** Replies about end users. */

import { z } from 'zod';
import type { EndUserView } from '../../contracts/end-user-contract.ts';
import { reply, time } from '../schema-names.ts';
import { levelBudget } from './budgets.ts';
import { tokenSpend } from './tokens.ts';

export const endUser = reply<EndUserView>()(
  'EndUser',
  z.strictObject({
    id: z.string().describe('The level and a digest of the name.'),
    name: z.string().describe('As requests name them; cut at 128 characters.'),
    scope: z
      .strictObject({
        kind: z.enum(['organization', 'team', 'project', 'token']),
        id: z.string(),
        name: z.string().exactOptional(),
      })
      .describe('The level that has the terms for end users. The name is absent where the reader may not see it.'),
    token: z
      .strictObject({ id: z.string(), name: z.string() })
      .exactOptional()
      .describe('The token that named them first; absent where the reader may not see it.'),
    firstSeenAt: time,
    lastSeenAt: time.describe('Within an hour.'),
    blocked: z.boolean(),
    note: z.string(),
    terms: z
      .strictObject({
        budgets: z.array(levelBudget).exactOptional(),
        rpm: z.number().exactOptional(),
        concurrency: z.number().exactOptional(),
        models: z.array(z.string()).exactOptional(),
      })
      .describe('Their own terms, and where they have none the defaults of the level.'),
    own: z.array(z.enum(['budgets', 'rpm', 'concurrency', 'models'])).describe('Which of the terms are their own.'),
    limited: z
      .boolean()
      .describe('False: the level has no terms for end users any more, and nothing here limits them.'),
    spend: tokenSpend.describe('Of requests that name them, of the level’s tokens.'),
    access: z
      .enum(['full', 'block', 'read'])
      .describe('What the reader may change: everything, whether they are blocked, or nothing.'),
  }),
);
