/** Settings of work that outlives a request: video tasks and realtime sessions. */

import { bytes, clock, count, optional, row } from './setting-row.ts';
import { choice, integer } from './values.ts';

export const taskRows = {
  'tasks.deadline_ms': clock(
    3_600_000,
    'Max time for generating a video. A task that is still running then is ended.',
    {
      live: true,
    },
  ),
  'tasks.lease_ms': clock(30_000, 'Time after which another replica takes over a task whose replica stopped.'),
  'tasks.ask_every_ms': optional(integer(10, 604_800_000), {
    unit: 'ms',
    example: 5_000,
    meaning: 'Interval between polls of a task. Default: set by the provider.',
  }),
  'tasks.asks_max': count(16, 1_000, 'Max in-flight polls per provider and replica.'),
  'tasks.open_per_token_max': count(2_000, 1_000_000, 'Max running tasks per token.', { live: true }),
  'tasks.unknown_outcome': row(choice(['charge', 'free']), 'charge', {
    meaning:
      'Cost of a task whose provider never reported the outcome: `charge` uses the estimate until the provider reports otherwise, `free` charges nothing.',
  }),
  'tasks.look_again_ms': clock(300_000, 'Interval between polls of a task with an unknown outcome.'),
  'tasks.correction_ms': clock(86_400_000, 'How long after its deadline an unknown outcome can still be corrected.'),
  'tasks.result_lifetime_ms': clock(86_400_000, 'How long videos can be downloaded.', { live: true }),
  'tasks.result_bytes_max': bytes(1_073_741_824, 'Max size of a video.'),
  'realtime.idle_ms': clock(900_000, 'Idle timeout of a realtime session.', {
    live: true,
  }),
  'realtime.total_ms': clock(3_600_000, 'Max duration of a realtime session.', { live: true }),
  'realtime.client_secrets_per_token_max': count(100, 1_000_000, 'Max valid client secrets per token.', {
    live: true,
  }),
  'realtime.client_secrets_max': count(10_000, 10_000_000, 'Max valid client secrets across all tokens.', {
    live: true,
  }),
} as const;
