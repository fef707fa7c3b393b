/** The tables `alert_channels` and `alert_rules`. */

import { read, single, transaction } from '../sql/query.ts';
import { type Steps, statement, step } from '../sql/statement.ts';
import { flag, json, name, optional, table, text, textOf, time } from '../sql/table.ts';
import type { ChannelKind, ChannelRecord, ChannelSettings, RuleRecord, RuleTerms } from './alert-records.ts';

const channels = table('alert_channels', {
  id: text,
  kind: textOf<ChannelKind>(),
  name,
  settings: json<ChannelSettings>(),
  sealed: optional(text),
  disabled: flag,
  createdAtMs: time,
  updatedAtMs: time,
});

const rules = table('alert_rules', {
  id: text,
  name,
  terms: json<RuleTerms>(),
  disabled: flag,
  createdAtMs: time,
  updatedAtMs: time,
});

const allChannels = statement(`SELECT ${channels.list} FROM alert_channels ORDER BY created_at_ms, id LIMIT $1`);
const putOne = statement(channels.upsert('id'));
const removeOne = statement('DELETE FROM alert_channels WHERE id = $1 RETURNING id');
const allRules = statement(`SELECT ${rules.list} FROM alert_rules ORDER BY created_at_ms, id LIMIT $1`);
const putRule = statement(rules.upsert('id'));
const removeRule = statement('DELETE FROM alert_rules WHERE id = $1 RETURNING id');

export const alertChannels = read(function* (limit: number): Steps<readonly ChannelRecord[]> {
  return (yield step(allChannels, limit)).map((row) => channels.read(row));
});

export const putAlertChannel = single(function* (channel: ChannelRecord): Steps<null> {
  yield step(putOne, ...channels.values(channel));
  return null;
});

export const removeAlertChannel = single(function* (id: string): Steps<boolean> {
  return (yield step(removeOne, id)).length > 0;
});

export const alertRules = read(function* (limit: number): Steps<readonly RuleRecord[]> {
  return (yield step(allRules, limit)).map((row) => rules.read(row));
});

export const putAlertRule = transaction(function* (rule: RuleRecord): Steps<null> {
  yield step(putRule, ...rules.values(rule));
  return null;
});

export const removeAlertRule = single(function* (id: string): Steps<boolean> {
  return (yield step(removeRule, id)).length > 0;
});
