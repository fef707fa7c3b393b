/** Everything by which a person enters an account, and what acts in its name: dropped where the account gets another person. */

import { transaction } from '../sql/query.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

/** `$1` is the account. A table that refers to accounts and is neither here nor known to hold none fails a test. */
const drops = [
  'DELETE FROM sessions WHERE account_id = $1',
  'DELETE FROM totp_secrets WHERE account_id = $1',
  'DELETE FROM passkeys WHERE account_id = $1',
  'DELETE FROM recovery_codes WHERE account_id = $1',
  'DELETE FROM sign_ins WHERE account_id = $1',
].map((sql) => statement(sql));
const dropIdentities = statement('DELETE FROM identities WHERE account_id = $1');
const dropPassword = statement(
  `UPDATE accounts SET password_hash = '', password_changed_at_ms = $2, must_change_password = NULL,
     second_factor_at_ms = NULL WHERE id = $1`,
);
const endTokens = statement('UPDATE tokens SET revoked_at_ms = $2 WHERE owner_id = $1 AND revoked_at_ms IS NULL');
const endKeys = statement('UPDATE admin_keys SET revoked_at_ms = $2 WHERE created_by = $1 AND revoked_at_ms IS NULL');
const endInvitations = statement(
  'UPDATE invitations SET revoked_at_ms = $2 WHERE invited_by = $1 AND accepted_at_ms IS NULL AND revoked_at_ms IS NULL',
);

/** Users of issuers stay linked where they are known to be the same person. */
export const dropCredentials = transaction(function* (
  accountId: string,
  atMs: number,
  keepsIdentities: boolean,
): Steps<null> {
  yield* bumpRevision();
  for (const drop of drops) yield step(drop, accountId);
  if (!keepsIdentities) yield step(dropIdentities, accountId);
  for (const end of [dropPassword, endTokens, endKeys, endInvitations]) yield step(end, accountId, atMs);
  return null;
});
