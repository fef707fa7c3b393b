/** Settings of tokens: what a new one gets that says nothing else, and what members may give theirs at most. */

import { count, optional, row } from './setting-row.ts';
import { choice, dollars, integer, names } from './values.ts';

export const tokenRows = {
  'tokens.rpm': optional(integer(1, 1_000_000_000), {
    variable: 'WEIR_TOKENS_RPM',
    meaning: 'Requests per minute of a new token, by default.',
  }),
  'tokens.tpm': optional(integer(1, 1_000_000_000_000), {
    variable: 'WEIR_TOKENS_TPM',
    meaning: 'Model tokens per minute of a new token.',
  }),
  'tokens.concurrency': optional(integer(1, 1_000_000), {
    variable: 'WEIR_TOKENS_CONCURRENCY',
    meaning: 'Requests in flight of a new token.',
  }),
  'tokens.models': optional(names('a list of model names, * allowed'), {
    variable: 'WEIR_TOKENS_MODELS',
    meaning: 'Models that a new token may use.',
  }),
  'tokens.expires_in_days': optional(integer(1, 36_500), {
    variable: 'WEIR_TOKENS_EXPIRES_IN_DAYS',
    unit: 'days',
    meaning: 'Days until a new token expires.',
  }),
  'tokens.budget_usd': optional(dollars(), {
    variable: 'WEIR_TOKENS_BUDGET_USD',
    unit: 'USD',
    meaning: 'The budget of each token that a member creates, unless they set less, and of their playground.',
  }),
  'tokens.budget_period': row(choice(['day', 'week', 'month', 'total']), 'month', {
    variable: 'WEIR_TOKENS_BUDGET_PERIOD',
    meaning: 'The period of that budget: the token’s lifetime, a day, a week or a month.',
  }),
  'tokens.per_person_max': count(
    'WEIR_TOKENS_PER_PERSON_MAX',
    50,
    1_000_000,
    'Tokens of one member, besides that of the playground.',
  ),
} as const;
