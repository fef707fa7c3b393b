/** How the configuration says that the store is opened. */

import type { Config } from '../settings/config.ts';
import type { RemoteStore } from '../store/engines/remote-driver.ts';
import type { StoreOptions } from '../store/open-driver.ts';

export function storeOptions(config: Config, remote?: RemoteStore): StoreOptions {
  const { url, synchronous, connections, pgbouncer } = config.database;
  // The store reports its progress while it opens, before there is a logger.
  const tell = (message: string): void => void process.stderr.write(`${message}\n`);
  const { databaseTimeoutMs } = config.clocks;
  const { dataFolder } = config.server;
  return {
    databaseUrl: url,
    databaseTimeoutMs,
    connections,
    pgbouncer,
    dataFolder,
    synchronous,
    nowMs: Date.now,
    remote,
    tell,
  };
}
