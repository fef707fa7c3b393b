/** The table `idempotent_writes`: its primary key makes sure that one request at a time has an idempotency key, on all replicas. */

import { single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Steps, statement, step } from '../sql/statement.ts';
import { type RowIn, table, text, textOf, time } from '../sql/table.ts';

const writes = table('idempotent_writes', {
  adminKeyId: text,
  key: text,
  state: textOf<'running' | 'finished'>(),
  /** Sealed. */
  content: text,
  atMs: time,
});
export type WriteClaim = Omit<RowIn<typeof writes>, 'state'>;

const holding = writes.pick('state', 'content', 'atMs');
export type HeldWrite = RowIn<typeof holding>;

const count = statement('SELECT COUNT(*) FROM idempotent_writes WHERE admin_key_id = $1');
/** A row that is older than the last parameter is free again. */
const claim = statement(
  `${writes.upsert('adminKeyId', 'key')} WHERE idempotent_writes.at_ms <= $${writes.width + 1} RETURNING key`,
);
const holder = statement(`SELECT ${holding.list} FROM idempotent_writes WHERE admin_key_id = $1 AND key = $2`);
const finish = statement(
  `UPDATE idempotent_writes SET state = 'finished', content = $3
   WHERE admin_key_id = $1 AND key = $2 AND state = 'running' AND at_ms = $4`,
);

export type WriteOutcome = 'claimed' | 'full' | HeldWrite;

/** `full`: the admin key has as many as it may have. Otherwise what holds the idempotency key, where it was not free. */
export const claimWrite = transaction(function* (
  given: WriteClaim,
  staleAtMs: number,
  most: number,
): Steps<WriteOutcome> {
  const taken = yield step(claim, ...writes.values({ ...given, state: 'running' }), staleAtMs);
  if (taken.length === 0) return holding.read((yield step(holder, given.adminKeyId, given.key))[0] ?? []);
  if (asNumber((yield step(count, given.adminKeyId))[0]?.[0]) <= most) return 'claimed';
  yield step(drop, given.adminKeyId, given.key);
  return 'full';
});

const drop = statement('DELETE FROM idempotent_writes WHERE admin_key_id = $1 AND key = $2');

export const finishWrite = single(function* ({ adminKeyId, key, content, atMs }: WriteClaim): Steps<null> {
  yield step(finish, adminKeyId, key, content, Math.round(atMs));
  return null;
});

export const expireWrites = removal('idempotent_writes', 'admin_key_id, key', 'at_ms');
