/** The store's methods for the console's configuration: types in, cells down, types back. */

import type { Driver } from '../sql/driver.ts';
import type { ConfigurationStore, EntryRow, EntrySection, SealedKey, SealedKeyRow } from './configuration-store.ts';
import type { EntryCells, NewKeyCells, SealedKeyCells } from './console-entry-queries.ts';
import {
  addProviderEntry,
  changeProviderEntry,
  configurationRevision,
  putEntry,
  readConfiguration,
  removeEntry,
} from './console-entry-queries.ts';

export function configurationStore(driver: Driver): ConfigurationStore {
  return {
    revision: () => driver.run(configurationRevision),
    async read() {
      const [revision, entries, keys] = await driver.run(readConfiguration);
      return { revision, entries: entries.map(entryRow), keys: keys.map(keyRow) };
    },
    addProvider({ name, entry, sealed, keys, atMs, by }) {
      return driver.run(addProviderEntry, name, entry, sealed ?? null, keys.map(newKey), Math.round(atMs), by);
    },
    changeProvider({ name, entry, draining, addKeys, removeKeys, atMs, by }) {
      const cells = entry === undefined ? null : ([entry.text, entry.sealed ?? null] as const);
      const drains = draining === undefined ? null : Number(draining);
      const added = addKeys.map(newKey);
      return driver.run(changeProviderEntry, name, cells, drains, added, removeKeys, Math.round(atMs), by);
    },
    async put({ section, name, entry, atMs, by }) {
      await driver.run(putEntry, section, name, entry, Math.round(atMs), by);
    },
    remove: (section, name) => driver.run(removeEntry, section, name),
  };
}

const newKey = ({ keyId, sealed, ending }: SealedKey): NewKeyCells => [keyId, sealed, ending ?? null];

function entryRow(cells: EntryCells): EntryRow {
  const [section, name, entry, sealed, draining, createdAtMs, updatedAtMs, updatedBy] = cells;
  return {
    // Only this Weir's own words are written there.
    section: section as EntrySection,
    name,
    entry,
    sealed: sealed ?? undefined,
    draining: draining !== 0,
    createdAtMs,
    updatedAtMs,
    updatedBy,
  };
}

function keyRow([provider, keyId, sealed, ending, createdAtMs]: SealedKeyCells): SealedKeyRow {
  return { provider, keyId, sealed, ending: ending ?? undefined, createdAtMs };
}
