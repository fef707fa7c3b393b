/** Settings of what requests are counted by: end users and tags. */

import { optional, row } from './setting-row.ts';
import { names, text } from './values.ts';

export const usageRows = {
  'usage.end_user_headers': row(
    names('a list of header names'),
    ['x-openwebui-user-id', 'x-openwebui-user-email', 'x-weir-end-user'],
    {
      live: true,
      meaning: 'Request headers that name the end user. The first one present counts, before the fields of the body.',
    },
  ),
  'usage.end_user_jwt_secret': optional(text(16, 'a text of 16 characters or more'), {
    secret: true,
    sentTo: [],
    variableOnly: true,
    meaning:
      'Secret of the signed header `x-openwebui-user-jwt`, which then names the end user before all others; one that is not valid is refused. In Open WebUI it is `FORWARD_USER_INFO_HEADER_JWT_SECRET`.',
  }),
  'usage.tags_from_metadata': row(names('a list of keys'), [], {
    example: ['job'],
    live: true,
    meaning: 'Keys of `metadata` in a request whose text becomes a tag `key:text` of the request.',
  }),
} as const;
