/** What differs between two configurations, by name and never by value. */

import type { Config } from '../settings/config.ts';
import { type SettingEntry, settingList } from '../settings/settings.ts';

interface ConfigChanges {
  /** Acts at once: names of entries by section (`providers a, b`), and keys of live settings. */
  readonly live: readonly string[];
  /** Keys of settings that are read at start only. */
  readonly atStart: readonly string[];
}

export function changesOf(before: Config, after: Config): ConfigChanges {
  const changed = settingList.filter((row) => isChanged(row, before, after));
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['providers', changedNames(before.providers, after.providers, ({ name }) => name)],
    ['models', changedNames(before.models, after.models, ({ alias }) => alias)],
    ['prices', changedNames(before.prices, after.prices, ({ pattern }) => pattern)],
  ];
  const keysOf = (live: boolean): string[] =>
    changed.filter((row) => (row.live === true) === live).map(({ key }) => key);
  return {
    live: [
      ...sections.flatMap(([section, names]) => (names.length === 0 ? [] : `${section} ${names.join(', ')}`)),
      ...keysOf(true),
    ],
    atStart: [...keysOf(false), ...listsChanged(before, after)],
  };
}

/** Lists of the file that are read at start. */
const listsAtStart: readonly (readonly [key: string, listOf: (config: Config) => readonly unknown[]])[] = [
  ['sign_in.issuers', ({ signIn }) => signIn.issuers],
  ['jwt.issuers', ({ jwt }) => jwt.issuers],
  ['scim.rules', ({ scim }) => scim.rules],
];

const listsChanged = (before: Config, after: Config): readonly string[] =>
  listsAtStart.flatMap(([key, listOf]) => (Bun.deepEquals(listOf(before), listOf(after)) ? [] : [key]));

/** What is shown leaves secrets out, and what is held may have another shape than the row. */
function isChanged({ key, path }: SettingEntry, before: Config, after: Config): boolean {
  const shownIn = ({ settings }: Config): string | undefined => settings.find((setting) => setting.key === key)?.shown;
  return shownIn(before) !== shownIn(after) || textAt(before, path) !== textAt(after, path);
}

function textAt(config: Config, path: readonly string[]): string | undefined {
  let value: unknown = config;
  for (const part of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  return JSON.stringify(value);
}

/** Added, removed or changed. */
function changedNames<Entry>(
  before: readonly Entry[],
  after: readonly Entry[],
  nameOf: (entry: Entry) => string,
): readonly string[] {
  const texts = (entries: readonly Entry[]) => new Map(entries.map((entry) => [nameOf(entry), JSON.stringify(entry)]));
  const [old, fresh] = [texts(before), texts(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name));
}
