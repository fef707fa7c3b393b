/** Settings of the limits and clocks of requests. */

import { bytes, clock, count } from './setting-row.ts';

export const limitRows = {
  'limits.json_body_bytes_max': bytes('WEIR_LIMITS_JSON_BODY_BYTES_MAX', 33_554_432, 'Largest JSON body of a request.'),
  'limits.multipart_body_bytes_max': bytes(
    'WEIR_LIMITS_MULTIPART_BODY_BYTES_MAX',
    134_217_728,
    'Largest multipart body of a request.',
  ),
  'limits.json_depth_max': count('WEIR_LIMITS_JSON_DEPTH_MAX', 64, 1000, 'Deepest nesting of a JSON body.'),
  'limits.json_values_max': count(
    'WEIR_LIMITS_JSON_VALUES_MAX',
    500_000,
    10_000_000,
    'Most values in a JSON body, counted by its commas and opening brackets.',
  ),
  'limits.json_keys_max': count('WEIR_LIMITS_JSON_KEYS_MAX', 100_000, 10_000_000, 'Most keys in a JSON body.'),
  'limits.body_memory_bytes_max': bytes(
    'WEIR_LIMITS_BODY_MEMORY_BYTES_MAX',
    536_870_912,
    'Memory for bodies of 64 KB and more of all requests in flight; one token may use a quarter of it.',
  ),
  'limits.stream_event_bytes_max': bytes(
    'WEIR_LIMITS_STREAM_EVENT_BYTES_MAX',
    33_554_432,
    'Largest single event of a provider’s stream.',
  ),
  'limits.reply_bytes_max': bytes('WEIR_LIMITS_REPLY_BYTES_MAX', 67_108_864, 'Largest whole reply of a provider.'),
  'limits.concurrent_requests_max': count(
    'WEIR_LIMITS_CONCURRENT_REQUESTS_MAX',
    20_000,
    1_000_000,
    'Requests in flight, over all tokens.',
  ),
  'limits.attempts_max': count('WEIR_LIMITS_ATTEMPTS_MAX', 4, 20, 'Candidates tried for one request.'),
  'limits.read_on_attempts_max': count(
    'WEIR_LIMITS_READ_ON_ATTEMPTS_MAX',
    256,
    1_000_000,
    'Attempts that are read to the end after their client disconnected, over all tokens; beyond it they are ended at once.',
  ),
  'clocks.connect_timeout_ms': clock('WEIR_CLOCKS_CONNECT_TIMEOUT_MS', 10_000, 'Timeout to connect to a provider.'),
  'clocks.head_timeout_ms': clock(
    'WEIR_CLOCKS_HEAD_TIMEOUT_MS',
    120_000,
    'Timeout from sending to the head of the reply.',
  ),
  'clocks.idle_timeout_ms': clock(
    'WEIR_CLOCKS_IDLE_TIMEOUT_MS',
    120_000,
    'Timeout between two events of a stream, or two pieces of a whole reply.',
  ),
  'clocks.total_timeout_ms': clock(
    'WEIR_CLOCKS_TOTAL_TIMEOUT_MS',
    1_800_000,
    'Timeout of a request from first to last byte.',
  ),
  'clocks.client_body_timeout_ms': clock(
    'WEIR_CLOCKS_CLIENT_BODY_TIMEOUT_MS',
    30_000,
    'Timeout for the body of a request to arrive.',
  ),
  'clocks.client_stall_timeout_ms': clock(
    'WEIR_CLOCKS_CLIENT_STALL_TIMEOUT_MS',
    30_000,
    'Timeout for a client that does not read.',
  ),
  'clocks.read_on_ms': clock(
    'WEIR_CLOCKS_READ_ON_MS',
    5_000,
    'How long a provider is read after the client disconnected, until it reports usage; 0 ends it at once.',
    0,
  ),
  'clocks.head_hold_ms': clock(
    'WEIR_CLOCKS_HEAD_HOLD_MS',
    15_000,
    'How long the head of a reply waits for the first event, so that a failure can still be a status.',
    0,
  ),
  'clocks.keep_alive_ms': clock('WEIR_CLOCKS_KEEP_ALIVE_MS', 15_000, 'Idle time after which a keep-alive is sent.'),
  'clocks.patience_ms': clock(
    'WEIR_CLOCKS_PATIENCE_MS',
    10_000,
    'How long a request waits if all its targets are cooling down.',
    0,
  ),
  'clocks.attempts_timeout_ms': clock(
    'WEIR_CLOCKS_ATTEMPTS_TIMEOUT_MS',
    240_000,
    'After this no further candidate is tried.',
  ),
  'clocks.drain_ms': clock('WEIR_CLOCKS_DRAIN_MS', 60_000, 'How long running requests may continue after SIGTERM.', 0),
  'clocks.drain_delay_ms': clock(
    'WEIR_CLOCKS_DRAIN_DELAY_MS',
    0,
    'How long requests are still served after SIGTERM while `/readyz` returns 503; then the port is closed.',
    0,
  ),
  'clocks.model_refresh_ms': clock(
    'WEIR_CLOCKS_MODEL_REFRESH_MS',
    3_600_000,
    'Interval between two reads of a provider’s model list.',
  ),
} as const;
