/** The store's methods for the console's configuration. */

import type { Driver } from '../sql/driver.ts';
import type { ConfigurationStore } from './configuration-store.ts';
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
      const { revision, entries, keys } = await driver.run(readConfiguration);
      return {
        revision,
        entries: entries.map((entry) => ({ ...entry, sealed: entry.sealed })),
        keys: keys.map((key) => ({ ...key, ending: key.ending })),
      };
    },
    addProvider: (row) => driver.run(addProviderEntry, row),
    changeProvider: (change) => driver.run(changeProviderEntry, change),
    async put(row) {
      await driver.run(putEntry, row);
    },
    remove: (section, name) => driver.run(removeEntry, section, name),
  };
}
