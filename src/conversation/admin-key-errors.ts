/** Errors of calls with an admin key: a part of the error table. */

import { type ErrorRow, row } from './error-row.ts';

export const adminKeyErrors = {
  admin_key_missing: row(
    401,
    'authentication_error',
    false,
    'never',
    'A call of the admin API has no admin key. Send `Authorization: Bearer weir_admin_…`.',
  ),
  admin_key_invalid: row(
    401,
    'authentication_error',
    false,
    'never',
    'The credential is not an admin key of this Weir. Check that you pasted all of it, or create a key.',
  ),
  admin_key_expired: row(401, 'authentication_error', false, 'never', 'The admin key has expired. Create a new one.'),
  admin_key_revoked: row(
    401,
    'authentication_error',
    false,
    'never',
    'The admin key was revoked, or the account that created it no longer has these rights. Create a new one.',
  ),
  admin_key_scope: row(
    403,
    'permission_error',
    false,
    'never',
    'The admin key does not have the scope that the message names. Create a key that has it.',
  ),
} as const satisfies Record<string, ErrorRow>;
