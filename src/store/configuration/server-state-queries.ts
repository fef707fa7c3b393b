/** What a server stores between starts: the tables `settings`, `provider_models` and `instances`. */

import type { SeenInstance } from '../../ledger/ledger-store.ts';
import { read, single, transaction } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, step } from '../sql/statement.ts';
import { integer, type RowIn, table, text } from '../sql/table.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

const settings = table('settings', { key: text, value: text });

const getValue = statement('SELECT value FROM settings WHERE key = $1');
const addValue = statement(`${settings.insert} ON CONFLICT (key) DO NOTHING`);
const putValue = statement(settings.upsert('key'));

export const getSetting = read(function* (key: string): Steps<string | null> {
  const row = (yield step(getValue, key))[0];
  return row === undefined ? null : asText(row[0]);
});

/** Returns the value that is there afterwards: of several processes that start at once, the first one's. */
export const putSettingIfAbsent = transaction(function* (key: string, value: string): Steps<string> {
  yield step(addValue, key, value);
  return asText((yield step(getValue, key))[0]?.[0]);
});

export const putSetting = transaction(function* (key: string, value: string): Steps<null> {
  yield step(putValue, key, value);
  yield* bumpRevision();
  return null;
});

const modelLists = table('provider_models', { provider: text, models: text, fetchedAtMs: integer });
type ModelListRow = RowIn<typeof modelLists>;

const getModels = statement(`SELECT ${modelLists.list} FROM provider_models WHERE provider = $1`);
const putModels = statement(modelLists.upsert('provider'));

export const getProviderModels = read(function* (provider: string): Steps<ModelListRow | null> {
  const row = (yield step(getModels, provider))[0];
  return row === undefined ? null : modelLists.read(row);
});

export const putProviderModels = single(function* (row: ModelListRow): Steps<null> {
  yield step(putModels, ...modelLists.values(row));
  return null;
});

const instances = table('instances', { id: text, pid: integer, startedAtMs: integer, heartbeatMs: integer });
type InstanceRow = RowIn<typeof instances>;

const beat = statement(`${instances.insert} ON CONFLICT (id) DO UPDATE SET heartbeat_ms = excluded.heartbeat_ms`);
const others = statement(`SELECT ${instances.list} FROM instances WHERE id <> $1 ORDER BY id`);
const removeInstance = statement('DELETE FROM instances WHERE id = $1');

/** Also restores an instance that others considered dead. */
export const beatInstance = single(function* (instance: InstanceRow): Steps<null> {
  yield step(beat, ...instances.values(instance));
  return null;
});

const touch = statement('UPDATE instances SET heartbeat_ms = $2 WHERE id = $1');

/** For an instance whose process lives, and may stand still. One that signed off stays away. */
export const touchInstance = single(function* (id: string, atMs: number): Steps<null> {
  yield step(touch, id, atMs);
  return null;
});

export const otherInstances = read(function* (id: string): Steps<readonly InstanceRow[]> {
  return (yield step(others, id)).map((row) => instances.read(row));
});

/**
 * Attempts of tasks belong to no process, so no process's death ends them. Processes with open attempts are found one
 * after another in the index: reading all open attempts would cost each replica more, the more requests the fleet has.
 */
const seen = statement(
  `WITH RECURSIVE holders(id) AS (
     SELECT MIN(instance_id) FROM attempt_rows WHERE state = 'dispatched' AND instance_id > ''
     UNION ALL
     SELECT (SELECT MIN(a.instance_id) FROM attempt_rows a WHERE a.state = 'dispatched' AND a.instance_id > h.id)
     FROM holders h WHERE h.id IS NOT NULL
   )
   SELECT id, MAX(heartbeat_ms), MAX(held) FROM (
     SELECT id, heartbeat_ms, 0 AS held FROM instances
     UNION ALL SELECT id, -1, 1 FROM holders WHERE id IS NOT NULL
     UNION ALL SELECT DISTINCT instance_id, -1, 1 FROM idempotency WHERE state = 'running' AND instance_id <> ''
   ) AS signs GROUP BY id ORDER BY id`,
);

/** One statement: every replica asks it every few seconds. */
export const seenInstances = read(function* (): Steps<readonly SeenInstance[]> {
  return (yield step(seen)).map(([id, heartbeatMs, held]) => ({
    id: asText(id),
    heartbeatMs: asNumber(heartbeatMs),
    holds: asNumber(held) === 1,
  }));
}, 'after-journal');

export const forgetInstance = single(function* (id: string): Steps<null> {
  yield step(removeInstance, id);
  return null;
}, 'after-journal');

const one = statement('SELECT 1');

export const ping = read(function* (): Steps<null> {
  yield step(one);
  return null;
});
