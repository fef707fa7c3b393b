/** Settings of tokens: what a new one gets that says nothing else, and what members may give theirs at most. */

import { count, optional, row } from './setting-row.ts';
import { choice, dollars, integer, names } from './values.ts';

export const tokenRows = {
  'tokens.rpm': optional(integer(1, 1_000_000_000), {
    variable: 'WEIR_TOKENS_RPM',
    meaning: 'Requests a minute that a new token may make, unless it says otherwise.',
  }),
  'tokens.tpm': optional(integer(1, 1_000_000_000_000), {
    variable: 'WEIR_TOKENS_TPM',
    meaning: 'Model tokens a minute that a new token may use.',
  }),
  'tokens.concurrency': optional(integer(1, 1_000_000), {
    variable: 'WEIR_TOKENS_CONCURRENCY',
    meaning: 'Requests that a new token may have in flight.',
  }),
  'tokens.models': optional(names('a list of model names, * allowed'), {
    variable: 'WEIR_TOKENS_MODELS',
    meaning: 'Models that a new token may use.',
  }),
  'tokens.expires_in_days': optional(integer(1, 36_500), {
    variable: 'WEIR_TOKENS_EXPIRES_IN_DAYS',
    unit: 'days',
    meaning: 'How long a new token lives.',
  }),
  'tokens.budget_usd': optional(dollars(), {
    variable: 'WEIR_TOKENS_BUDGET_USD',
    unit: 'USD',
    meaning: 'The budget of each token that a member makes, unless they take less, and of their playground.',
  }),
  'tokens.budget_period': row(choice(['day', 'week', 'month', 'total']), 'month', {
    variable: 'WEIR_TOKENS_BUDGET_PERIOD',
    meaning: 'What that budget is for: the token’s whole life, or every day, week or month anew.',
  }),
  'tokens.per_person_max': count(
    'WEIR_TOKENS_PER_PERSON_MAX',
    50,
    1_000_000,
    'Tokens that one member may have, beside that of the playground.',
  ),
} as const;
