/** Opens the engine that the options name. It loads little, so that a start can open the database while it loads the rest. */

import type { RemoteStore } from './engines/remote-driver.ts';
import { openSqliteDriver } from './engines/sqlite-driver.ts';
import type { Driver } from './sql/driver.ts';

export interface StoreOptions {
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
  /** SQLite only: its thread, where it was started before. */
  readonly thread?: Worker | undefined;
  /** Called with what delays the opening. */
  readonly tell?: (message: string) => void;
}

const databaseTimeoutMsDefault = 5_000;
const connectionsDefault = 4;

export async function openDriver(options: StoreOptions): Promise<Driver> {
  const { databaseUrl: url, dataFolder, synchronous, nowMs, tell = () => undefined } = options;
  if (options.remote !== undefined) {
    const { openRemoteDriver } = await import('./engines/remote-driver.ts');
    return openRemoteDriver(options.remote, dataFolder, synchronous);
  }
  if (url === undefined) return openSqliteDriver({ folder: dataFolder, synchronous, nowMs, thread: options.thread });
  const { openPostgresDriver } = await import('./engines/postgres-driver.ts');
  const timeoutMs = options.databaseTimeoutMs ?? databaseTimeoutMsDefault;
  const { connections = connectionsDefault, pgbouncer = false } = options;
  return openPostgresDriver({ url, timeoutMs, connections, pgbouncer, nowMs, tell });
}
