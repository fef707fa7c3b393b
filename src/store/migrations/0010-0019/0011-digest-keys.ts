/** Which key made a digest, so that an old key is not dropped while a credential still depends on it. */

import type { Migration } from '../../sql/migration.ts';

export const digestKeys: Migration = {
  version: 11,
  name: 'digest keys',
  statements: [
    // Empty for digests from before: those were made by the one key that there was.
    'ALTER TABLE tokens ADD COLUMN digest_key TEXT',
    'ALTER TABLE tokens ADD COLUMN previous_digest_key TEXT',
    'ALTER TABLE sessions ADD COLUMN digest_key TEXT',
  ],
};
