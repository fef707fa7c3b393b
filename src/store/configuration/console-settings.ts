/** The settings that were changed in the console, as the store keeps them, each a JSON value under its key. */

import type { Driver } from '../sql/driver.ts';
import { changeConsoleSettings, consoleSettings } from './console-setting-queries.ts';

export interface ConsoleSettingStore {
  all(): Promise<ReadonlyMap<string, unknown>>;
  /** All or none; undefined removes a value. The store's revision grows, so that every replica reads it again. */
  change(values: ReadonlyMap<string, unknown>): Promise<void>;
}

export function consoleSettingStore(driver: Driver): ConsoleSettingStore {
  return {
    async all() {
      const rows = await driver.run(consoleSettings);
      return new Map(rows.map(([key, value]) => [key, JSON.parse(value) as unknown]));
    },
    async change(values) {
      const cells = Array.from(
        values,
        ([key, value]) => [key, value === undefined ? null : JSON.stringify(value)] as const,
      );
      await driver.run(changeConsoleSettings, cells);
    },
  };
}
