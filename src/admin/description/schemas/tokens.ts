/** Replies about tokens. */

import { z } from 'zod';
import type { IssuedTokenView, OwnedTokenView, TokenSpendView } from '../../contracts/account-contract.ts';
import type { BudgetView, LeastReservationView, TokenView } from '../../contracts/usage-contract.ts';
import { budgetPeriods, moderationMoments } from '../../contracts/usage-contract.ts';
import { fieldsOf, reply, time } from '../schema-names.ts';
import { budgetTerms, endUserTerms, levelBudget } from './budgets.ts';

export const leastReservation = reply<LeastReservationView>()(
  'LeastReservation',
  z.strictObject({
    usd: z.string(),
    model: z.string(),
  }),
);

const budget = reply<BudgetView>()(
  'Budget',
  z.strictObject({
    limitUsd: z.string(),
    limitNano: z.string(),
    period: z.enum(budgetPeriods),
    spentUsd: z.string().exactOptional().describe('Of the current period; present where one token is shown.'),
    heldUsd: z.string().exactOptional(),
    leftUsd: z.string().exactOptional(),
    resetsAt: time.exactOptional().describe('When the period ends; absent where the budget never resets.'),
    least: leastReservation
      .exactOptional()
      .describe('Present where less is left than any request without an output limit reserves.'),
  }),
);

const tokenFields = fieldsOf<TokenView>()(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    hint: z.string(),
    state: z.enum(['active', 'disabled', 'expired', 'revoked']),
    disabled: z.boolean().exactOptional().describe('Also where it expired or was revoked since.'),
    createdAt: time,
    expiresAt: time.exactOptional(),
    revokedAt: time.exactOptional(),
    ownerId: z.string().exactOptional().describe('The account it belongs to; absent where it has none.'),
    unitId: z
      .string()
      .exactOptional()
      .describe('The team or project it counts against; absent where it counts against the organization alone.'),
    models: z.array(z.string()).exactOptional(),
    endpoints: z.array(z.string()).exactOptional(),
    addresses: z.array(z.string()).exactOptional(),
    tools: z
      .array(z.string())
      .exactOptional()
      .describe('Tools that providers run. Empty: none; absent: those that the budget allows.'),
    rpm: z.number().exactOptional(),
    tpm: z.number().exactOptional(),
    concurrency: z.number().exactOptional(),
    budget: budget.exactOptional(),
    strict: z.boolean(),
    moderate: z
      .enum(moderationMoments)
      .exactOptional()
      .describe('What must pass moderation, and the moderation model where the operator set one.'),
    moderationModel: z.string().exactOptional(),
    labels: z.array(z.string()).exactOptional().describe('The operator’s routes match groups of tokens by these.'),
    subTokensMax: z
      .number()
      .exactOptional()
      .describe('How many smaller tokens it may have at a time; absent: it may create none.'),
    budgets: z.array(budgetTerms).exactOptional().describe('They count beside `budget`.'),
    endUsers: endUserTerms.exactOptional().describe('What limits each end user whom it names.'),
    maySteer: z.boolean().describe('May set routing options.'),
    mayExplain: z.boolean().describe('May ask where its request would be routed instead of having it answered.'),
  }),
);

export const tokenSpend = reply<TokenSpendView>()(
  'TokenSpend',
  z.strictObject({
    monthNano: z.string().describe('Of this month in UTC.'),
    totalNano: z.string(),
    unpriced: z.number().describe('How many requests both leave out because their price is unknown.'),
  }),
);

export const ownedToken = reply<OwnedTokenView>()(
  'Token',
  z.strictObject({
    ...tokenFields.shape,
    ownerName: z
      .string()
      .exactOptional()
      .describe('Absent where the token belongs to no account: the first one, and those of the command line.'),
    teamId: z.string().exactOptional().describe('Of the unit that it counts against; a project has its team too.'),
    teamName: z.string().exactOptional(),
    projectName: z.string().exactOptional(),
    access: z
      .enum(['full', 'own', 'read'])
      .describe('What the reader may change: everything, its name and end, or nothing.'),
    budgets: z.array(levelBudget).exactOptional().describe('With what was spent of them; they count beside `budget`.'),
    lastUsedAt: time.exactOptional().describe('Its newest request that is still kept; absent where there is none.'),
    spend: tokenSpend,
  }),
);

export const issuedToken = reply<IssuedTokenView>()(
  'IssuedToken',
  z.strictObject({
    ...ownedToken.shape,
    token: z.string().describe('The secret; it is in this reply and nowhere else.'),
  }),
);
