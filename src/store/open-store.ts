/** Opens the store on the engine that the options name. */

import { openSqliteDriver } from './engines/sqlite-driver.ts';
import { makeStore } from './make-store.ts';
import type { Store } from './store.ts';

interface StoreOptions {
  /** A `postgres://` URL; absent means SQLite in the data folder. */
  readonly databaseUrl?: string | undefined;
  readonly dataFolder: string;
  /** SQLite only: `normal` survives a killed process, `full` a power cut as well. */
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
  /** Called with what delays the opening. */
  readonly tell?: (message: string) => void;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, dataFolder, synchronous, nowMs, tell = () => undefined } = options;
  const driver =
    databaseUrl === undefined
      ? await openSqliteDriver({ folder: dataFolder, synchronous, nowMs })
      : await (await import('./engines/postgres-driver.ts')).openPostgresDriver(databaseUrl, nowMs, tell);
  return makeStore(driver, nowMs);
}
