/** Settings of the limits, the clocks and the routing of requests. */

import { bytes, clock, count, row } from './setting-row.ts';
import { choice, integer, integerOrAuto } from './values.ts';

export const limitRows = {
  'limits.json_body_bytes_max': bytes(33_554_432, 'Max size of a JSON request body.'),
  'limits.multipart_body_bytes_max': bytes(134_217_728, 'Max size of a multipart request body.'),
  'limits.json_depth_max': count(64, 1000, 'Max nesting depth of a JSON body.'),
  'limits.json_values_max': count(
    500_000,
    10_000_000,
    'Max number of values in a JSON body, counted by commas and opening brackets.',
  ),
  'limits.json_keys_max': count(100_000, 10_000_000, 'Max number of keys in a JSON body.'),
  'limits.memory_bytes_max': row(integerOrAuto(67_108_864, 1_000_000_000_000), 'auto', {
    unit: 'bytes',
    meaning:
      'Memory that Weir may use; above 80% new requests get 503. `auto`: the container’s limit, else the machine’s memory, shared by workers.',
  }),
  'limits.body_memory_bytes_max': row(integerOrAuto(1, 2_147_483_647), 'auto', {
    unit: 'bytes',
    meaning:
      'Total size of in-flight request bodies of 64 KB or more, and again of large responses read whole. One token can use a quarter of it. `auto`: an eighth of the memory, from 32 MB to 512 MB.',
  }),
  'limits.stream_event_bytes_max': bytes(33_554_432, 'Max size of one event in a provider’s stream.'),
  'limits.reply_bytes_max': bytes(67_108_864, 'Max size of a non-streamed provider response.'),
  'limits.concurrent_requests_max': count(20_000, 1_000_000, 'Max in-flight requests across all tokens.', {
    live: true,
  }),
  'limits.attempts_max': count(4, 20, 'Max attempts per request.', { live: true }),
  'limits.read_on_attempts_max': count(
    256,
    1_000_000,
    'Max attempts, across all tokens, that are still read for usage after the client disconnected. Any more are ended immediately.',
    { live: true },
  ),
  'clocks.connect_timeout_ms': clock(10_000, 'Timeout for connecting to a provider.'),
  'clocks.head_timeout_ms': clock(120_000, 'Timeout from sending a request until the response headers arrive.', {
    live: true,
  }),
  'clocks.idle_timeout_ms': clock(
    120_000,
    'Timeout between two events of a stream, or two chunks of a non-streamed response.',
    {
      live: true,
    },
  ),
  'clocks.total_timeout_ms': clock(1_800_000, 'Timeout for a whole request, from first to last byte.', { live: true }),
  'clocks.client_body_timeout_ms': clock(30_000, 'Timeout for receiving a request body.'),
  'clocks.client_stall_timeout_ms': clock(30_000, 'Timeout for a client that stopped reading the response.', {
    live: true,
  }),
  'clocks.database_timeout_ms': clock(
    5_000,
    'Timeout for one PostgreSQL operation; 40% of it for connecting. After it, the database counts as unavailable.',
    { min: 100 },
  ),
  'clocks.redis_timeout_ms': clock(
    400,
    'Timeout for Redis to connect or reply. After it, Redis counts as unavailable.',
    {
      min: 10,
    },
  ),
  'clocks.read_on_ms': clock(
    5_000,
    'How long to keep reading from a provider for its usage after the client disconnected. 0 stops immediately.',
    { min: 0, live: true },
  ),
  'clocks.head_hold_ms': clock(
    15_000,
    'How long response headers wait for the first event, so that a failure can still set the status code.',
    { min: 0, live: true },
  ),
  'clocks.keep_alive_ms': clock(15_000, 'Idle time after which a keep-alive is sent to the client.', { live: true }),
  'clocks.patience_ms': clock(10_000, 'How long a request waits if all targets are cooling down.', {
    min: 0,
    live: true,
  }),
  'clocks.attempts_timeout_ms': clock(240_000, 'Time after which no further target is tried.', { live: true }),
  'clocks.drain_ms': clock(60_000, 'How long in-flight requests can run after SIGTERM.', { min: 0, live: true }),
  'clocks.drain_delay_ms': clock(
    0,
    'How long new requests are accepted after SIGTERM while `/readyz` returns 503. Then the port is closed.',
    { min: 0 },
  ),
  'clocks.model_refresh_ms': clock(3_600_000, 'Interval between refreshes of a provider’s model list.'),
  'routing.retry_percent_max': row(integer(0, 100), 20, {
    unit: '%',
    live: true,
    meaning: 'Max share of retries in the traffic, to avoid retry storms. 100 means no limit.',
  }),
  'routing.affinity_bytes_min': bytes(
    4_096,
    'Min size of a conversation for sticky sessions. Smaller ones are not pinned to a target.',
    {
      live: true,
    },
  ),
  'routing.cache_marks': row(choice(['auto', 'off']), 'auto', {
    live: true,
    meaning:
      '`auto` adds cache markers to conversations with tools or several turns, for models that require them and clients whose format has none.',
  }),
} as const;
