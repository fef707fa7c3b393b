/** Idempotency keys: who holds each, and what became of those whose holder died. */

import { asText, type Operation, statement, step } from '../sql/statement.ts';

/** A key whose row is older than `staleBeforeMs` is free again. */
const begin = statement(
  `INSERT INTO idempotency (token_id, key, request_id, fingerprint, state, at_ms, instance_id) VALUES ($1, $2, $3, $4, 'running', $5, $7)
   ON CONFLICT (token_id, key) DO UPDATE SET request_id = excluded.request_id, fingerprint = excluded.fingerprint,
     state = excluded.state, at_ms = excluded.at_ms, instance_id = excluded.instance_id
   WHERE idempotency.at_ms < $6 RETURNING request_id`,
);
const readKey = statement('SELECT request_id, fingerprint, state FROM idempotency WHERE token_id = $1 AND key = $2');
const finish = statement(
  "UPDATE idempotency SET state = 'finished' WHERE token_id = $1 AND key = $2 AND request_id = $3",
);
const forget = statement(
  "DELETE FROM idempotency WHERE token_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'",
);
const expire = statement('DELETE FROM idempotency WHERE at_ms < $1');
const holders = statement("SELECT DISTINCT instance_id FROM idempotency WHERE state = 'running' AND instance_id <> ''");
const heldBy = statement(
  "SELECT token_id, key, request_id FROM idempotency WHERE state = 'running' AND instance_id = $1 LIMIT $2",
);
const lose = statement(
  "UPDATE idempotency SET state = 'lost' WHERE token_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'",
);

/** Null where the key was free and is now ours; else what holds it: request id, fingerprint, state. */
export function* beginIdempotent(
  tokenId: string,
  key: string,
  requestId: string,
  fingerprint: string,
  atMs: number,
  staleBeforeMs: number,
  instanceId: string,
): Operation<readonly [requestId: string, fingerprint: string, state: string] | null> {
  const taken = yield step(begin, tokenId, key, requestId, fingerprint, atMs, staleBeforeMs, instanceId);
  if (taken.length > 0) return null;
  const row = (yield step(readKey, tokenId, key))[0];
  return [asText(row?.[0]), asText(row?.[1]), asText(row?.[2])];
}

export function* finishIdempotent(tokenId: string, key: string, requestId: string): Operation<null> {
  yield step(finish, tokenId, key, requestId);
  return null;
}

/** One that was lost stays so: a process that was taken for dead may come back and know no better. */
export function* forgetIdempotent(tokenId: string, key: string, requestId: string): Operation<null> {
  yield step(forget, tokenId, key, requestId);
  return null;
}

export function* expireIdempotent(beforeMs: number): Operation<null> {
  yield step(expire, beforeMs);
  return null;
}

/** The instances that have keys in use. */
export function* keyHolders(): Operation<readonly string[]> {
  return (yield step(holders)).map((row) => asText(row[0]));
}

export function* keysHeldBy(
  instanceId: string,
  limit: number,
): Operation<readonly (readonly [tokenId: string, key: string, requestId: string])[]> {
  const rows = yield step(heldBy, instanceId, limit);
  return rows.map((row) => [asText(row[0]), asText(row[1]), asText(row[2])] as const);
}

/** Its request may have cost something and nobody has its reply: the key is used up. */
export function* loseIdempotent(tokenId: string, key: string, requestId: string): Operation<null> {
  yield step(lose, tokenId, key, requestId);
  return null;
}
