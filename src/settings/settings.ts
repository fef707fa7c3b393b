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
    meaning: 'Networks of the proxies whose `x-forwarded-for` and `x-forwarded-proto` are believed.',
  }),
  'server.allowed_hosts': row(names('a list of host names'), [], {
    variable: 'WEIR_SERVER_ALLOWED_HOSTS',
    meaning: 'Further names under which the console may be opened from the machine that Weir runs on.',
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
  'routing.cache_marks': row(choice(['auto', 'off']), 'auto', {
    variable: 'WEIR_ROUTING_CACHE_MARKS',
    meaning:
      'With `auto`, cache marks are put into conversations with tools or several turns, for models that cache only what is marked and callers whose format has no marks.',
  }),
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
    meaning:
      'An S3-compatible bucket that images behind URLs and videos are kept in; absent means a folder below the data folder, and for images the database where that is PostgreSQL.',
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
  'results.image_token_bytes_max': largeBytes(
    'WEIR_RESULTS_IMAGE_TOKEN_BYTES_MAX',
    536_870_912,
    'Images behind URLs that one token has at a time; its oldest go first.',
  ),
  'results.image_bytes_max': largeBytes(
    'WEIR_RESULTS_IMAGE_BYTES_MAX',
    2_147_483_648,
    'Images behind URLs of all tokens at a time; the oldest go first.',
  ),
  'results.video_token_bytes_max': largeBytes(
    'WEIR_RESULTS_VIDEO_TOKEN_BYTES_MAX',
    5_368_709_120,
    'Videos that one token has at a time; its oldest go first.',
  ),
  'results.video_bytes_max': largeBytes(
    'WEIR_RESULTS_VIDEO_BYTES_MAX',
    21_474_836_480,
    'Videos of all tokens at a time; the oldest go first.',
  ),
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
