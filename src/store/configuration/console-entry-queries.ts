/** Entries of the console's configuration and the sealed keys of its providers. Every change bumps the revision that other processes look at. */

import { read, transaction } from '../sql/query.ts';
import { asNumber, type SqlValue, type Steps, statement, step } from '../sql/statement.ts';
import { flag, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';
import type { EntryChange, EntrySection, NewProviderRow, ProviderRowChange, SealedKey } from './configuration-store.ts';

export const entries = table('console_entries', {
  section: textOf<EntrySection>(),
  name: text,
  entry: text,
  sealed: optional(text),
  draining: flag,
  createdAtMs: time,
  updatedAtMs: time,
  updatedBy: text,
});
export type EntryRow = RowIn<typeof entries>;

const keys = table('console_keys', {
  provider: text,
  keyId: text,
  sealed: text,
  ending: optional(text),
  createdAtMs: time,
});
type KeyRow = RowIn<typeof keys>;

const readRevision = statement('SELECT value FROM revisions WHERE id = 2');
const bump = statement('UPDATE revisions SET value = value + 1 WHERE id = 2');
const allEntries = statement(`SELECT ${entries.list} FROM console_entries ORDER BY created_at_ms, section, name`);
const allKeys = statement(`SELECT ${keys.list} FROM console_keys ORDER BY created_at_ms, provider, key_id`);
const insert = statement(
  `${entries.insert}
   ON CONFLICT (section, name) DO NOTHING RETURNING name`,
);
const put = statement(
  `${entries.insert}
   ON CONFLICT (section, name) DO UPDATE SET
     entry = excluded.entry, updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
);
const touch = statement(
  'UPDATE console_entries SET updated_at_ms = $3, updated_by = $4 WHERE section = $1 AND name = $2 RETURNING name',
);
const rewrite = statement('UPDATE console_entries SET entry = $3, sealed = $4 WHERE section = $1 AND name = $2');
const drain = statement('UPDATE console_entries SET draining = $3 WHERE section = $1 AND name = $2');
const remove = statement('DELETE FROM console_entries WHERE section = $1 AND name = $2 RETURNING name');
const insertKey = statement(keys.upsert('provider', 'keyId'));
const removeKey = statement('DELETE FROM console_keys WHERE provider = $1 AND key_id = $2');
const removeKeys = statement('DELETE FROM console_keys WHERE provider = $1');

const providers = 'providers';

export const configurationRevision = read(function* (): Steps<number> {
  return asNumber((yield step(readRevision))[0]?.[0]);
});

/** The revision first: a change during the reads is seen by the next read. */
export const readConfiguration = read(function* (): Steps<{
  readonly revision: number;
  readonly entries: readonly EntryRow[];
  readonly keys: readonly KeyRow[];
}> {
  const revision = yield* configurationRevision.steps();
  const entryRows = (yield step(allEntries)).map((row) => entries.read(row));
  return { revision, entries: entryRows, keys: (yield step(allKeys)).map((row) => keys.read(row)) };
});

/** An entry as it is first written. */
export const newEntry = ({ section, name, atMs, by }: EntryChange, entry: string, sealed?: string): SqlValue[] =>
  entries.values({
    section,
    name,
    entry,
    sealed,
    draining: false,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    updatedBy: by,
  });

function* addKeys(provider: string, added: readonly SealedKey[], atMs: number): Steps<void> {
  for (const key of added) yield step(insertKey, ...keys.values({ provider, ...key, createdAtMs: atMs }));
}

export const addProviderEntry = transaction(function* (row: NewProviderRow): Steps<boolean> {
  const { name, entry, sealed, atMs } = row;
  if ((yield step(insert, ...newEntry({ ...row, section: providers }, entry, sealed))).length === 0) return false;
  // A key that outlived its provider must not come back with the next one of the same name.
  yield step(removeKeys, name);
  yield* addKeys(name, row.keys, atMs);
  yield step(bump);
  return true;
});

export const changeProviderEntry = transaction(function* (change: ProviderRowChange): Steps<boolean> {
  const { name, entry, draining, addKeys: added, removeKeys: removed, atMs, by } = change;
  if ((yield step(touch, providers, name, Math.round(atMs), by)).length === 0) return false;
  if (entry !== undefined) yield step(rewrite, providers, name, entry.text, entry.sealed ?? null);
  if (draining !== undefined) yield step(drain, providers, name, draining ? 1 : 0);
  if (removed === 'all') yield step(removeKeys, name);
  else for (const keyId of removed) yield step(removeKey, name, keyId);
  yield* addKeys(name, added, atMs);
  yield step(bump);
  return true;
});

export const putEntry = transaction(function* (row: EntryChange & { readonly entry: string }): Steps<null> {
  yield step(put, ...newEntry(row, row.entry));
  yield step(bump);
  return null;
});

export const removeEntry = transaction(function* (section: string, name: string): Steps<boolean> {
  if ((yield step(remove, section, name)).length === 0) return false;
  if (section === providers) yield step(removeKeys, name);
  yield step(bump);
  return true;
});
