/**
 * Every single-valued setting in one table: its key, its variable, its default, its unit and its meaning. The file's schema,
 * the reading of the environment, `weir doctor` and the table of `docs/configuration.md` all follow from these rows.
 */

import { idRows } from './id-settings.ts';
import { limitRows } from './limit-settings.ts';
import { priceRows } from './price-settings.ts';
import { bytes, clock, count, largeBytes, optional, row, type SettingRow } from './setting-row.ts';
import { tokenRows } from './token-settings.ts';
import { boolean, choice, httpAddress, integer, lines, names, networks, proxyAddress, text, url } from './values.ts';

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
    meaning: 'The configuration file; default `weir.yaml` in the working folder, if it exists.',
  }),
  'server.host': row(text(1, 'a host name or address'), '127.0.0.1', {
    variable: 'WEIR_HOST',
    meaning: 'The address to listen on; `0.0.0.0` opens Weir to the network.',
  }),
  'server.port': row(integer(0, 65_535), 8787, {
    variable: 'WEIR_PORT',
    meaning: 'The port to listen on; 0 selects a free one.',
  }),
  'server.data': row(text(1, 'the path of a folder'), './data', {
    variable: 'WEIR_DATA',
    meaning: 'The folder for database, key file and results.',
  }),
  'server.public_url': optional(publicUrl, {
    variable: 'WEIR_SERVER_PUBLIC_URL',
    meaning: 'The public URL of Weir, if a proxy makes it differ from host and port.',
  }),
  'server.trusted_proxies': row(networks(), [], {
    variable: 'WEIR_SERVER_TRUSTED_PROXIES',
    meaning: 'Networks of the proxies whose `x-forwarded-for` and `x-forwarded-proto` are trusted.',
  }),
  'server.allowed_hosts': row(names('a list of host names'), [], {
    variable: 'WEIR_SERVER_ALLOWED_HOSTS',
    meaning: 'Further host names under which the console may be opened on the machine itself.',
  }),
  'egress.allowed_networks': row(networks(), [], {
    variable: 'WEIR_EGRESS_ALLOWED_NETWORKS',
    meaning:
      'Private networks from which images that callers name by URL may be fetched; public ones are always allowed.',
  }),
  'egress.proxy': optional(proxyAddress(), {
    variable: 'WEIR_EGRESS_PROXY',
    hasPassword: true,
    meaning: 'The HTTP proxy for providers; absent means the two variables below.',
  }),
  'egress.https_proxy': optional(proxyAddress(), {
    variable: 'HTTPS_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `https` URL.',
  }),
  'egress.http_proxy': optional(proxyAddress(), {
    variable: 'HTTP_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `http` URL.',
  }),
  'egress.no_proxy': row(names('a list of hosts such as internal.example, 10.0.0.0/8 or *'), [], {
    variable: 'NO_PROXY',
    meaning: 'Hosts (with subdomains) and networks without a proxy; this machine itself is always included.',
  }),
  'egress.ca_file': optional(text(1, 'the path of a file'), {
    variable: 'WEIR_EGRESS_CA_FILE',
    meaning:
      'Certificates in PEM that are trusted in addition to the usual ones, for providers and for URLs of callers.',
  }),
  'database.url': optional(url(['postgres', 'postgresql'], 'an address that begins with postgres://'), {
    variable: 'DATABASE_URL',
    hasPassword: true,
    meaning: 'The PostgreSQL database; absent means SQLite in the data folder.',
  }),
  'database.synchronous': row(choice(['normal', 'full']), 'normal', {
    variable: 'WEIR_DATABASE_SYNCHRONOUS',
    meaning:
      'What SQLite survives: `normal` a crash of Weir, `full` also a loss of power, with a disk flush at every commit.',
  }),
  redis_url: optional(url(['redis', 'rediss'], 'an address that begins with redis:// or rediss://'), {
    variable: 'REDIS_URL',
    hasPassword: true,
    meaning: 'The Redis through which replicas share limits, cooldowns and circuit states.',
  }),
  secret_key: optional(text(16, 'a text of 16 characters or more'), {
    variable: 'WEIR_SECRET_KEY',
    ...secretText,
    meaning: 'Encrypts provider keys in the database; absent means a key file in the data folder.',
  }),
  secret_key_old: optional(text(16, 'texts of 16 characters or more with commas between'), {
    variable: 'WEIR_SECRET_KEY_OLD',
    ...secretText,
    meaning: 'Further secret keys that can still open what they sealed, while keys are rotated.',
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
  ...limitRows,
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
      'Store replies of `/v1/responses` whose `store` is not false, encrypted, so that later requests can continue from them.',
  }),
  'content_storage.response_days': row(integer(1, 3_650), 30, {
    variable: 'WEIR_CONTENT_STORAGE_RESPONSE_DAYS',
    unit: 'days',
    meaning: 'How long a stored reply is kept.',
  }),
  'content_storage.replies_per_token_max': count(
    'WEIR_CONTENT_STORAGE_REPLIES_PER_TOKEN_MAX',
    10_000,
    100_000_000,
    'Stored replies of one token, including those stored by their provider; beyond it the oldest are dropped.',
  ),
  'content_storage.reply_bytes_per_token_max': largeBytes(
    'WEIR_CONTENT_STORAGE_REPLY_BYTES_PER_TOKEN_MAX',
    268_435_456,
    'Bytes of stored replies of one token; beyond it the oldest are dropped.',
  ),
  'content_storage.reply_bytes_max': largeBytes(
    'WEIR_CONTENT_STORAGE_REPLY_BYTES_MAX',
    10_737_418_240,
    'Bytes of stored replies of all tokens; beyond it the oldest are dropped.',
  ),
  'content_storage.requests': row(boolean(), false, {
    variable: 'WEIR_CONTENT_STORAGE_REQUESTS',
    meaning:
      'Store the content of each request and of its reply, encrypted, so that the console can show it; headers and binary parts are never stored.',
  }),
  'content_storage.request_days': row(integer(1, 3_650), 7, {
    variable: 'WEIR_CONTENT_STORAGE_REQUEST_DAYS',
    unit: 'days',
    meaning: 'How long the content of a request is kept.',
  }),
  'content_storage.bytes_max': row(integer(1_024, 4_194_304), 65_536, {
    variable: 'WEIR_CONTENT_STORAGE_BYTES_MAX',
    unit: 'bytes',
    meaning: 'How much of a request, and how much of its reply, is stored; the rest is cut.',
  }),
  'usage.retention_days': optional(integer(1, 36_500), {
    variable: 'WEIR_USAGE_RETENTION_DAYS',
    unit: 'days',
    meaning: 'How long single requests and their attempts are kept; their sums stay. Absent means forever.',
  }),
  'routing.retry_percent_max': row(integer(0, 100), 20, {
    variable: 'WEIR_ROUTING_RETRY_PERCENT_MAX',
    unit: '%',
    meaning: 'The share of retries in the load, so that an outage is not multiplied; 100 sets no limit.',
  }),
  'routing.affinity_bytes_min': bytes(
    'WEIR_ROUTING_AFFINITY_BYTES_MIN',
    4_096,
    'Smaller conversations are not kept at one target for its prompt cache.',
  ),
  'routing.cache_marks': row(choice(['auto', 'off']), 'auto', {
    variable: 'WEIR_ROUTING_CACHE_MARKS',
    meaning:
      'With `auto`, cache marks are added to conversations with tools or several turns, for models that cache only what is marked and callers whose format has no marks.',
  }),
  'tasks.deadline_ms': clock('WEIR_TASKS_DEADLINE_MS', 3_600_000, 'How long a video may take; then the task fails.'),
  'tasks.lease_ms': clock(
    'WEIR_TASKS_LEASE_MS',
    30_000,
    'After how long another replica takes over a task of a replica that died.',
  ),
  'tasks.ask_every_ms': optional(integer(10, 604_800_000), {
    variable: 'WEIR_TASKS_ASK_EVERY_MS',
    unit: 'ms',
    meaning: 'Polling interval of a task, instead of the provider’s default.',
  }),
  'tasks.asks_max': count('WEIR_TASKS_ASKS_MAX', 16, 1_000, 'Polls in flight to one provider, in each replica.'),
  'tasks.open_per_token_max': count('WEIR_TASKS_OPEN_PER_TOKEN_MAX', 2_000, 1_000_000, 'Open tasks of one token.'),
  'tasks.unknown_outcome': row(choice(['charge', 'free']), 'charge', {
    variable: 'WEIR_TASKS_UNKNOWN_OUTCOME',
    meaning:
      'What a task with an unknown outcome costs: its estimate until the provider reports otherwise, or nothing.',
  }),
  'tasks.look_again_ms': clock(
    'WEIR_TASKS_LOOK_AGAIN_MS',
    300_000,
    'Polling interval of a task that ended with an unknown outcome.',
  ),
  'tasks.correction_ms': clock(
    'WEIR_TASKS_CORRECTION_MS',
    86_400_000,
    'How long after its deadline such an outcome can still be corrected.',
  ),
  'tasks.result_lifetime_ms': clock(
    'WEIR_TASKS_RESULT_LIFETIME_MS',
    86_400_000,
    'How long the videos of a task can be fetched.',
  ),
  'tasks.result_bytes_max': bytes(
    'WEIR_TASKS_RESULT_BYTES_MAX',
    1_073_741_824,
    'The largest video that is downloaded.',
  ),
  'realtime.idle_ms': clock('WEIR_REALTIME_IDLE_MS', 900_000, 'How long a realtime session may be idle.'),
  'realtime.total_ms': clock('WEIR_REALTIME_TOTAL_MS', 3_600_000, 'The longest realtime session.'),
  'realtime.client_secrets_per_token_max': count(
    'WEIR_REALTIME_CLIENT_SECRETS_PER_TOKEN_MAX',
    100,
    1_000_000,
    'Valid client secrets of one token.',
  ),
  'realtime.client_secrets_max': count(
    'WEIR_REALTIME_CLIENT_SECRETS_MAX',
    10_000,
    10_000_000,
    'Valid client secrets of all tokens.',
  ),
  'results.bucket': optional(text(3, 'the name of a bucket'), {
    variable: 'WEIR_RESULTS_BUCKET',
    meaning:
      'An S3-compatible bucket for videos and for images behind URLs; absent means a folder of the data folder, and for images the database if that is PostgreSQL.',
  }),
  'results.endpoint': optional(httpAddress('an http or https address without credentials or query'), {
    variable: 'WEIR_RESULTS_ENDPOINT',
    meaning: 'The endpoint URL of the bucket.',
  }),
  'results.region': row(text(1, 'the name of a region'), 'us-east-1', {
    variable: 'WEIR_RESULTS_REGION',
    meaning: 'The region that requests to the bucket are signed for.',
  }),
  'results.prefix': row(text(0, 'a text'), 'weir/', {
    variable: 'WEIR_RESULTS_PREFIX',
    meaning: 'The prefix of result names in the bucket.',
  }),
  'results.image_token_bytes_max': largeBytes(
    'WEIR_RESULTS_IMAGE_TOKEN_BYTES_MAX',
    536_870_912,
    'Images behind URLs of one token; its oldest are removed first.',
  ),
  'results.image_bytes_max': largeBytes(
    'WEIR_RESULTS_IMAGE_BYTES_MAX',
    2_147_483_648,
    'Images behind URLs of all tokens; the oldest are removed first.',
  ),
  'results.video_token_bytes_max': largeBytes(
    'WEIR_RESULTS_VIDEO_TOKEN_BYTES_MAX',
    5_368_709_120,
    'Videos of one token; its oldest are removed first.',
  ),
  'results.video_bytes_max': largeBytes(
    'WEIR_RESULTS_VIDEO_BYTES_MAX',
    21_474_836_480,
    'Videos of all tokens; the oldest are removed first.',
  ),
  'results.access_key': optional(text(1, 'a text'), {
    variable: 'WEIR_RESULTS_ACCESS_KEY',
    ...secretText,
    meaning: 'The access key of the bucket.',
  }),
  'results.secret_key': optional(text(1, 'a text'), {
    variable: 'WEIR_RESULTS_SECRET_KEY',
    ...secretText,
    meaning: 'The secret of the access key.',
  }),
  'home.shown': row(boolean(), true, {
    variable: 'WEIR_HOME_SHOWN',
    meaning: 'Show the page at `/`; otherwise that path returns 404.',
  }),
  'home.title': optional(lines(200, 1), {
    variable: 'WEIR_HOME_TITLE',
    meaning: 'The headline of the page at `/`, as plain text.',
  }),
  'home.text': optional(lines(10_000), {
    variable: 'WEIR_HOME_TEXT',
    meaning: 'The text below the headline, as plain text; each line is a paragraph.',
  }),
  'log.level': row(choice(['debug', 'info', 'warn', 'error', 'silent']), 'info', {
    variable: 'WEIR_LOG_LEVEL',
    meaning: 'The lowest level that is written.',
  }),
  'log.format': row(choice(['text', 'json']), 'text', {
    variable: 'WEIR_LOG_FORMAT',
    meaning: 'Text or JSON lines; `json` by default if the output is not a terminal.',
  }),
  ...idRows,
  ...priceRows,
  ...tokenRows,
} as const;

export type SettingKey = keyof typeof settingRows;

type ValueOf<Row> = Row extends SettingRow<infer T> ? T : never;
export type SettingValues = { readonly [Key in SettingKey]: ValueOf<(typeof settingRows)[Key]> };

/** The same rows with their types forgotten, for code that treats all alike. */
export const settingList: readonly (SettingRow<unknown> & { readonly key: SettingKey })[] = Object.entries(
  settingRows as Readonly<Record<string, SettingRow<unknown>>>,
).map(([key, settingRow]) => ({ ...settingRow, key: key as SettingKey }));
