/** The table `idempotency`: keys, which request holds each, and the state of those whose holder died. */

import type { HeldKey } from '../../ledger/ledger-store.ts';
import { read, single, transaction } from '../sql/query.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { integer, table, text, textOf } from '../sql/table.ts';

export const keyStates = ['running', 'finished', 'lost'] as const;
export type KeyState = (typeof keyStates)[number];

const claims = table('idempotency', {
  tokenId: text,
  key: text,
  requestId: text,
  fingerprint: text,
  state: textOf<KeyState>(),
  atMs: integer,
  instanceId: text,
});
interface KeyClaim {
  readonly tokenId: string;
  readonly key: string;
  readonly requestId: string;
  readonly fingerprint: string;
  readonly atMs: number;
  readonly instanceId: string;
}

const holding = claims.pick('requestId', 'fingerprint', 'state');
type KeyHolder = ReturnType<typeof holding.read>;
const held = claims.pick('tokenId', 'key', 'requestId');

/** A key whose row is older than the last parameter is free again. */
const begin = statement(
  `${claims.upsert('tokenId', 'key')} WHERE idempotency.at_ms < $${claims.width + 1} RETURNING request_id`,
);
const readKey = statement(`SELECT ${holding.list} FROM idempotency WHERE token_id = $1 AND key = $2`);
const finish = statement(
  "UPDATE idempotency SET state = 'finished' WHERE token_id = $1 AND key = $2 AND request_id = $3",
);
const forget = statement(
  "DELETE FROM idempotency WHERE token_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'",
);
const expire = statement('DELETE FROM idempotency WHERE at_ms < $1');
const heldBy = statement(`SELECT ${held.list} FROM idempotency WHERE state = 'running' AND instance_id = $1 LIMIT $2`);
const lose = statement(
  "UPDATE idempotency SET state = 'lost' WHERE token_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'",
);

/** Null where the key was free and now belongs to the claim; else what holds it. */
export const beginIdempotent = transaction(function* (claim: KeyClaim, staleBeforeMs: number): Steps<KeyHolder | null> {
  const taken = yield step(begin, ...claims.values({ ...claim, state: 'running' }), staleBeforeMs);
  if (taken.length > 0) return null;
  return holding.read((yield step(readKey, claim.tokenId, claim.key))[0] ?? []);
});

export const finishIdempotent = single(function* ({ tokenId, key, requestId }: HeldKey): Steps<null> {
  yield step(finish, tokenId, key, requestId);
  return null;
});

/** A lost key stays lost: a process that was considered dead may return without knowing it. */
export const forgetIdempotent = single(function* ({ tokenId, key, requestId }: HeldKey): Steps<null> {
  yield step(forget, tokenId, key, requestId);
  return null;
});

export const expireIdempotent = single(function* (beforeMs: number): Steps<null> {
  yield step(expire, beforeMs);
  return null;
});

export const keysHeldBy = read(function* (instanceId: string, limit: number): Steps<readonly HeldKey[]> {
  return (yield step(heldBy, instanceId, limit)).map((row) => held.read(row));
});

/** Its request may have cost something and its reply is lost: the key is used up. */
export const loseIdempotent = single(function* ({ tokenId, key, requestId }: HeldKey): Steps<null> {
  yield step(lose, tokenId, key, requestId);
  return null;
});
