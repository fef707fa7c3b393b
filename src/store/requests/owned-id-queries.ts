/** The rows that record to which token an id belongs. Of the ids themselves only digests are stored. */

import { longRead, read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import { asNumber, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { integer, optional, placesFrom, type RowIn, selection, table, text, time } from '../sql/table.ts';

const owned = table('owned_ids', { digest: text, tokenId: text, seenAtMs: time });
export type OwnedIdRow = RowIn<typeof owned>;
const owners = table('owned_ids', { digest: text, tokenId: text, deletedAtMs: optional(integer) });

/** The first token stays: an id that comes a second time is no other. */
const add = statementsBy((size: number) => {
  const tuples = Array.from({ length: size }, (_, row) => `(${owned.places(1 + owned.width * row)})`);
  return `INSERT INTO owned_ids (${owned.list}) VALUES ${tuples.join(', ')} ON CONFLICT (digest) DO NOTHING`;
});
const find = statementsBy(
  (size: number) => `SELECT ${owners.list} FROM owned_ids WHERE digest IN (${placesFrom(1, size)})`,
);
const remove = statement(
  `INSERT INTO owned_ids (digest, token_id, seen_at_ms, deleted_at_ms) VALUES ($1, $2, $3, $3)
   ON CONFLICT (digest) DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms WHERE owned_ids.token_id = excluded.token_id`,
);
const countAll = statement('SELECT COUNT(*) FROM owned_ids');
const countOf = statement('SELECT COUNT(*) FROM owned_ids WHERE token_id = $1');
const dropOldest = statement(
  `DELETE FROM owned_ids WHERE digest IN (SELECT digest FROM owned_ids ORDER BY seen_at_ms LIMIT $1) RETURNING digest`,
);
const dropOldestOf = statement(
  `DELETE FROM owned_ids WHERE digest IN
     (SELECT digest FROM owned_ids WHERE token_id = $1 ORDER BY seen_at_ms LIMIT $2) RETURNING digest`,
);
/** People who hold tokens, tokens without an account, and tokens of accounts with the role owner. */
const holders = selection({
  people: [
    `COUNT(DISTINCT CASE WHEN tokens.owner_id IS NOT NULL AND COALESCE(accounts.role, '') <> 'owner' THEN tokens.owner_id END)`,
    integer,
  ],
  ownerless: ['COUNT(CASE WHEN tokens.owner_id IS NULL THEN 1 END)', integer],
  owners: [`COUNT(CASE WHEN accounts.role = 'owner' THEN 1 END)`, integer],
});
const countHolders = statement(
  `SELECT ${holders.list} FROM tokens LEFT JOIN accounts ON accounts.id = tokens.owner_id WHERE tokens.revoked_at_ms IS NULL`,
);

const chunkSizes = [32, 8, 1] as const;

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  let at = 0;
  for (const size of chunkSizes) {
    for (; items.length - at >= size; at += size) yield items.slice(at, at + size);
  }
}

export const addOwnedIds = transaction(function* (rows: readonly OwnedIdRow[]): Steps<null> {
  for (const chunk of chunksOf(rows)) yield step(add(chunk.length), ...chunk.flatMap((row) => owned.values(row)));
  return null;
});

export const idOwners = read(function* (digests: readonly string[]): Steps<readonly RowIn<typeof owners>[]> {
  const found: RowIn<typeof owners>[] = [];
  for (const chunk of chunksOf(digests)) {
    const rows = yield step(find(chunk.length), ...chunk);
    for (const row of rows) found.push(owners.read(row));
  }
  return found;
});

/** The row stays, so that the id is not taken for one that was never seen. Another token's stays unchanged. */
export const removeOwnedId = single(function* (digest: string, tokenId: string, atMs: number): Steps<null> {
  yield step(remove, digest, tokenId, atMs);
  return null;
});

export const expireOwnedIds = removal('owned_ids', 'digest', 'seen_at_ms', '<');

export const countOwnedIds = longRead(function* (tokenId: string | null): Steps<number> {
  return asNumber((yield tokenId === null ? step(countAll) : step(countOf, tokenId))[0]?.[0]);
});

/** How many were removed. */
export const dropOldestOwnedIds = single(function* (tokenId: string | null, most: number): Steps<number> {
  return (yield tokenId === null ? step(dropOldest, most) : step(dropOldestOf, tokenId, most)).length;
});

export const tokenHolders = longRead(function* (): Steps<RowIn<typeof holders>> {
  return holders.read((yield step(countHolders))[0] ?? []);
});
