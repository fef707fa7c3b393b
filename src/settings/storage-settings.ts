/** Settings of what is kept: content of requests and replies, rows of usage, ids of providers, images and videos. */

import { count, days, largeBytes, optional, row } from './setting-row.ts';
import { boolean, choice, httpAddress, integer, text } from './values.ts';

const secretText = { secret: true, variableOnly: true } as const;

export const storageRows = {
  'content_storage.responses': row(boolean(), false, {
    live: true,
    meaning:
      'Keep replies of `/v1/responses` whose `store` is not false, encrypted, so that later requests can continue them.',
  }),
  'content_storage.response_days': days(30, 'How long a stored reply is kept.', { live: true }),
  'content_storage.replies_per_token_max': count(
    10_000,
    100_000_000,
    'Stored replies of one token, including those stored by their provider; beyond it the oldest are dropped.',
    { live: true },
  ),
  'content_storage.reply_bytes_per_token_max': largeBytes(
    268_435_456,
    'Bytes of stored replies of one token; beyond it the oldest are dropped.',
    { live: true },
  ),
  'content_storage.reply_bytes_max': largeBytes(
    10_737_418_240,
    'Bytes of stored replies of all tokens; beyond it the oldest are dropped.',
    { live: true },
  ),
  'content_storage.requests': row(boolean(), false, {
    live: true,
    meaning:
      'Keep the content of each request and its reply, encrypted, for the console to show; headers and binary parts are never kept.',
  }),
  'content_storage.request_days': days(7, 'How long the content of a request is kept.', { live: true }),
  'content_storage.bytes_max': row(integer(1_024, 4_194_304), 65_536, {
    unit: 'bytes',
    live: true,
    meaning: 'How much of a request, and how much of its reply, is stored; the rest is cut.',
  }),
  'usage.retention_days': optional(integer(1, 36_500), {
    unit: 'days',
    live: true,
    example: 365,
    meaning: 'How long single requests and their attempts are kept; their sums stay. Absent means forever.',
  }),
  'ids.unknown': row(choice(['auto', 'allow', 'refuse']), 'auto', {
    live: true,
    meaning:
      'What happens to ids of files, containers and the like that no reply of Weir contained: `auto` passes them on while one person holds all tokens.',
  }),
  'ids.retention_days': days(90, 'How long Weir knows which token an id belongs to; after that it counts as unknown.', {
    live: true,
  }),
  'ids.per_token_max': count(100_000, 100_000_000, 'Known ids of one token; the oldest are forgotten first.'),
  'ids.total_max': count(2_000_000, 1_000_000_000, 'Known ids of all tokens together.'),
  'results.bucket': optional(text(3, 'the name of a bucket'), {
    example: 'weir-results',
    meaning:
      'An S3-compatible bucket for images behind URLs and for videos; absent means a folder below the data folder, and for images the database where that is PostgreSQL.',
  }),
  'results.endpoint': optional(httpAddress('an http or https address without credentials or query'), {
    example: 'https://s3.example.com',
    meaning: 'The endpoint of the bucket.',
  }),
  'results.region': row(text(1, 'the name of a region'), 'us-east-1', {
    meaning: 'The region that requests to the bucket are signed for.',
  }),
  'results.prefix': row(text(0, 'a text'), 'weir/', {
    meaning: 'The prefix of the names of results in the bucket.',
  }),
  'results.image_token_bytes_max': largeBytes(
    536_870_912,
    'Images behind URLs of one token at a time; its oldest are removed first.',
  ),
  'results.image_bytes_max': largeBytes(
    2_147_483_648,
    'Images behind URLs of all tokens at a time; the oldest are removed first.',
  ),
  'results.video_token_bytes_max': largeBytes(
    5_368_709_120,
    'Videos of one token at a time; its oldest are removed first.',
  ),
  'results.video_bytes_max': largeBytes(
    21_474_836_480,
    'Videos of all tokens at a time; the oldest are removed first.',
  ),
  'results.access_key': optional(text(1, 'a text'), {
    ...secretText,
    meaning: 'The access key of the bucket.',
  }),
  'results.secret_key': optional(text(1, 'a text'), {
    ...secretText,
    meaning: 'The secret of the access key.',
  }),
} as const;
