/** Entries of the console's configuration and the sealed keys of its providers. Every change bumps the revision that other processes look at. */

import { read, transaction } from '../sql/query.ts';
import {
  asNumber,
  asText,
  asTextOrNull,
  type Row,
  type SqlValue,
  type Steps,
  statement,
  step,
} from '../sql/statement.ts';

export type EntryCells = readonly [
  section: string,
  name: string,
  entry: string,
  sealed: string | null,
  draining: number,
  createdAtMs: number,
  updatedAtMs: number,
  updatedBy: string,
];

export type SealedKeyCells = readonly [
  provider: string,
  keyId: string,
  sealed: string,
  ending: string | null,
  createdAtMs: number,
];

/** What a key brings: its id, sealed value and ending. */
export type NewKeyCells = readonly [keyId: string, sealed: string, ending: string | null];

const columns = 'section, name, entry, sealed, draining, created_at_ms, updated_at_ms, updated_by';
const readRevision = statement('SELECT value FROM revisions WHERE id = 2');
const bump = statement('UPDATE revisions SET value = value + 1 WHERE id = 2');
const allEntries = statement(`SELECT ${columns} FROM console_entries ORDER BY created_at_ms, section, name`);
const allKeys = statement(
  'SELECT provider, key_id, sealed, ending, created_at_ms FROM console_keys ORDER BY created_at_ms, provider, key_id',
);
const insert = statement(
  `INSERT INTO console_entries (${columns}) VALUES ($1, $2, $3, $4, 0, $5, $5, $6)
   ON CONFLICT (section, name) DO NOTHING RETURNING name`,
);
const put = statement(
  `INSERT INTO console_entries (${columns}) VALUES ($1, $2, $3, NULL, 0, $4, $4, $5)
   ON CONFLICT (section, name) DO UPDATE SET
     entry = excluded.entry, updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
);
const touch = statement(
  'UPDATE console_entries SET updated_at_ms = $3, updated_by = $4 WHERE section = $1 AND name = $2 RETURNING name',
);
const rewrite = statement('UPDATE console_entries SET entry = $3, sealed = $4 WHERE section = $1 AND name = $2');
const drain = statement('UPDATE console_entries SET draining = $3 WHERE section = $1 AND name = $2');
const remove = statement('DELETE FROM console_entries WHERE section = $1 AND name = $2 RETURNING name');
const insertKey = statement(
  `INSERT INTO console_keys (provider, key_id, sealed, ending, created_at_ms) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (provider, key_id) DO UPDATE SET
     sealed = excluded.sealed, ending = excluded.ending, created_at_ms = excluded.created_at_ms`,
);
const removeKey = statement('DELETE FROM console_keys WHERE provider = $1 AND key_id = $2');
const removeKeys = statement('DELETE FROM console_keys WHERE provider = $1');

const providers = 'providers';

export const configurationRevision = read(function* (): Steps<number> {
  return asNumber((yield step(readRevision))[0]?.[0]);
});

/** The revision first: what changes while the rest is read is seen by the next look. */
export const readConfiguration = read(function* (): Steps<
  readonly [revision: number, entries: readonly EntryCells[], keys: readonly SealedKeyCells[]]
> {
  const revision = yield* configurationRevision.steps();
  const entries = (yield step(allEntries)).map(entryCells);
  const keys = (yield step(allKeys)).map(keyCells);
  return [revision, entries, keys];
});

function entryCells(row: Row): EntryCells {
  return [
    asText(row[0]),
    asText(row[1]),
    asText(row[2]),
    asTextOrNull(row[3]),
    asNumber(row[4]),
    asNumber(row[5]),
    asNumber(row[6]),
    asText(row[7]),
  ];
}

function keyCells(row: Row): SealedKeyCells {
  return [asText(row[0]), asText(row[1]), asText(row[2]), asTextOrNull(row[3]), asNumber(row[4])];
}

function* addKeys(provider: string, keys: readonly NewKeyCells[], atMs: number): Steps<void> {
  for (const [keyId, sealed, ending] of keys) yield step(insertKey, provider, keyId, sealed, ending, atMs);
}

export const addProviderEntry = transaction(function* (
  name: string,
  entry: string,
  sealed: string | null,
  keys: readonly NewKeyCells[],
  atMs: number,
  by: string,
): Steps<boolean> {
  if ((yield step(insert, providers, name, entry, sealed, atMs, by)).length === 0) return false;
  // A key that outlived its provider must not come back with the next one of the same name.
  yield step(removeKeys, name);
  yield* addKeys(name, keys, atMs);
  yield step(bump);
  return true;
});

export const changeProviderEntry = transaction(function* (
  name: string,
  entry: readonly [text: string, sealed: string | null] | null,
  draining: number | null,
  added: readonly NewKeyCells[],
  removed: readonly string[] | 'all',
  atMs: number,
  by: string,
): Steps<boolean> {
  if ((yield step(touch, providers, name, atMs, by)).length === 0) return false;
  if (entry !== null) yield step(rewrite, providers, name, ...(entry satisfies readonly SqlValue[]));
  if (draining !== null) yield step(drain, providers, name, draining);
  if (removed === 'all') yield step(removeKeys, name);
  else for (const keyId of removed) yield step(removeKey, name, keyId);
  yield* addKeys(name, added, atMs);
  yield step(bump);
  return true;
});

export const putEntry = transaction(function* (
  section: string,
  name: string,
  entry: string,
  atMs: number,
  by: string,
): Steps<null> {
  yield step(put, section, name, entry, atMs, by);
  yield step(bump);
  return null;
});

export const removeEntry = transaction(function* (section: string, name: string): Steps<boolean> {
  if ((yield step(remove, section, name)).length === 0) return false;
  if (section === providers) yield step(removeKeys, name);
  yield step(bump);
  return true;
});
