/** Settings of what is kept: content of requests and replies, rows of usage, ids of providers, images and videos. */

import { count, days, largeBytes, optional, row } from './setting-row.ts';
import { boolean, choice, httpAddress, integer, text } from './values.ts';

const secretText = { secret: true, sentTo: ['results.endpoint', 'results.region'], variableOnly: true } as const;

export const storageRows = {
  'content_storage.responses': row(boolean(), false, {
    live: true,
    meaning:
      'Store `/v1/responses` replies (encrypted) unless `store` is false, so that later requests can continue them.',
  }),
  'content_storage.response_days': days(30, 'How long stored replies are kept.', { live: true }),
  'content_storage.replies_per_token_max': count(
    10_000,
    100_000_000,
    'Max stored replies per token, including those stored by providers. The oldest are deleted first.',
    { live: true },
  ),
  'content_storage.reply_bytes_per_token_max': largeBytes(
    268_435_456,
    'Max total size of stored replies per token. The oldest are deleted first.',
    { live: true },
  ),
  'content_storage.reply_bytes_max': largeBytes(
    10_737_418_240,
    'Max total size of stored replies across all tokens. The oldest are deleted first.',
    { live: true },
  ),
  'content_storage.recent_turns': row(boolean(), true, {
    live: true,
    meaning:
      'Keep for an hour what clients drop or only refer to: reasoning and its signatures by the IDs of tool calls, and items of `/v1/responses` that Weir wrote. In memory; encrypted in the database where replicas share it.',
  }),
  'content_storage.requests': row(boolean(), false, {
    live: true,
    meaning:
      'Store request and response content (encrypted) and show it in the console; headers and binary parts are never stored.',
  }),
  'content_storage.request_days': days(7, 'How long request and response content is kept.', { live: true }),
  'content_storage.requests_max': count(
    100_000,
    1_000_000_000,
    'Max number of requests whose content is kept. The oldest are removed first.',
    { live: true },
  ),
  'content_storage.bytes_max': row(integer(1_024, 4_194_304), 65_536, {
    unit: 'bytes',
    live: true,
    meaning: 'Max stored size of each request and of each response. The rest is truncated.',
  }),
  'usage.retention_days': optional(integer(1, 36_500), {
    unit: 'days',
    live: true,
    example: 365,
    meaning: 'How long individual requests and attempts are kept. Totals are kept forever. Default: forever.',
  }),
  'usage.rows_max': count(
    100_000_000,
    1_000_000_000_000,
    'Max number of individual requests that are kept. The oldest are removed first, hour by hour. Totals are kept forever.',
    { live: true },
  ),
  'ids.unknown': row(choice(['auto', 'allow', 'refuse']), 'auto', {
    live: true,
    meaning:
      'How to handle IDs of files, containers and similar objects that Weir has not seen in a response. `auto` allows them while one person owns all tokens.',
  }),
  'ids.retention_days': days(90, 'How long Weir remembers which token an ID belongs to. Then it counts as unknown.', {
    live: true,
  }),
  'ids.per_token_max': count(100_000, 100_000_000, 'Max known IDs per token. The oldest are removed first.'),
  'ids.total_max': count(2_000_000, 1_000_000_000, 'Max known IDs across all tokens.'),
  'results.bucket': optional(text(3, 'the name of a bucket'), {
    example: 'weir-results',
    meaning:
      'S3-compatible bucket for videos and image URLs. Default: a folder in the data folder, or for images PostgreSQL if it is used.',
  }),
  'results.endpoint': optional(httpAddress('an http or https URL without credentials or query'), {
    example: 'https://s3.example.com',
    meaning: 'Endpoint URL of the bucket.',
  }),
  'results.region': row(text(1, 'the name of a region'), 'us-east-1', {
    meaning: 'Region of the bucket.',
  }),
  'results.prefix': row(text(0, 'a text'), 'weir/', {
    meaning: 'Prefix of object names in the bucket.',
  }),
  'results.image_token_bytes_max': largeBytes(
    536_870_912,
    'Max total size of stored images per token. The oldest are deleted first.',
  ),
  'results.image_bytes_max': largeBytes(
    2_147_483_648,
    'Max total size of stored images across all tokens. The oldest are deleted first.',
  ),
  'results.video_token_bytes_max': largeBytes(
    5_368_709_120,
    'Max total size of stored videos per token. The oldest are deleted first.',
  ),
  'results.video_bytes_max': largeBytes(
    21_474_836_480,
    'Max total size of stored videos across all tokens. The oldest are deleted first.',
  ),
  'export.to': row(choice(['off', 'folder', 'bucket']), 'off', {
    example: 'folder',
    meaning: 'Where individual requests are exported as files on a schedule. `bucket` is that of `results.bucket`.',
  }),
  'export.folder': optional(text(1, 'the path of a folder'), {
    example: '/var/lib/weir-exports',
    meaning: 'Folder for exports. Default: `exports` in the data folder.',
  }),
  'export.prefix': row(text(0, 'a text'), 'weir-exports/', {
    meaning: 'Prefix of exports in the bucket.',
  }),
  'export.format': row(choice(['jsonl', 'csv', 'parquet']), 'jsonl', {
    meaning: 'Format of exports.',
  }),
  'export.every': row(choice(['hour', 'day']), 'hour', {
    meaning: 'One file for each hour or for each day (UTC).',
  }),
  'export.retention_days': days(400, 'How long exports are kept.'),
  'results.access_key': optional(text(1, 'a text'), {
    ...secretText,
    meaning: 'Access key ID of the bucket.',
  }),
  'results.secret_key': optional(text(1, 'a text'), {
    ...secretText,
    meaning: 'Secret access key of the bucket.',
  }),
} as const;
