/** Settings of work that outlives a request: video tasks and realtime sessions. */

import { bytes, clock, count, optional, row } from './setting-row.ts';
import { choice, integer } from './values.ts';

export const taskRows = {
  'tasks.deadline_ms': clock(3_600_000, 'How long a video may take; a task without an end by then is given one.', {
    live: true,
  }),
  'tasks.lease_ms': clock(30_000, 'After how long another replica takes over a task whose replica stopped.'),
  'tasks.ask_every_ms': optional(integer(10, 604_800_000), {
    unit: 'ms',
    example: 5_000,
    meaning: 'Between two polls of a task, in place of the provider’s usual interval.',
  }),
  'tasks.asks_max': count(16, 1_000, 'Polls in flight to one provider, in each replica.'),
  'tasks.open_per_token_max': count(2_000, 1_000_000, 'Tasks that one token may have running.', { live: true }),
  'tasks.unknown_outcome': row(choice(['charge', 'free']), 'charge', {
    meaning:
      'What a task costs whose provider never reported its end: its estimate until the provider reports otherwise, or nothing.',
  }),
  'tasks.look_again_ms': clock(300_000, 'Between two polls of a task whose end is unknown.'),
  'tasks.correction_ms': clock(86_400_000, 'How long after its deadline such an outcome can still be corrected.'),
  'tasks.result_lifetime_ms': clock(86_400_000, 'How long the videos of a task can be fetched.', { live: true }),
  'tasks.result_bytes_max': bytes(1_073_741_824, 'The largest video that is accepted.'),
  'realtime.idle_ms': clock(900_000, 'How long a realtime session lasts in which neither side sends anything.', {
    live: true,
  }),
  'realtime.total_ms': clock(3_600_000, 'How long a realtime session lasts at most.', { live: true }),
  'realtime.client_secrets_per_token_max': count(100, 1_000_000, 'Valid client secrets of one token at a time.', {
    live: true,
  }),
  'realtime.client_secrets_max': count(10_000, 10_000_000, 'Valid client secrets of all tokens at a time.', {
    live: true,
  }),
} as const;
