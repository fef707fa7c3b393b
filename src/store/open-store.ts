/** Opens the store on the engine that the options name. */

import { watchedDriver } from './engines/watched-state.ts';
import { makeStore } from './make-store.ts';
import { openDriver, type StoreOptions } from './open-driver.ts';
import type { Driver } from './sql/driver.ts';
import type { Store } from './store.ts';

export async function openStore(options: StoreOptions): Promise<Store> {
  return storeOver(await openDriver(options), options.nowMs);
}

export const storeOver = (driver: Driver, nowMs: () => number): Store => makeStore(watchedDriver(driver), nowMs);
