/** The tables `alerts` and `alert_deliveries`: raising and resolving decide in one transaction what is sent. */

import type { PageRequest } from '../sql/pages.ts';
import { longRead, read, single, transaction } from '../sql/query.ts';
import { removal } from '../sql/removal.ts';
import {
  asNumber,
  asText,
  type SqlValue,
  type Step,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { freeText, integer, json, name, optional, table, text, textOf, time } from '../sql/table.ts';
import { claimTurnSql } from '../sql/turn.ts';
import type {
  AlertFacts,
  AlertKey,
  AlertKind,
  AlertRecord,
  AlertState,
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryState,
  NewAlert,
  NewDelivery,
  Notice,
  Severity,
} from './alert-records.ts';

const alerts = table('alerts', {
  id: text,
  kind: textOf<AlertKind>(),
  subject: name,
  occurrence: name,
  threshold: text,
  subjectName: name,
  severity: textOf<Severity>(),
  title: freeText,
  detail: freeText,
  facts: json<AlertFacts>(),
  state: textOf<AlertState>(),
  raisedAtMs: time,
  seenAtMs: time,
  resolvedAtMs: optional(integer),
});

const deliveries = table('alert_deliveries', {
  id: text,
  alertId: text,
  channelId: text,
  ruleId: text,
  notice: textOf<Notice>(),
  sequence: integer,
  batch: text,
  state: textOf<DeliveryState>(),
  tries: integer,
  dueAtMs: time,
  createdAtMs: time,
  endedAtMs: optional(integer),
  lastError: optional(freeText),
});

const claimTurn = statement(claimTurnSql('alert_turns'));

/** True for one of several replicas at a time; where it dies, the next one claims. */
export const claimAlertTurn = single(function* (nowMs: number, nextMs: number): Steps<boolean> {
  return (yield step(claimTurn, nowMs, nextMs)).length > 0;
});

const insert = statement(`${alerts.insert} ON CONFLICT (kind, subject, occurrence, threshold) DO NOTHING RETURNING id`);
const byKey = statement(
  `SELECT ${alerts.list} FROM alerts WHERE kind = $1 AND subject = $2 AND occurrence = $3 AND threshold = $4`,
);
const touch = statement('UPDATE alerts SET seen_at_ms = $2 WHERE id = $1');
const insertDelivery = statement(
  `${deliveries.insert} ON CONFLICT (alert_id, channel_id, notice, sequence) DO NOTHING`,
);

function deliveryStep(
  alertId: string,
  notice: Notice,
  sequence: number,
  { channelId, ruleId, dueAtMs, batch }: NewDelivery,
  atMs: number,
): Step {
  const id = `${alertId}.${channelId}.${notice}.${sequence}`;
  const row = { id, alertId, channelId, ruleId, notice, sequence, batch: batch ?? id, dueAtMs, createdAtMs: atMs };
  return step(insertDelivery, ...deliveries.values({ ...row, state: 'pending', tries: 0 }));
}

const keyValues = ({ kind, subject, occurrence, threshold }: AlertKey): [string, SqlValue, SqlValue, string] => [
  kind,
  name.bind(subject),
  name.bind(occurrence),
  threshold,
];

/** Of those that were raised before. */
export const knownAlerts = read(function* (keys: readonly AlertKey[]): Steps<readonly AlertRecord[]> {
  const found: AlertRecord[] = [];
  for (const key of keys) {
    const row = (yield step(byKey, ...keyValues(key)))[0];
    if (row !== undefined) found.push(alerts.read(row));
  }
  return found;
});

/** True for the one replica that raised it. One that was raised before is repeated where that is due. */
export const raiseAlert = transaction(function* (
  id: string,
  alert: NewAlert,
  to: readonly NewDelivery[],
  atMs: number,
): Steps<boolean> {
  const made = yield step(insert, ...alerts.values({ ...alert, id, raisedAtMs: atMs, seenAtMs: atMs }));
  if (made.length > 0) {
    for (const delivery of to) yield deliveryStep(id, 'raised', 0, delivery, atMs);
    return true;
  }
  const row = (yield step(byKey, ...keyValues(alert)))[0];
  if (row === undefined) return false;
  const known = alerts.read(row);
  yield step(touch, known.id, atMs);
  for (const delivery of to) {
    const sequence = repetitionOf(known, delivery, atMs);
    if (sequence > 0) yield deliveryStep(known.id, 'repeated', sequence, delivery, atMs);
  }
  return false;
});

/** The same number for every replica that asks within one interval; 0 where there is nothing to repeat. */
export function repetitionOf({ raisedAtMs }: AlertRecord, { repeatMs }: NewDelivery, atMs: number): number {
  return repeatMs === undefined ? 0 : Math.max(0, Math.floor((atMs - raisedAtMs) / repeatMs));
}

const openOfKinds = statement(`SELECT ${alerts.list} FROM alerts WHERE state = 'open' ORDER BY kind, subject LIMIT $1`);
/** Its key is free again: the next time is another occurrence. */
const resolve = statement(
  `UPDATE alerts SET state = 'resolved', occurrence = id, resolved_at_ms = $2, seen_at_ms = $2
   WHERE id = $1 AND state = 'open' RETURNING id`,
);

export const openAlerts = read(function* (limit: number): Steps<readonly AlertRecord[]> {
  return (yield step(openOfKinds, limit)).map((row) => alerts.read(row));
});

/** True for the one replica that resolved it. */
export const resolveAlert = transaction(function* (
  id: string,
  to: readonly NewDelivery[],
  atMs: number,
): Steps<boolean> {
  if ((yield step(resolve, id, atMs)).length === 0) return false;
  for (const delivery of to) yield deliveryStep(id, 'resolved', 0, delivery, atMs);
  return true;
});

const ofAlert = statement(
  `SELECT ${deliveries.list} FROM alert_deliveries WHERE alert_id = $1 ORDER BY created_at_ms, id LIMIT $2`,
);

export const deliveriesOfAlerts = read(function* (
  ids: readonly string[],
  limit: number,
): Steps<readonly DeliveryRecord[]> {
  const found: DeliveryRecord[] = [];
  for (const id of ids) found.push(...(yield step(ofAlert, id, limit)).map((row) => deliveries.read(row)));
  return found;
});

/** Keyed by the text itself: there are only as many as there are sets of filters. */
const byText = statementsBy((sql: string) => sql);

export interface AlertFilter {
  readonly kind?: AlertKind | undefined;
  readonly state?: AlertState | undefined;
}

export const listAlerts = longRead(function* (
  { kind, state }: AlertFilter,
  { limit, after }: PageRequest,
): Steps<readonly AlertRecord[]> {
  const where: string[] = [];
  const values: SqlValue[] = [limit];
  const place = (value: SqlValue): string => `$${values.push(value)}`;
  if (kind !== undefined) where.push(`kind = ${place(kind)}`);
  if (state !== undefined) where.push(`state = ${place(state)}`);
  if (after !== undefined) where.push(`(raised_at_ms, id) < (${place(after.atMs)}, ${place(after.id)})`);
  const clause = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${alerts.list} FROM alerts ${clause} ORDER BY raised_at_ms DESC, id DESC LIMIT $1`;
  return (yield { statement: byText(sql), values }).map((row) => alerts.read(row));
});

/** The outer condition is checked again after a wait for another replica, so two never take the same batch. */
const claim = statement(
  `UPDATE alert_deliveries SET due_at_ms = $2, tries = tries + 1
   WHERE state = 'pending' AND due_at_ms <= $1 AND batch IN (
     SELECT batch FROM alert_deliveries WHERE state = 'pending' AND due_at_ms <= $1
     GROUP BY batch ORDER BY MIN(due_at_ms), batch LIMIT $3)
   RETURNING ${deliveries.list}`,
);
const byId = statement(`SELECT ${alerts.list} FROM alerts WHERE id = $1`);

/** A try counts from its beginning: a message that ends its sender is given up like any other. */
export const claimDeliveries = transaction(function* (
  nowMs: number,
  leaseEndMs: number,
  batchesMax: number,
): Steps<readonly ClaimedDelivery[]> {
  const taken = (yield step(claim, nowMs, leaseEndMs, batchesMax)).map((row) => deliveries.read(row));
  const found: ClaimedDelivery[] = [];
  for (const delivery of taken.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const row = (yield step(byId, delivery.alertId))[0];
    if (row !== undefined) found.push({ delivery, alert: alerts.read(row) });
  }
  return found;
});

const end = statement(
  `UPDATE alert_deliveries SET state = $3, due_at_ms = $4, last_error = $5, ended_at_ms = $6
   WHERE batch = $1 AND tries = $2 AND state = 'pending'`,
);

/** What came of a try. Nothing changes where another replica has begun a later one. */
export const endTry = single(function* (
  batch: string,
  tries: number,
  outcome: {
    readonly state: DeliveryState;
    readonly dueAtMs: number;
    readonly error: string | null;
    readonly endedAtMs: number | null;
  },
): Steps<null> {
  const error = outcome.error === null ? null : freeText.bind(outcome.error);
  yield step(end, batch, tries, outcome.state, outcome.dueAtMs, error, outcome.endedAtMs);
  return null;
});

const lastOfChannels = statement(
  `SELECT ${deliveries.listOf('d')} FROM alert_deliveries AS d
   JOIN (SELECT channel_id, MAX(created_at_ms) AS latest FROM alert_deliveries WHERE tries > 0 GROUP BY channel_id) AS l
     ON l.channel_id = d.channel_id AND l.latest = d.created_at_ms
   WHERE d.tries > 0 ORDER BY d.channel_id, d.id LIMIT $1`,
);

/** Of each channel, the newest that was tried. */
export const lastDeliveries = longRead(function* (limit: number): Steps<readonly DeliveryRecord[]> {
  return (yield step(lastOfChannels, limit)).map((row) => deliveries.read(row));
});

const nthNewest = statement('SELECT raised_at_ms FROM alerts ORDER BY raised_at_ms DESC, id DESC LIMIT 1 OFFSET $1');

/** 0 where there are not so many. */
export const raisedAtOfNth = read(function* (index: number): Steps<number> {
  return asNumber((yield step(nthNewest, index))[0]?.[0]);
});

export const removeAlerts = removal('alerts', 'id', 'raised_at_ms', '<');
export const removeDeliveries = removal('alert_deliveries', 'id', 'created_at_ms', '<');

const pendingTo = statement(
  `UPDATE alert_deliveries SET state = 'failed', last_error = $2, ended_at_ms = $3
   WHERE channel_id = $1 AND state = 'pending' RETURNING id`,
);

/** Its channel is gone. */
export const dropDeliveries = single(function* (channelId: string, reason: string, atMs: number): Steps<number> {
  return (yield step(pendingTo, channelId, reason, atMs)).map((row) => asText(row[0])).length;
});
