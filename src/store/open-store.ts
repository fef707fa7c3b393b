/** Opens the store on the engine that the options name. */

import { openRemoteDriver, type RemoteStore } from './engines/remote-driver.ts';
import { openSqliteDriver } from './engines/sqlite-driver.ts';
import { watchedDriver } from './engines/watched-state.ts';
import { makeStore } from './make-store.ts';
import type { Store } from './store.ts';

interface StoreOptions {
  /** A `postgres://` URL; absent means SQLite in the data folder. */
  readonly databaseUrl?: string | undefined;
  /** PostgreSQL only: how long one operation may take. */
  readonly databaseTimeoutMs?: number;
  /** PostgreSQL only. */
  readonly connections?: number;
  /** PostgreSQL only: connections are shared with others between transactions. */
  readonly pgbouncer?: boolean;
  readonly dataFolder: string;
  /** SQLite only: `normal` survives a killed process, `full` a power cut as well. */
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
  /** SQLite only: another process of this machine holds the database. */
  readonly remote?: RemoteStore | undefined;
  /** Called with what delays the opening. */
  readonly tell?: (message: string) => void;
}

const databaseTimeoutMsDefault = 5_000;
const connectionsDefault = 4;

export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl: url, dataFolder, synchronous, nowMs, tell = () => undefined } = options;
  if (options.remote !== undefined)
    return makeStore(watchedDriver(await openRemoteDriver(options.remote, dataFolder, synchronous)), nowMs);
  if (url === undefined)
    return makeStore(watchedDriver(await openSqliteDriver({ folder: dataFolder, synchronous, nowMs })), nowMs);
  const { openPostgresDriver } = await import('./engines/postgres-driver.ts');
  const timeoutMs = options.databaseTimeoutMs ?? databaseTimeoutMsDefault;
  const { connections = connectionsDefault, pgbouncer = false } = options;
  const driver = await openPostgresDriver({ url, timeoutMs, connections, pgbouncer, nowMs, tell });
  return makeStore(watchedDriver(driver), nowMs);
}
