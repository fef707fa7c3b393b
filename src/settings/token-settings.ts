/** Settings of tokens: the defaults of a new one, and the most that members may give theirs. */

import { count, optional, row } from './setting-row.ts';
import { choice, dollars, integer, names } from './values.ts';

export const tokenRows = {
  'tokens.rpm': optional(integer(1, 1_000_000_000), {
    live: true,
    example: 600,
    meaning: 'Default requests per minute of a new token.',
  }),
  'tokens.tpm': optional(integer(1, 1_000_000_000_000), {
    live: true,
    example: 1_000_000,
    meaning: 'Default model tokens per minute of a new token.',
  }),
  'tokens.concurrency': optional(integer(1, 1_000_000), {
    live: true,
    example: 50,
    meaning: 'Default concurrent requests of a new token.',
  }),
  'tokens.models': optional(names('a list of model names, with * as wildcard'), {
    live: true,
    example: ['gpt-*'],
    meaning: 'Default models that a new token can use.',
  }),
  'tokens.expires_in_days': optional(integer(1, 36_500), {
    unit: 'days',
    live: true,
    example: 90,
    meaning: 'Default lifetime of a new token.',
  }),
  'tokens.budget_usd': optional(dollars(), {
    unit: 'USD',
    live: true,
    example: 20,
    meaning: 'Default and maximum budget of a token that a member creates, and of their playground.',
  }),
  'tokens.budget_period': row(choice(['day', 'week', 'month', 'total']), 'month', {
    live: true,
    meaning: 'Period after which that budget resets. `total` never resets.',
  }),
  'tokens.per_person_max': count(50, 1_000_000, 'Max tokens per member, not counting the playground token.', {
    live: true,
  }),
} as const;
