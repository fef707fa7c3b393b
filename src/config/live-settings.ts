/**
 * Settings that act while Weir runs. Readers of the configuration see plain properties; the few that
 * may change are changed in place, here and nowhere else.
 */

import type { Config, Setting } from '../settings/config.ts';
import { type SettingEntry, type SettingKey, settingList } from '../settings/settings.ts';
import { shownValue } from './readers/read-scalars.ts';

const liveRows = settingList.filter((row) => row.live === true);
export const liveKeys: readonly SettingKey[] = liveRows.map(({ key }) => key);
const liveKeySet: ReadonlySet<string> = new Set(liveKeys);

export interface LiveSetting extends Omit<Setting, 'origin'> {
  readonly key: SettingKey;
  readonly origin: Setting['origin'] | 'console';
  readonly row: SettingEntry;
  /**
   * `locked`: it could take effect at once, but is set by file or environment. `start`: it takes effect
   * at the next start.
   */
  readonly change: 'live' | 'start' | 'locked';
  /** The variable of the secret that is sent there, where that locks it. */
  readonly lockedBy?: string;
}

export interface LiveSettings {
  /** Always the same object; its live parts have the values in effect. */
  readonly config: Config;
  list(): readonly LiveSetting[];
  find(key: string): LiveSetting | undefined;
  /** All values set in the console; the others are those of file, environment or default. */
  take(said: ReadonlyMap<string, unknown>): void;
  /** The file was read again: its live settings act from now on; the others stay what they were at start. */
  takeGiven(given: Config): void;
}

type Mutable = Record<string, Record<string, unknown>>;

export function createLiveSettings(given: Config): LiveSettings {
  // What is read from the sources is frozen; these parts of it are copies, so that only this file can change them.
  const sections = given as unknown as Mutable;
  const names = new Set(liveRows.map(({ path: [section = ''] }) => section));
  const live: Mutable = Object.fromEntries([...names].map((name) => [name, { ...sections[name] }]));
  const config = { ...given, ...live };
  let said: ReadonlyMap<string, unknown> = new Map();

  const readBy = new Map(given.settings.map((setting) => [setting.key, setting]));
  const isGiven = (key: SettingKey): boolean => (readBy.get(key)?.origin ?? 'default') !== 'default';
  const secretSentTo = (key: SettingKey) =>
    settingList.find((row) => row.sentTo?.includes(key) === true && isGiven(row.key));
  const isOpen = (key: SettingKey): boolean => liveKeySet.has(key) && !isGiven(key) && secretSentTo(key) === undefined;

  const settingOf = (row: SettingEntry, read: Setting | undefined): LiveSetting => {
    const origin = read?.origin ?? 'default';
    const isConsoles = isOpen(row.key) && said.has(row.key);
    const lockedBy = liveKeySet.has(row.key) && origin === 'default' ? secretSentTo(row.key)?.variable : undefined;
    return {
      key: row.key,
      variable: row.variable,
      row,
      ...(isConsoles ? shownValue(row, said.get(row.key)) : shownOf(read)),
      origin: isConsoles ? 'console' : origin,
      change: liveKeySet.has(row.key) ? (isOpen(row.key) ? 'live' : 'locked') : 'start',
      ...(lockedBy !== undefined && { lockedBy }),
    };
  };
  let current = sections;
  const apply = (): void => {
    for (const { key, path } of liveRows) {
      const [section = '', property = ''] = path;
      const part = live[section];
      if (part !== undefined)
        part[property] = isOpen(key) && said.has(key) ? said.get(key) : current[section]?.[property];
    }
  };
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
      apply();
    },
    takeGiven(next) {
      for (const setting of next.settings) if (liveKeySet.has(setting.key)) readBy.set(setting.key, setting);
      current = next as unknown as Mutable;
      apply();
    },
  };
}

const shownOf = (read: Setting | undefined): Pick<Setting, 'shown' | 'value'> => ({
  shown: read?.shown ?? '',
  ...(read?.value !== undefined && { value: read.value }),
});

/** A value that another version of Weir wrote and this one does not allow counts as not set. */
function checked(values: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const good = new Map<string, unknown>();
  for (const row of settingList) {
    if (!liveKeySet.has(row.key) || !values.has(row.key)) continue;
    const result = row.kind.schema.safeParse(values.get(row.key));
    if (result.success) good.set(row.key, result.data);
  }
  return good;
}
