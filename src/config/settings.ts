/**
 * Every single-valued setting in one table: its key, its variable, its default, its unit and its meaning. The file's schema,
 * the reading of the environment, `weir doctor` and the table of `docs/configuration.md` all follow from these rows.
 */

import { idRows } from './id-settings.ts';
import { bytes, clock, count, largeBytes, optional, row, type SettingRow } from './setting-row.ts';
import {
  boolean,
  choice,
  dollars,
  httpAddress,
  integer,
  lines,
  names,
  networks,
  proxyAddress,
  text,
  url,
} from './values.ts';

export type { SettingRow } from './setting-row.ts';

const publicUrl = httpAddress(
  'an http or https address without credentials, query or /v1',
  (address) => !/\/v1(beta)?$/.test(address.pathname),
);
const secretText = { secret: true, variableOnly: true } as const;

export const settingRows = {
  config: optional(text(1, 'the path of a file'), {
    variable: 'WEIR_CONFIG',
    variableOnly: true,
    meaning: 'The configuration file; `weir.yaml` in the working folder where there is one.',
  }),
  'server.host': row(text(1, 'a host name or address'), '127.0.0.1', {
    variable: 'WEIR_HOST',
    meaning: 'The address to listen on; `0.0.0.0` opens Weir to the network.',
  }),
  'server.port': row(integer(0, 65_535), 8787, {
    variable: 'WEIR_PORT',
    meaning: 'The port to listen on; 0 takes any free one.',
  }),
  'server.data': row(text(1, 'the path of a folder'), './data', {
    variable: 'WEIR_DATA',
    meaning: 'The folder for database, key file and results.',
  }),
  'server.public_url': optional(publicUrl, {
    variable: 'WEIR_SERVER_PUBLIC_URL',
    meaning: 'The address people reach Weir at, where a proxy makes it differ from host and port.',
  }),
  'server.trusted_proxies': row(networks(), [], {
    variable: 'WEIR_SERVER_TRUSTED_PROXIES',
    meaning: 'Networks of the proxies whose `x-forwarded-for` is believed.',
  }),
  'egress.allowed_networks': row(networks(), [], {
    variable: 'WEIR_EGRESS_ALLOWED_NETWORKS',
    meaning:
      'Private networks from which pictures may be fetched that callers name by address; public ones always may.',
  }),
  'egress.proxy': optional(proxyAddress(), {
    variable: 'WEIR_EGRESS_PROXY',
    hasPassword: true,
    meaning: 'The HTTP proxy that providers are reached through; absent means the two variables below.',
  }),
  'egress.https_proxy': optional(proxyAddress(), {
    variable: 'HTTPS_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `https` address.',
  }),
  'egress.http_proxy': optional(proxyAddress(), {
    variable: 'HTTP_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `http` address.',
  }),
  'egress.no_proxy': row(names('a list of hosts such as internal.example, 10.0.0.0/8 or *'), [], {
    variable: 'NO_PROXY',
    meaning: 'Hosts, with all below them, and networks that no proxy is used for; this machine itself is always one.',
  }),
  'egress.ca_file': optional(text(1, 'the path of a file'), {
    variable: 'WEIR_EGRESS_CA_FILE',
    meaning:
      'Certificates in PEM that are trusted besides the usual ones, towards providers and what callers point at.',
  }),
  'database.url': optional(url(['postgres', 'postgresql'], 'an address that begins with postgres://'), {
    variable: 'DATABASE_URL',
    hasPassword: true,
    meaning: 'The PostgreSQL database; absent means SQLite in the data folder.',
  }),
  'database.synchronous': row(choice(['normal', 'full']), 'normal', {
    variable: 'WEIR_DATABASE_SYNCHRONOUS',
    meaning:
      'What SQLite survives: `normal` a crash of Weir, `full` a loss of power too, for a flush to the disk at every commit.',
  }),
  redis_url: optional(url(['redis', 'rediss'], 'an address that begins with redis:// or rediss://'), {
    variable: 'REDIS_URL',
    hasPassword: true,
    meaning: 'The Redis that several replicas share their limits through, and whom they leave alone.',
  }),
  secret_key: optional(text(16, 'a text of 16 characters or more'), {
    variable: 'WEIR_SECRET_KEY',
    ...secretText,
    meaning: 'Encrypts provider keys in the database; absent means a key file in the data folder.',
  }),
  secret_key_old: optional(text(16, 'texts of 16 characters or more with commas between'), {
    variable: 'WEIR_SECRET_KEY_OLD',
    ...secretText,
    meaning: 'Secret keys besides the one above that still open what they sealed, while keys are rotated.',
  }),
  admin_password: optional(text(1, 'a text'), {
    variable: 'WEIR_ADMIN_PASSWORD',
    ...secretText,
    meaning:
      'The password of the console’s account `admin`, an owner; absent means a one-time set-up link at the first start.',
  }),
  first_token: optional(text(20, 'a text of 20 characters or more'), {
    variable: 'WEIR_FIRST_TOKEN',
    ...secretText,
    meaning: 'The value of the token that the first start creates, for unattended set-up.',
  }),
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
    'Bodies of 64 KB and more that all requests in flight may hold in memory; one token at most a quarter of it.',
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
    'Attempts whose client left that a provider is read on for, over all tokens; beyond it they are ended at once.',
  ),
  'clocks.connect_timeout_ms': clock('WEIR_CLOCKS_CONNECT_TIMEOUT_MS', 10_000, 'To connect to a provider.'),
  'clocks.head_timeout_ms': clock('WEIR_CLOCKS_HEAD_TIMEOUT_MS', 120_000, 'From sending to the head of the reply.'),
  'clocks.idle_timeout_ms': clock(
    'WEIR_CLOCKS_IDLE_TIMEOUT_MS',
    120_000,
    'Between two events of a stream, or two pieces of a reply that comes whole.',
  ),
  'clocks.total_timeout_ms': clock('WEIR_CLOCKS_TOTAL_TIMEOUT_MS', 1_800_000, 'A request from first to last byte.'),
  'clocks.client_body_timeout_ms': clock(
    'WEIR_CLOCKS_CLIENT_BODY_TIMEOUT_MS',
    30_000,
    'For the body of a request to arrive.',
  ),
  'clocks.client_stall_timeout_ms': clock(
    'WEIR_CLOCKS_CLIENT_STALL_TIMEOUT_MS',
    30_000,
    'For a client that does not read to go on reading.',
  ),
  'clocks.read_on_ms': clock(
    'WEIR_CLOCKS_READ_ON_MS',
    5_000,
    'How long a provider is read on after the client left, until it says what was used; 0 ends it at once.',
    0,
  ),
  'clocks.head_hold_ms': clock(
    'WEIR_CLOCKS_HEAD_HOLD_MS',
    15_000,
    'How long the head of a reply waits for the first event, so that a failure can still be a status.',
    0,
  ),
  'clocks.keep_alive_ms': clock('WEIR_CLOCKS_KEEP_ALIVE_MS', 15_000, 'Silence after which a keep-alive is sent.'),
  'clocks.patience_ms': clock(
    'WEIR_CLOCKS_PATIENCE_MS',
    10_000,
    'How long a request waits when all that could serve it are to be left alone for a moment.',
    0,
  ),
  'clocks.attempts_timeout_ms': clock(
    'WEIR_CLOCKS_ATTEMPTS_TIMEOUT_MS',
    240_000,
    'After this no further candidate is begun with.',
  ),
  'clocks.drain_ms': clock('WEIR_CLOCKS_DRAIN_MS', 60_000, 'How long running streams may go on after SIGTERM.', 0),
  'clocks.model_refresh_ms': clock(
    'WEIR_CLOCKS_MODEL_REFRESH_MS',
    3_600_000,
    'Between two looks at a provider’s models.',
  ),
  'discovery.environment': row(boolean(), true, {
    variable: 'WEIR_DISCOVERY_ENVIRONMENT',
    meaning: 'Use providers whose key variable is set.',
  }),
  'discovery.local': row(boolean(), true, {
    variable: 'WEIR_DISCOVERY_LOCAL',
    meaning: 'Look for inference servers on their usual loopback ports.',
  }),
  'sandbox.enabled': row(boolean(), true, {
    variable: 'WEIR_SANDBOX_ENABLED',
    meaning: 'Serve the built-in sandbox models.',
  }),
  'sandbox.pace_ms': row(integer(0, 60_000), 0, {
    variable: 'WEIR_SANDBOX_PACE_MS',
    unit: 'ms',
    meaning: 'Pause between two words of a sandbox stream.',
  }),
  'content_storage.responses': row(boolean(), false, {
    variable: 'WEIR_CONTENT_STORAGE_RESPONSES',
    meaning:
      'Keep replies of `/v1/responses` whose `store` is not false, encrypted, so that later requests can go on from them.',
  }),
  'content_storage.response_days': row(integer(1, 3_650), 30, {
    variable: 'WEIR_CONTENT_STORAGE_RESPONSE_DAYS',
    unit: 'days',
    meaning: 'How long a kept reply lives.',
  }),
  'content_storage.replies_per_token_max': count(
    'WEIR_CONTENT_STORAGE_REPLIES_PER_TOKEN_MAX',
    10_000,
    100_000_000,
    'Replies of one token that are kept, or noted as kept by their provider; beyond it the oldest are dropped.',
  ),
  'content_storage.reply_bytes_per_token_max': largeBytes(
    'WEIR_CONTENT_STORAGE_REPLY_BYTES_PER_TOKEN_MAX',
    268_435_456,
    'Bytes of kept replies of one token; beyond it the oldest are dropped.',
  ),
  'content_storage.reply_bytes_max': largeBytes(
    'WEIR_CONTENT_STORAGE_REPLY_BYTES_MAX',
    10_737_418_240,
    'Bytes of kept replies of all tokens; beyond it the oldest are dropped.',
  ),
  'content_storage.requests': row(boolean(), false, {
    variable: 'WEIR_CONTENT_STORAGE_REQUESTS',
    meaning:
      'Keep what is said in each request and in its reply, encrypted, so that the console can show it; headers and binary parts never are.',
  }),
  'content_storage.request_days': row(integer(1, 3_650), 7, {
    variable: 'WEIR_CONTENT_STORAGE_REQUEST_DAYS',
    unit: 'days',
    meaning: 'How long the content of a request is kept.',
  }),
  'content_storage.bytes_max': row(integer(1_024, 4_194_304), 65_536, {
    variable: 'WEIR_CONTENT_STORAGE_BYTES_MAX',
    unit: 'bytes',
    meaning: 'How much of a request, and how much of its reply, is kept; the rest is cut.',
  }),
  'usage.retention_days': optional(integer(1, 36_500), {
    variable: 'WEIR_USAGE_RETENTION_DAYS',
    unit: 'days',
    meaning: 'How long single requests and their attempts are kept; their sums stay. Absent means forever.',
  }),
  'routing.retry_percent_max': row(integer(0, 100), 20, {
    variable: 'WEIR_ROUTING_RETRY_PERCENT_MAX',
    unit: '%',
    meaning: 'The share of second tries in the load, so that an outage is not multiplied; 100 sets no limit.',
  }),
  'routing.affinity_bytes_min': bytes(
    'WEIR_ROUTING_AFFINITY_BYTES_MIN',
    4_096,
    'Smaller conversations are not kept with one target for the sake of its prompt cache.',
  ),
  'tasks.deadline_ms': clock(
    'WEIR_TASKS_DEADLINE_MS',
    3_600_000,
    'How long a video may take; what has no end by then gets one.',
  ),
  'tasks.lease_ms': clock(
    'WEIR_TASKS_LEASE_MS',
    30_000,
    'After how long another replica takes over a task whose replica fell silent.',
  ),
  'tasks.ask_every_ms': optional(integer(10, 604_800_000), {
    variable: 'WEIR_TASKS_ASK_EVERY_MS',
    unit: 'ms',
    meaning: 'Between two questions about a task, in the place of what is usual for its provider.',
  }),
  'tasks.asks_max': count('WEIR_TASKS_ASKS_MAX', 16, 1_000, 'Questions in flight to one provider, in each replica.'),
  'tasks.open_per_token_max': count(
    'WEIR_TASKS_OPEN_PER_TOKEN_MAX',
    2_000,
    1_000_000,
    'Tasks that one token may have under way.',
  ),
  'tasks.unknown_outcome': row(choice(['charge', 'free']), 'charge', {
    variable: 'WEIR_TASKS_UNKNOWN_OUTCOME',
    meaning:
      'What a task costs whose provider never said how it ended: its estimate until the provider says otherwise, or nothing.',
  }),
  'tasks.look_again_ms': clock(
    'WEIR_TASKS_LOOK_AGAIN_MS',
    300_000,
    'Between two questions about a task that ended without anybody saying how.',
  ),
  'tasks.correction_ms': clock(
    'WEIR_TASKS_CORRECTION_MS',
    86_400_000,
    'For how long after its deadline such an end can still be corrected.',
  ),
  'tasks.result_lifetime_ms': clock(
    'WEIR_TASKS_RESULT_LIFETIME_MS',
    86_400_000,
    'How long the videos of a task can be fetched.',
  ),
  'tasks.result_bytes_max': bytes('WEIR_TASKS_RESULT_BYTES_MAX', 1_073_741_824, 'The largest video that is taken.'),
  'realtime.idle_ms': clock(
    'WEIR_REALTIME_IDLE_MS',
    900_000,
    'How long a live conversation lasts in which neither side sends anything.',
  ),
  'realtime.total_ms': clock('WEIR_REALTIME_TOTAL_MS', 3_600_000, 'How long a live conversation lasts at most.'),
  'realtime.client_secrets_per_token_max': count(
    'WEIR_REALTIME_CLIENT_SECRETS_PER_TOKEN_MAX',
    100,
    1_000_000,
    'Client secrets of one token that may be alive at once.',
  ),
  'realtime.client_secrets_max': count(
    'WEIR_REALTIME_CLIENT_SECRETS_MAX',
    10_000,
    10_000_000,
    'Client secrets of all tokens that may be alive at once.',
  ),
  'results.bucket': optional(text(3, 'the name of a bucket'), {
    variable: 'WEIR_RESULTS_BUCKET',
    meaning: 'An S3-compatible bucket that videos are kept in; absent means a folder below the data folder.',
  }),
  'results.endpoint': optional(httpAddress('an http or https address without credentials or query'), {
    variable: 'WEIR_RESULTS_ENDPOINT',
    meaning: 'Where the bucket is served.',
  }),
  'results.region': row(text(1, 'the name of a region'), 'us-east-1', {
    variable: 'WEIR_RESULTS_REGION',
    meaning: 'The region that requests to the bucket are signed for.',
  }),
  'results.prefix': row(text(0, 'a text'), 'weir/', {
    variable: 'WEIR_RESULTS_PREFIX',
    meaning: 'What the names of results in the bucket begin with.',
  }),
  'results.access_key': optional(text(1, 'a text'), {
    variable: 'WEIR_RESULTS_ACCESS_KEY',
    ...secretText,
    meaning: 'The access key of the bucket.',
  }),
  'results.secret_key': optional(text(1, 'a text'), {
    variable: 'WEIR_RESULTS_SECRET_KEY',
    ...secretText,
    meaning: 'The secret that belongs to the access key.',
  }),
  'home.shown': row(boolean(), true, {
    variable: 'WEIR_HOME_SHOWN',
    meaning: 'Show the page at `/`; without it that path answers 404 and names nothing.',
  }),
  'home.title': optional(lines(200, 1), {
    variable: 'WEIR_HOME_TITLE',
    meaning: 'The headline of the page at `/`, as plain text.',
  }),
  'home.text': optional(lines(10_000), {
    variable: 'WEIR_HOME_TEXT',
    meaning: 'What stands below the headline, as plain text; each line is a paragraph.',
  }),
  'log.level': row(choice(['debug', 'info', 'warn', 'error', 'silent']), 'info', {
    variable: 'WEIR_LOG_LEVEL',
    meaning: 'The least important line that is written.',
  }),
  'log.format': row(choice(['text', 'json']), 'text', {
    variable: 'WEIR_LOG_FORMAT',
    meaning: 'Lines for people or for machines; `json` by default where the output is no terminal.',
  }),
  ...idRows,
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

export type SettingKey = keyof typeof settingRows;

type ValueOf<Row> = Row extends SettingRow<infer T> ? T : never;
export type SettingValues = { readonly [Key in SettingKey]: ValueOf<(typeof settingRows)[Key]> };

/** The same rows with their types forgotten, for code that treats all alike. */
export const settingList: readonly (SettingRow<unknown> & { readonly key: SettingKey })[] = Object.entries(
  settingRows as Readonly<Record<string, SettingRow<unknown>>>,
).map(([key, settingRow]) => ({ ...settingRow, key: key as SettingKey }));
