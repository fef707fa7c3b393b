/** The embedded engine as a worker process uses it: another process holds the database, and calls go there in batches. */

import type { Driver } from '../sql/driver.ts';
import type { AnyQuery, Query } from '../sql/query.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { numberOf, queries } from './queries.ts';

/** Carries one call as a line of text and gives the answer's. */
export type CallStore = (call: string) => Promise<string>;

export interface RemoteStore {
  readonly schemaVersion: number;
  readonly call: CallStore;
}

export function remoteDriver({ schemaVersion, call }: RemoteStore): Driver {
  let faulted = false;
  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    alone: false,
    several: true,
    runNow: () => undefined,
    async run<Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) {
      try {
        const answer = await call(JSON.stringify([numberOf(query as AnyQuery), ...values]));
        return (answer === 'null' ? null : JSON.parse(answer)) as Result;
      } catch (error) {
        if (error instanceof StoreUnavailableError) faulted = true;
        throw error;
      }
    },
    // The process that holds the database is alone with it.
    holdAlone: () => Promise.resolve(),
    get faulted() {
      return faulted;
    },
    clearFault() {
      faulted = false;
    },
    notices: () => [],
    close: () => Promise.resolve(),
  };
}

/** The other end: does the calls of workers with the driver that holds the database. */
export function storeService(driver: Driver): (call: string) => string | Promise<string> {
  return (call) => {
    const [number, ...values] = JSON.parse(call) as [number, ...unknown[]];
    const query = queries[number] as unknown as Query<unknown[], unknown> | undefined;
    if (query === undefined) throw new Error(`There is no query ${number}.`);
    const known = driver.runNow(query, ...values);
    if (known !== undefined) return JSON.stringify(known);
    return driver.run(query, ...values).then((result) => JSON.stringify(result ?? null));
  };
}
