/**
 * Settings that act while Weir runs. Whoever holds a part of the configuration reads plain properties, as ever; the few that
 * may change are changed in place, here and nowhere else.
 */

import type { Config, Setting } from '../settings/config.ts';
import { type SettingKey, settingList } from '../settings/settings.ts';
import { shownValue } from './read-scalars.ts';

/** The parts of the configuration that hold a setting which may change. */
const sections = [
  'limits',
  'clocks',
  'routing',
  'ids',
  'contentStorage',
  'usage',
  'tokenDefaults',
  'priceTables',
  'tasks',
  'realtime',
  'sandbox',
  'home',
  'log',
] as const satisfies readonly (keyof Config)[];
type Section = (typeof sections)[number];
type Place = { readonly [Name in Section]: readonly [Name, keyof Config[Name]] }[Section];

/** Where each of them stands. What is absent here is read once at the start, by those who cannot do otherwise. */
const places = {
  'limits.concurrent_requests_max': ['limits', 'concurrentRequestsMax'],
  'limits.attempts_max': ['limits', 'attemptsMax'],
  'limits.read_on_attempts_max': ['limits', 'readOnAttemptsMax'],
  'clocks.head_timeout_ms': ['clocks', 'headTimeoutMs'],
  'clocks.idle_timeout_ms': ['clocks', 'idleTimeoutMs'],
  'clocks.total_timeout_ms': ['clocks', 'totalTimeoutMs'],
  'clocks.client_stall_timeout_ms': ['clocks', 'clientStallTimeoutMs'],
  'clocks.read_on_ms': ['clocks', 'readOnMs'],
  'clocks.head_hold_ms': ['clocks', 'headHoldMs'],
  'clocks.keep_alive_ms': ['clocks', 'keepAliveMs'],
  'clocks.patience_ms': ['clocks', 'patienceMs'],
  'clocks.attempts_timeout_ms': ['clocks', 'attemptsTimeoutMs'],
  'clocks.drain_ms': ['clocks', 'drainMs'],
  'routing.retry_percent_max': ['routing', 'retryPercentMax'],
  'routing.affinity_bytes_min': ['routing', 'affinityBytesMin'],
  'routing.cache_marks': ['routing', 'cacheMarks'],
  'content_storage.responses': ['contentStorage', 'responses'],
  'content_storage.response_days': ['contentStorage', 'responseDays'],
  'content_storage.replies_per_token_max': ['contentStorage', 'repliesPerTokenMax'],
  'content_storage.reply_bytes_per_token_max': ['contentStorage', 'replyBytesPerTokenMax'],
  'content_storage.reply_bytes_max': ['contentStorage', 'replyBytesMax'],
  'content_storage.requests': ['contentStorage', 'requests'],
  'content_storage.request_days': ['contentStorage', 'requestDays'],
  'content_storage.bytes_max': ['contentStorage', 'bytesMax'],
  'usage.retention_days': ['usage', 'retentionDays'],
  'ids.unknown': ['ids', 'unknown'],
  'ids.retention_days': ['ids', 'retentionDays'],
  'egress.mcp_hosts': ['ids', 'mcpHosts'],
  'price_tables.guesses': ['priceTables', 'guesses'],
  'tokens.rpm': ['tokenDefaults', 'rpm'],
  'tokens.tpm': ['tokenDefaults', 'tpm'],
  'tokens.concurrency': ['tokenDefaults', 'concurrency'],
  'tokens.models': ['tokenDefaults', 'models'],
  'tokens.expires_in_days': ['tokenDefaults', 'expiresInDays'],
  'tokens.budget_usd': ['tokenDefaults', 'budgetUsd'],
  'tokens.budget_period': ['tokenDefaults', 'budgetPeriod'],
  'tokens.per_person_max': ['tokenDefaults', 'perPersonMax'],
  'tasks.deadline_ms': ['tasks', 'deadlineMs'],
  'tasks.open_per_token_max': ['tasks', 'openPerTokenMax'],
  'tasks.result_lifetime_ms': ['tasks', 'resultLifetimeMs'],
  'realtime.idle_ms': ['realtime', 'idleMs'],
  'realtime.total_ms': ['realtime', 'totalMs'],
  'realtime.client_secrets_per_token_max': ['realtime', 'clientSecretsPerTokenMax'],
  'realtime.client_secrets_max': ['realtime', 'clientSecretsMax'],
  'sandbox.pace_ms': ['sandbox', 'paceMs'],
  'home.shown': ['home', 'shown'],
  'home.title': ['home', 'title'],
  'home.text': ['home', 'text'],
  'log.level': ['log', 'level'],
} as const satisfies Partial<Record<SettingKey, Place>>;

export type LiveKey = keyof typeof places;
export const liveKeys = Object.keys(places) as readonly LiveKey[];

export interface LiveSetting extends Omit<Setting, 'origin'> {
  readonly key: SettingKey;
  readonly origin: Setting['origin'] | 'console';
  readonly row: (typeof settingList)[number];
  /** `locked`: it could act at once, but file or environment say it. `start`: it acts at the next start. */
  readonly change: 'live' | 'start' | 'locked';
}

export interface LiveSettings {
  /** For ever the same object; its live parts are always those that count now. */
  readonly config: Config;
  list(): readonly LiveSetting[];
  find(key: string): LiveSetting | undefined;
  /** Everything that the console says; what it does not name is as file, environment or default have it. */
  take(said: ReadonlyMap<string, unknown>): void;
}

type Mutable = Record<string, Record<string, unknown>>;

export function createLiveSettings(given: Config): LiveSettings {
  // What is read from the sources is frozen; these parts of it are copies, so that only this file can change them.
  const live = Object.fromEntries(sections.map((name) => [name, { ...given[name] }])) as unknown as Mutable;
  const config = { ...given, ...(live as unknown as Pick<Config, Section>) };
  let said: ReadonlyMap<string, unknown> = new Map();

  const settingOf = (row: (typeof settingList)[number], read: Setting | undefined): LiveSetting => {
    const origin = read?.origin ?? 'default';
    const isConsoles = isLive(row.key) && origin === 'default' && said.has(row.key);
    return {
      key: row.key,
      variable: row.variable,
      row,
      ...(isConsoles ? shownValue(row, said.get(row.key)) : shownOf(read)),
      origin: isConsoles ? 'console' : origin,
      change: isLive(row.key) ? (origin === 'default' ? 'live' : 'locked') : 'start',
    };
  };
  const readBy = new Map(given.settings.map((setting) => [setting.key, setting]));
  const find = (key: string): LiveSetting | undefined => {
    const row = settingList.find((each) => each.key === key);
    return row && settingOf(row, readBy.get(key));
  };
  return {
    config,
    list: () => settingList.map((row) => settingOf(row, readBy.get(row.key))),
    find,
    take(values) {
      said = checked(values);
      for (const key of liveKeys) {
        const [section, property] = places[key];
        const original = (given[section] as unknown as Record<string, unknown>)[property];
        const isOpen = (readBy.get(key)?.origin ?? 'default') === 'default';
        const part = live[section];
        if (part !== undefined) part[property] = isOpen && said.has(key) ? said.get(key) : original;
      }
    },
  };
}

export function isLive(key: string): key is LiveKey {
  return Object.hasOwn(places, key);
}

const shownOf = (read: Setting | undefined): Pick<Setting, 'shown' | 'value'> => ({
  shown: read?.shown ?? '',
  ...(read?.value !== undefined && { value: read.value }),
});

/** A value that another version of Weir wrote and this one does not allow counts as not said. */
function checked(values: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const good = new Map<string, unknown>();
  for (const row of settingList) {
    if (!isLive(row.key) || !values.has(row.key)) continue;
    const result = row.kind.schema.safeParse(values.get(row.key));
    if (result.success) good.set(row.key, result.data);
  }
  return good;
}
