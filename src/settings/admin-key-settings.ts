/** Settings of admin keys. */

import { count } from './setting-row.ts';

export const adminKeyRows = {
  'admin_keys.rpm': count(600, 1_000_000, 'Max requests per minute of one admin key, in each process.', { live: true }),
} as const;
