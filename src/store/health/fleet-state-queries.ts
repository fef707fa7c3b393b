/** The state that replicas share, in the database. Every change bumps the revision that other processes look at. */

import type { FleetChanges, FleetEntry, FleetReading } from '../../routing/fleet/fleet-state.ts';
import { fleetEntriesMax } from '../../routing/fleet/fleet-state.ts';
import { read, transaction } from '../sql/query.ts';
import { asNumber, asText, type Steps, statement, step } from '../sql/statement.ts';
import { integer, selection, text } from '../sql/table.ts';

const entries = selection({
  key: ['name', text],
  value: ['value', text],
  leftMs: ['ends_at_ms - (SELECT now_ms FROM database_clock) AS left_ms', integer],
});

const readRevision = statement('SELECT value FROM revisions WHERE id = 4');
/** First in its transaction: of two replicas that write, one waits for the other. */
const bump = statement('UPDATE revisions SET value = value + 1 WHERE id = 4 RETURNING value');
const readEntries = statement(
  `SELECT ${entries.list} FROM fleet_state WHERE ends_at_ms > (SELECT now_ms FROM database_clock) ORDER BY name`,
);
const removeEnded = statement('DELETE FROM fleet_state WHERE ends_at_ms <= (SELECT now_ms FROM database_clock)');
const remove = statement("DELETE FROM fleet_state WHERE name = $1 AND ($2 = '' OR value = $2)");
const count = statement('SELECT COUNT(*) FROM fleet_state');
const insert = `INSERT INTO fleet_state (name, value, ends_at_ms)
   VALUES ($1, $2, (SELECT now_ms FROM database_clock) + $3)`;
const put = statement(
  `${insert} ON CONFLICT (name) DO UPDATE SET value = excluded.value,
     ends_at_ms = CASE WHEN excluded.ends_at_ms > fleet_state.ends_at_ms THEN excluded.ends_at_ms
       ELSE fleet_state.ends_at_ms END`,
);
const claim = statement(
  `${insert} ON CONFLICT (name) DO UPDATE SET ends_at_ms = excluded.ends_at_ms
   WHERE fleet_state.value = excluded.value RETURNING name`,
);

export const fleetStateRevision = read(function* (): Steps<number> {
  return asNumber((yield step(readRevision))[0]?.[0]);
});

function* allEntries(): Steps<readonly FleetEntry[]> {
  return (yield step(readEntries)).map((row) => entries.read(row));
}

/** The revision first: a change during the reads is seen by the next read. */
export const readFleetState = read(function* (): Steps<FleetReading> {
  const revision = yield* fleetStateRevision.steps();
  return { revision: String(revision), claimed: [], entries: yield* allEntries() };
});

export const changeFleetState = transaction(function* (changes: FleetChanges): Steps<FleetReading> {
  const revision = asText((yield step(bump))[0]?.[0]);
  yield step(removeEnded);
  for (const { key, value } of changes.remove) yield step(remove, key, value ?? '');
  let room = changes.put.length === 0 ? 0 : fleetEntriesMax - asNumber((yield step(count))[0]?.[0]);
  for (const { key, value, leftMs } of changes.put) if (room-- > 0) yield step(put, key, value, Math.ceil(leftMs));
  const claimed: string[] = [];
  for (const { key, value, leftMs } of changes.claim)
    if ((yield step(claim, key, value, Math.ceil(leftMs))).length > 0) claimed.push(key);
  return { revision, claimed, entries: yield* allEntries() };
});
