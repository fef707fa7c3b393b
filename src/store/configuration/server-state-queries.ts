/** What a server remembers between starts: settings, providers' model lists, living instances. */

import { asNumber, asText, type Operation, statement, step } from '../sql/statement.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

const getValue = statement('SELECT value FROM settings WHERE key = $1');
const addValue = statement('INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING');
const putValue = statement(
  'INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
);

export function* getSetting(key: string): Operation<string | null> {
  const row = (yield step(getValue, key))[0];
  return row === undefined ? null : asText(row[0]);
}

/** Returns the value that stands afterwards: of several processes that start at once, the first one's. */
export function* putSettingIfAbsent(key: string, value: string): Operation<string> {
  yield step(addValue, key, value);
  return asText((yield step(getValue, key))[0]?.[0]);
}

export function* putSetting(key: string, value: string): Operation<null> {
  yield step(putValue, key, value);
  yield* bumpRevision();
  return null;
}

const getModels = statement('SELECT models, fetched_at_ms FROM provider_models WHERE provider = $1');
const putModels = statement(
  `INSERT INTO provider_models (provider, models, fetched_at_ms) VALUES ($1, $2, $3)
   ON CONFLICT (provider) DO UPDATE SET models = excluded.models, fetched_at_ms = excluded.fetched_at_ms`,
);

export function* getProviderModels(provider: string): Operation<readonly [models: string, fetchedAtMs: number] | null> {
  const row = (yield step(getModels, provider))[0];
  return row === undefined ? null : [asText(row[0]), asNumber(row[1])];
}

export function* putProviderModels(provider: string, models: string, fetchedAtMs: number): Operation<null> {
  yield step(putModels, provider, models, fetchedAtMs);
  return null;
}

const beat = statement(
  `INSERT INTO instances (id, pid, started_at_ms, heartbeat_ms) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id) DO UPDATE SET heartbeat_ms = excluded.heartbeat_ms`,
);
const others = statement('SELECT id, pid, started_at_ms, heartbeat_ms FROM instances WHERE id <> $1 ORDER BY id');
const removeInstance = statement('DELETE FROM instances WHERE id = $1');

export type InstanceCells = readonly [id: string, pid: number, startedAtMs: number, heartbeatMs: number];

/** Also brings back an instance that others took for dead. */
export function* beatInstance(id: string, pid: number, startedAtMs: number, nowMs: number): Operation<null> {
  yield step(beat, id, pid, startedAtMs, nowMs);
  return null;
}

export function* otherInstances(id: string): Operation<readonly InstanceCells[]> {
  const rows = yield step(others, id);
  return rows.map((row): InstanceCells => [asText(row[0]), asNumber(row[1]), asNumber(row[2]), asNumber(row[3])]);
}

export function* forgetInstance(id: string): Operation<null> {
  yield step(removeInstance, id);
  return null;
}

const one = statement('SELECT 1');

export function* ping(): Operation<null> {
  yield step(one);
  return null;
}
