/**
 * The embedded engine as a worker process uses it: another process holds the database, and calls go there in batches. Openings
 * and closings go as the text that the journal records, which the other process need not read.
 */

import { closeAttempt, openAttempt, openAttemptWithin } from '../attempts/attempt-queries.ts';
import { closingTable, openingTable, type ScopeRow } from '../attempts/attempt-table.ts';
import type { Driver } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery, Query } from '../sql/query.ts';
import type { Money } from '../sql/statement.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { numberOf, queries } from './queries.ts';

/** Carries a call as a line of text and gives the answer's. */
type CallStore = (service: string, call: string) => Promise<string>;

export interface RemoteStore {
  readonly schemaVersion: number;
  readonly call: CallStore;
}

/** What the process that holds the database does, by names of one character. A tab is between two parts of JSON, which contains none. */
const services = { any: 's', open: 'o', openWithin: 'w', close: 'c' } as const;

export function remoteDriver({ schemaVersion, call }: RemoteStore): Driver {
  let faulted = false;

  function send(query: AnyQuery, values: readonly unknown[]): Promise<string> {
    const [first, second] = values;
    if (query === openAttempt) {
      const opening = first as Cells;
      return call(services.open, `${JSON.stringify(openingTable.get(opening, 'id'))}\t${JSON.stringify(opening)}`);
    }
    if (query === openAttemptWithin) {
      const opening = second as Cells;
      const known = [openingTable.get(opening, 'id'), openingTable.get(opening, 'reserveNano'), first];
      return call(services.openWithin, `${JSON.stringify(known)}\t${JSON.stringify(opening)}`);
    }
    if (query === closeAttempt) {
      const closing = first as Cells;
      const known = [closingTable.get(closing, 'id'), closingTable.get(closing, 'costNano')];
      return call(services.close, `${JSON.stringify(known)}\t${JSON.stringify(closing)}`);
    }
    return call(services.any, JSON.stringify([numberOf(query), ...values]));
  }

  const read = (answer: string): unknown => (answer === 'null' ? null : answer === 'true' ? true : JSON.parse(answer));
  const fail = (error: unknown): never => {
    if (error instanceof StoreUnavailableError) faulted = true;
    throw error;
  };

  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    alone: false,
    several: true,
    runNow: () => undefined,
    run: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      send(query as AnyQuery, values).then(read, fail) as Promise<Result>,
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

type Answer = string | Promise<string>;

/** The other end: does the calls of workers with the driver that holds the database. */
export function storeServices(driver: Driver): Readonly<Record<string, (call: string) => Answer>> {
  const answerOf = (result: unknown): string => JSON.stringify(result ?? null);
  const run = <Values extends readonly unknown[]>(query: Query<Values, unknown>, ...values: Values): Promise<string> =>
    driver.run(query, ...values).then(answerOf);
  return {
    [services.any](call) {
      const [number, ...values] = JSON.parse(call) as [number, ...unknown[]];
      const query = queries[number] as unknown as Query<unknown[], unknown> | undefined;
      if (query === undefined) throw new Error(`There is no query ${number}.`);
      const known = driver.runNow(query, ...values);
      return known === undefined ? run(query, ...values) : answerOf(known);
    },
    [services.open](call) {
      const [id, cells] = parts(call);
      if (driver.records?.open(JSON.parse(id), cells) === null) return 'null';
      return run(openAttempt, JSON.parse(cells));
    },
    [services.openWithin](call) {
      const [text, cells] = parts(call);
      const [id, reserveNano, scopes] = JSON.parse(text) as [string, Money, ScopeRow[]];
      const refusing = driver.records?.openWithin(id, reserveNano, scopes, cells);
      if (refusing !== undefined) return answerOf(refusing);
      return run(openAttemptWithin, scopes, JSON.parse(cells));
    },
    [services.close](call) {
      const [text, cells] = parts(call);
      const [id, costNano] = JSON.parse(text) as [string, Money];
      if (driver.records?.close(id, costNano, cells) === true) return 'true';
      return run(closeAttempt, JSON.parse(cells));
    },
  };
}

function parts(call: string): [first: string, cells: string] {
  const tab = call.indexOf('\t');
  return [call.slice(0, tab), call.slice(tab + 1)];
}
