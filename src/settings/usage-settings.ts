/** Settings of what requests are counted by: end users and tags. */

import { row } from './setting-row.ts';
import { names } from './values.ts';

export const usageRows = {
  'usage.end_user_headers': row(
    names('a list of header names'),
    ['x-openwebui-user-id', 'x-openwebui-user-email', 'x-weir-end-user'],
    {
      live: true,
      meaning: 'Request headers that name the end user. The first one present counts, before the fields of the body.',
    },
  ),
  'usage.tags_from_metadata': row(names('a list of keys'), [], {
    example: ['job'],
    live: true,
    meaning: 'Keys of `metadata` in a request whose text becomes a tag `key:text` of the request.',
  }),
} as const;
