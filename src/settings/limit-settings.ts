/** Settings of the limits, the clocks and the routing of requests. */

import { bytes, clock, count, row } from './setting-row.ts';
import { choice, integer } from './values.ts';

export const limitRows = {
  'limits.json_body_bytes_max': bytes(33_554_432, 'Largest JSON body of a request.'),
  'limits.multipart_body_bytes_max': bytes(134_217_728, 'Largest multipart body of a request.'),
  'limits.json_depth_max': count(64, 1000, 'Deepest nesting of a JSON body.'),
  'limits.json_values_max': count(
    500_000,
    10_000_000,
    'Most values in a JSON body, counted by its commas and opening brackets.',
  ),
  'limits.json_keys_max': count(100_000, 10_000_000, 'Most keys in a JSON body.'),
  'limits.body_memory_bytes_max': bytes(
    536_870_912,
    'Memory for bodies of 64 KB and more of all requests in flight; one token may use a quarter of it.',
  ),
  'limits.stream_event_bytes_max': bytes(33_554_432, 'Largest single event of a provider’s stream.'),
  'limits.reply_bytes_max': bytes(67_108_864, 'Largest whole reply of a provider.'),
  'limits.concurrent_requests_max': count(20_000, 1_000_000, 'Requests in flight, over all tokens.', { live: true }),
  'limits.attempts_max': count(4, 20, 'Candidates tried for one request.', { live: true }),
  'limits.read_on_attempts_max': count(
    256,
    1_000_000,
    'Attempts, over all tokens, whose client disconnected and whose provider is still read for its usage; beyond it they end at once.',
    { live: true },
  ),
  'clocks.connect_timeout_ms': clock(10_000, 'Timeout to connect to a provider.'),
  'clocks.head_timeout_ms': clock(120_000, 'Timeout from sending to the head of the reply.', { live: true }),
  'clocks.idle_timeout_ms': clock(120_000, 'Between two events of a stream, or two chunks of a whole reply.', {
    live: true,
  }),
  'clocks.total_timeout_ms': clock(1_800_000, 'Timeout of a request from first to last byte.', { live: true }),
  'clocks.client_body_timeout_ms': clock(30_000, 'Timeout for the body of a request to arrive.'),
  'clocks.client_stall_timeout_ms': clock(30_000, 'For a client that stopped reading to continue.', { live: true }),
  'clocks.database_timeout_ms': clock(
    5_000,
    'How long PostgreSQL may take for one operation before it counts as unavailable; 40 % of it to connect.',
    { min: 100 },
  ),
  'clocks.redis_timeout_ms': clock(
    400,
    'How long Redis may take to connect or answer before it counts as unavailable.',
    {
      min: 10,
    },
  ),
  'clocks.read_on_ms': clock(
    5_000,
    'How long a provider is read after the client disconnected, until it reports usage; 0 ends it at once.',
    { min: 0, live: true },
  ),
  'clocks.head_hold_ms': clock(
    15_000,
    'How long the head of a reply waits for the first event, so that a failure can still be a status.',
    { min: 0, live: true },
  ),
  'clocks.keep_alive_ms': clock(15_000, 'Idle time after which a keep-alive is sent.', { live: true }),
  'clocks.patience_ms': clock(10_000, 'How long a request waits when every candidate is cooling down.', {
    min: 0,
    live: true,
  }),
  'clocks.attempts_timeout_ms': clock(240_000, 'After this no further candidate is tried.', { live: true }),
  'clocks.drain_ms': clock(60_000, 'How long running streams may continue after SIGTERM.', { min: 0, live: true }),
  'clocks.drain_delay_ms': clock(
    0,
    'How long requests are still served after SIGTERM while `/readyz` returns 503; then the port is closed.',
    { min: 0 },
  ),
  'clocks.model_refresh_ms': clock(3_600_000, 'Between two requests for a provider’s list of models.'),
  'routing.retry_percent_max': row(integer(0, 100), 20, {
    unit: '%',
    live: true,
    meaning: 'The share of retries in the load, so that an outage is not multiplied; 100 sets no limit.',
  }),
  'routing.affinity_bytes_min': bytes(
    4_096,
    'Smaller conversations are not pinned to one target for its prompt cache.',
    {
      live: true,
    },
  ),
  'routing.cache_marks': row(choice(['auto', 'off']), 'auto', {
    live: true,
    meaning:
      'With `auto`, cache marks are added to conversations with tools or several turns, for models that cache only what is marked and clients whose format has no marks.',
  }),
} as const;
