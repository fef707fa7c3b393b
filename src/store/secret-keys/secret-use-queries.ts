/** What depends on the secrets of this Weir: sealed texts, and digests of credentials, each with the key that made it. */

import { longRead, transaction } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { type TokenRow, tokens } from '../tokens/token-queries.ts';

/** Every table with sealed texts that can be sealed again: the two columns that name a row, and the one that holds the text. */
const sealedTables = {
  console_entries: { place: 'section, name', text: 'sealed' },
  console_keys: { place: 'provider, key_id', text: 'sealed' },
  kept_replies: { place: 'token_id, id', text: 'content' },
  request_contents: { place: 'token_id, request_id', text: 'content' },
  replica_contents: { place: 'token_id, id', text: 'content' },
  session_issuers: { place: 'session_id, issuer', text: 'id_token' },
  alert_channels: { place: 'kind, id', text: 'sealed' },
  result_parts: { place: 'name, part', text: 'content' },
  idempotent_writes: { place: 'admin_key_id, key', text: 'content' },
  totp_secrets: { place: 'account_id, state', text: 'secret' },
} as const;

export type SealedTable = keyof typeof sealedTables;
/** The row's name, and what is sealed in it. */
type SealedCells = readonly [first: string, second: string, sealed: string];
/** The same with what takes its place. */
type ExchangeCells = readonly [...SealedCells, resealed: string];

const others = statementsBy((table: SealedTable) => {
  const { place, text } = sealedTables[table];
  return `SELECT ${place}, ${text} FROM ${table}
    WHERE (${place}) > ($1, $2) AND ${text} IS NOT NULL AND substr(${text}, 1, $4) <> $3 ORDER BY ${place} LIMIT $5`;
});
/** Only where it was not changed meanwhile. */
const exchange = statementsBy((table: SealedTable) => {
  const { place, text } = sealedTables[table];
  return `UPDATE ${table} SET ${text} = $4 WHERE (${place}) = ($1, $2) AND ${text} = $3`;
});

/** Texts that do not begin as this key's do, in the order of their rows, behind the row that is named. */
export const textsOfOtherKeys = longRead(function* (
  table: SealedTable,
  prefix: string,
  after: readonly [first: string, second: string],
  limit: number,
): Steps<readonly SealedCells[]> {
  const rows = yield step(others(table), ...after, prefix, prefix.length, limit);
  return rows.map((row) => [asText(row[0]), asText(row[1]), asText(row[2])] as const);
});

export const exchangeTexts = transaction(function* (
  table: SealedTable,
  exchanges: readonly ExchangeCells[],
): Steps<null> {
  for (const cells of exchanges) yield step(exchange(table), ...cells);
  return null;
});

/** The current secret, or a replaced one that still works. Subjects of JSON Web Tokens have none. */
const tokensOfOthers = statement(
  `SELECT ${tokens.list} FROM tokens
   WHERE id > $2 AND id NOT LIKE 'tok_jwt_%' AND revoked_at_ms IS NULL AND (digest_key IS NULL OR digest_key <> $1
     OR (previous_digest IS NOT NULL AND previous_valid_until_ms > $3
       AND (previous_digest_key IS NULL OR previous_digest_key <> $1)))
   ORDER BY id LIMIT $4`,
);

export const tokensOfOtherKeys = longRead(function* (
  keyId: string,
  afterId: string,
  nowMs: number,
  limit: number,
): Steps<readonly TokenRow[]> {
  return (yield step(tokensOfOthers, keyId, afterId, nowMs, limit)).map((row) => tokens.read(row));
});

const sessionsOfOthers = statement(
  `SELECT COUNT(*) FROM sessions WHERE revoked_at_ms IS NULL AND expires_at_ms > $2
     AND (digest_key IS NULL OR digest_key <> $1)`,
);
const clientSecretsOfOthers = statement(
  'SELECT COUNT(*) FROM client_secrets WHERE expires_at_ms > $3 AND substr(content, 1, $2) <> $1',
);
/** Addresses of videos are signed once they are ready, so one that was ready before the newest key came has an older signature. */
const videosBefore = statement(
  `SELECT COUNT(*) FROM tasks WHERE ended_at_ms < $1 AND expires_at_ms > $2 AND results <> '[]' AND deleted_at_ms IS NULL`,
);

const invitationsOfOthers = statement(
  `SELECT COUNT(*) FROM invitations WHERE accepted_at_ms IS NULL AND revoked_at_ms IS NULL AND expires_at_ms > $2
     AND (digest_key IS NULL OR digest_key <> $1)`,
);
const recoveryCodesOfOthers = statement(
  'SELECT COUNT(*) FROM recovery_codes WHERE digest_key IS NULL OR digest_key <> $1',
);

const adminKeysOfOthers = statement(
  `SELECT COUNT(*) FROM admin_keys WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)
     AND (digest_key IS NULL OR digest_key <> $1)`,
);

/** How many sessions, client secrets, videos, invitations, recovery codes and admin keys that still count were given out under another key. */
export const countOfOtherKeys = longRead(function* (
  keyId: string,
  prefix: string,
  keySinceMs: number,
  nowMs: number,
): Steps<
  readonly [
    sessions: number,
    clientSecrets: number,
    videos: number,
    invitations: number,
    recoveryCodes: number,
    adminKeys: number,
  ]
> {
  return [
    asNumber((yield step(sessionsOfOthers, keyId, nowMs))[0]?.[0]),
    asNumber((yield step(clientSecretsOfOthers, prefix, prefix.length, nowMs))[0]?.[0]),
    asNumber((yield step(videosBefore, keySinceMs, nowMs))[0]?.[0]),
    asNumber((yield step(invitationsOfOthers, keyId, nowMs))[0]?.[0]),
    asNumber((yield step(recoveryCodesOfOthers, keyId))[0]?.[0]),
    asNumber((yield step(adminKeysOfOthers, keyId, nowMs))[0]?.[0]),
  ];
});
