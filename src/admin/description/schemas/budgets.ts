/** The budgets of levels and tokens, and the terms for each end user, in replies. */

import { z } from 'zod';
import { budgetUnits } from '../../../access/organization.ts';
import type { BudgetTermsView, EndUserTermsView, LevelBudgetView } from '../../contracts/budget-contract.ts';
import { budgetPeriods } from '../../contracts/term-fields.ts';
import { reply, time } from '../schema-names.ts';

export const budgetTerms = reply<BudgetTermsView>()(
  'BudgetTerms',
  z.strictObject({
    id: z.string(),
    unit: z.enum(budgetUnits),
    limit: z.string().describe('Dollars as decimals, requests and tokens as digits.'),
    period: z.enum(budgetPeriods),
    models: z.array(z.string()).exactOptional(),
    raise: z.strictObject({ limit: z.string(), until: time }).exactOptional(),
  }),
);

export const levelBudget = reply<LevelBudgetView>()(
  'LevelBudget',
  z.strictObject({
    ...budgetTerms.shape,
    spent: z.string().describe('Of the current period. `left` counts a raise that has not ended.'),
    held: z.string(),
    left: z.string(),
    share: z.number().describe('The spent part, 0 to 1, and above where the limit was lowered.'),
    resetsAt: time.exactOptional().describe('Absent where the budget never resets.'),
  }),
);

export const endUserTerms = reply<EndUserTermsView>()(
  'EndUserTerms',
  z.strictObject({
    budgets: z.array(budgetTerms).exactOptional().describe('Each end user has them for themselves.'),
    rpm: z.number().exactOptional(),
    max: z.number().exactOptional().describe('How many end users one token may have; absent: 10,000.'),
  }),
);
