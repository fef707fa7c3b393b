/** Settings of tokens: the defaults of a new one, and the most that members may give theirs. */

import { count, optional, row } from './setting-row.ts';
import { choice, dollars, integer, names } from './values.ts';

export const tokenRows = {
  'tokens.rpm': optional(integer(1, 1_000_000_000), {
    live: true,
    example: 600,
    meaning: 'Requests a minute of a new token, unless it sets its own.',
  }),
  'tokens.tpm': optional(integer(1, 1_000_000_000_000), {
    live: true,
    example: 1_000_000,
    meaning: 'Model tokens a minute of a new token.',
  }),
  'tokens.concurrency': optional(integer(1, 1_000_000), {
    live: true,
    example: 50,
    meaning: 'Requests in flight of a new token.',
  }),
  'tokens.models': optional(names('a list of model names, * allowed'), {
    live: true,
    example: ['gpt-*'],
    meaning: 'Models that a new token may use.',
  }),
  'tokens.expires_in_days': optional(integer(1, 36_500), {
    unit: 'days',
    live: true,
    example: 90,
    meaning: 'When a new token expires.',
  }),
  'tokens.budget_usd': optional(dollars(), {
    unit: 'USD',
    live: true,
    example: 20,
    meaning: 'The budget of each token that a member creates, unless they choose less, and of their playground.',
  }),
  'tokens.budget_period': row(choice(['day', 'week', 'month', 'total']), 'month', {
    live: true,
    meaning: 'The period of that budget: the token’s whole life, or every day, week or month again.',
  }),
  'tokens.per_person_max': count(50, 1_000_000, 'Tokens of one member, besides that of the playground.', {
    live: true,
  }),
} as const;
