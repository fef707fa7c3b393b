/**
 * Migrations of a database in use: they wait for their locks in short turns, log that they wait, and
 * block no other client.
 */

import { expect } from 'bun:test';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { openStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, reached, type StorePlace } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

const { afterEach, beforeEach, test } = needing('postgres');

let place: StorePlace;
let client: Bun.SQL;
beforeEach(async () => {
  place = await engines[1].newPlace();
  client = new Bun.SQL(place.databaseUrl ?? '', { max: 2 });
});
afterEach(async () => {
  await client.close();
  await place.dispose();
});

const open = async (tell: (message: string) => void): Promise<Store> => {
  const database = await reached(place.databaseUrl ?? '');
  return openStore({ ...database, dataFolder: place.folder, synchronous: 'normal', nowMs: Date.now, tell });
};

test('a step that cannot get its lock lets go, is tried again, and is named; readers of the table continue', async () => {
  const serving = await place.open();
  const last = migrations.at(-1)?.version ?? 0;
  // As if the newest step but one and all after it were still to be done.
  await client.unsafe('ALTER TABLE journal DROP COLUMN in_use');
  await client.unsafe('DELETE FROM schema_versions WHERE version >= 13');
  const after = migrations.filter(({ version }) => version > 13);
  const messages: string[] = [];
  const reader = await client.reserve();
  await reader.unsafe('BEGIN');
  await reader.unsafe('SELECT * FROM journal');
  const opening = open((message) => void messages.push(message));
  await until(() => messages.length > 0, 60_000, 'the step says that it waits');
  expect(messages[0]).toContain('Migration 13 (journal in use) waits for a lock');
  // The step blocks a reader for no longer than its own short wait.
  await client.unsafe('SELECT * FROM journal');
  await serving.ping();
  await reader.unsafe('COMMIT');
  reader.release();
  if (after.length === 0) {
    const store = await opening;
    expect(store.schemaVersion).toBe(last);
    await store.close();
  } else {
    // Later steps are there already in this made-up database.
    await opening.then((store) => store.close()).catch(() => undefined);
  }
  const versions = await place.query('SELECT version FROM schema_versions WHERE version = 13');
  expect(versions).toEqual([[13n]]);
}, 300_000);

test('eight processes that start at once on an empty database make its schema once', async () => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => place.open()));
  expect(new Set(stores.map(({ schemaVersion }) => schemaVersion)).size).toBe(1);
  expect(await place.query('SELECT COUNT(*) FROM schema_versions')).toEqual([[BigInt(migrations.length)]]);
}, 300_000);

test.each([
  ['postgres://someone:hunter2hunter2@127.0.0.1:1/weirdata', ['127.0.0.1:1', 'database weirdata', 'user someone']],
  ['absent', ['database absent_database', 'does not exist']],
])('a start that cannot use PostgreSQL names server, database and setting: %s', async (given, words) => {
  const url = given === 'absent' ? new URL('/absent_database', place.databaseUrl).href : given;
  const error = await openStore({ databaseUrl: url, dataFolder: '', synchronous: 'normal', nowMs: Date.now }).catch(
    (fault: unknown) => fault,
  );
  expect(error).toBeInstanceOf(StoreUnavailableError);
  for (const word of [...words, 'DATABASE_URL']) expect(String(error)).toContain(word);
  expect(String(error)).not.toContain('hunter2');
});
