/**
 * The embedded engine as a worker process uses it: another process holds the database, and calls go there in batches. Openings
 * and closings of requests without a budget, or with shares of all their budgets, go into a journal of the worker's own, which
 * the other process folds; those of others go there as the text that its journal records, which it need not read.
 */

import { chargeOf, reserveOf } from '../attempts/amounts.ts';
import { closeAttempt, openAttempt, openAttemptWithin } from '../attempts/attempt-queries.ts';
import { openingTable } from '../attempts/attempt-table.ts';
import { oncePerRows, type ScopeRow } from '../attempts/scope-rows.ts';
import type { Generation } from '../journal/fold.ts';
import { type Deliver, Journal } from '../journal/journal.ts';
import type { Span } from '../journal/journal-records.ts';
import { journalPath } from '../journal/open-journal.ts';
import type { RecalledWindows, ShareGrants, ShareReport } from '../journal/share-report.ts';
import { WorkerShares } from '../journal/worker-shares.ts';
import { WorkerWrites } from '../journal/worker-writes.ts';
import type { Driver, KnownClosing, KnownOpening } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery, Query } from '../sql/query.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { movingBudgets } from './moving-budgets.ts';
import { lockFile } from './process-lock.ts';
import { numberOf, queries } from './queries.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { journalLockPath } from './worker-journals.ts';

/** Carries a call as a line of text and gives the answer's. */
type CallStore = (service: string, call: string) => Promise<string>;

export interface RemoteStore {
  readonly schemaVersion: number;
  /** The number of this worker's journal. */
  readonly journal: number;
  readonly call: CallStore;
  /** Called once, with what the other process asks of this one. */
  serve(own: RemoteServices): void;
}

/** What the process that holds the database asks of a worker. */
export interface RemoteServices {
  /** All that was recorded here must be in the tables. */
  flush(): Promise<void>;
  /** Gives back its shares of budgets, and reports what it used of them. */
  giveBack(windows: RecalledWindows): Promise<void>;
}

/** What the process that holds the database does, by names of one character. A tab is between two parts of JSON, which contains none. */
const services = {
  any: 's',
  open: 'o',
  openWithin: 'w',
  close: 'c',
  recoverJournal: 'j',
  setJournalInUse: 'u',
  foldJournal: 'f',
  reportShares: 'b',
} as const;

interface OwnJournal {
  readonly journal: Journal;
  readonly shares: WorkerShares;
  readonly writes: WorkerWrites;
  close(): Promise<void>;
}

/** Undefined where openings and closings go to the other process one by one. */
async function openOwnJournal(
  { journal: number, call }: RemoteStore,
  folder: string,
  synchronous: 'normal' | 'full',
): Promise<OwnJournal | undefined> {
  if (synchronous === 'full') return undefined;
  const generation = Number(await call(services.recoverJournal, JSON.stringify(number)));
  const lock = lockFile(journalLockPath(folder, number));
  if (lock === undefined) return undefined;
  const setInUse = (inUse: boolean) => call(services.setJournalInUse, JSON.stringify([number, inUse]));
  const deliver: Deliver = async (of, span) => {
    // What the records move in budgets is known there before they are in the tables.
    shares.report();
    await call(services.foldJournal, JSON.stringify([{ journal: number, generation: of } satisfies Generation, span]));
  };
  const journal = Journal.open(journalPath(folder, number), generation + 1, deliver);
  if (journal === undefined) {
    lock.release();
    return undefined;
  }
  const shares = new WorkerShares({
    journal: number,
    generation: () => journal.generation,
    send: async (report) => JSON.parse(await call(services.reportShares, JSON.stringify(report))) as ShareGrants,
  });
  await setInUse(true);
  return {
    journal,
    shares,
    writes: new WorkerWrites(journal, shares),
    async close() {
      shares.close();
      // Otherwise it stays in use, and the other process recovers it.
      if (await journal.close()) await setInUse(false).catch(() => undefined);
      lock.release();
    },
  };
}

export async function openRemoteDriver(
  remote: RemoteStore,
  folder: string,
  synchronous: 'normal' | 'full',
): Promise<Driver> {
  const { schemaVersion, call } = remote;
  let faulted = false;
  const own = await openOwnJournal(remote, folder, synchronous);
  if (own !== undefined) {
    const { journal, shares } = own;
    remote.serve({ flush: () => journal.flush(), giveBack: (windows) => shares.giveBack(windows) });
  }

  function send(query: AnyQuery, values: readonly unknown[]): Promise<string> {
    const [first, second] = values;
    if (query === openAttempt) {
      const opening = first as Cells;
      return call(services.open, `${JSON.stringify(openingTable.get(opening, 'id'))}\t${JSON.stringify(opening)}`);
    }
    if (query === openAttemptWithin) {
      const opening = second as Cells;
      const known = reserveOf(opening);
      const scopes = rowsText(first as readonly ScopeRow[]);
      return call(services.openWithin, `${JSON.stringify(known)}\t${scopes}\t${JSON.stringify(opening)}`);
    }
    if (query === closeAttempt) {
      const closing = first as Cells;
      const known = chargeOf(closing);
      return call(services.close, `${JSON.stringify(known)}\t${JSON.stringify(closing)}`);
    }
    return call(services.any, JSON.stringify([numberOf(query), ...values]));
  }

  const read = (answer: string): unknown => (answer === 'null' ? null : answer === 'true' ? true : JSON.parse(answer));
  async function run(query: AnyQuery, values: readonly unknown[]): Promise<unknown> {
    const known = own?.writes.now(query, values);
    if (known !== undefined) return known;
    try {
      if (own !== undefined && movingBudgets.has(query) && own.writes.concerns(query, values))
        await own.journal.flush();
      const answer = await send(query, values);
      own?.writes.ran(query, values);
      return read(answer);
    } catch (error) {
      if (error instanceof StoreUnavailableError) faulted = true;
      throw error;
    }
  }

  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    alone: false,
    several: true,
    failsOver: false,
    runNow: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      own?.writes.now(query as AnyQuery, values) as Result | undefined,
    run: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      run(query as AnyQuery, values) as Promise<Result>,
    // The process that holds the database is alone with it.
    holdAlone: () => Promise.resolve(),
    get faulted() {
      return faulted;
    },
    clearFault() {
      faulted = false;
    },
    notices: () => [],
    close: () => own?.close() ?? Promise.resolve(),
  };
}

/** The budgets of a caller's requests, as all of its openings send them. */
const rowsText = oncePerRows((rows) => JSON.stringify(rows));

/** Beyond this many all are read again. */
const readRowsMax = 10_000;

/** Reads them once for all openings that send the same, so that what is derived from them is derived once too. */
function rowsReader(): (text: string) => readonly ScopeRow[] {
  const read = new Map<string, readonly ScopeRow[]>();
  return (text) => {
    const known = read.get(text);
    if (known !== undefined) return known;
    if (read.size >= readRowsMax) read.clear();
    const rows = JSON.parse(text) as ScopeRow[];
    read.set(text, rows);
    return rows;
  };
}

type Answer = string | Promise<string>;

type StoreServices = Readonly<Record<string, (call: string) => Answer>>;

/**
 * The other end: does the calls of workers with the driver that holds the database. The number
 * of a worker's journal is given to `onJournal` before it records anything there.
 */
export function storeServices(driver: SqliteDriver): (onJournal: (journal: number) => void) => StoreServices {
  const { journals } = driver;
  const rowsIn = rowsReader();
  const answerOf = (result: unknown): string => JSON.stringify(result ?? null);
  const run = <Values extends readonly unknown[]>(query: Query<Values, unknown>, ...values: Values): Promise<string> =>
    driver.run(query, ...values).then(answerOf);
  return (onJournal) => ({
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
      const [known, rest] = parts(call);
      const [text, cells] = parts(rest);
      const scopes = rowsIn(text);
      const refusing = driver.records?.openWithin(JSON.parse(known) as KnownOpening, scopes, cells);
      if (refusing !== undefined) return answerOf(refusing);
      return run(openAttemptWithin, scopes, JSON.parse(cells));
    },
    [services.close](call) {
      const [known, cells] = parts(call);
      if (driver.records?.close(JSON.parse(known) as KnownClosing, cells) === true) return 'true';
      return run(closeAttempt, JSON.parse(cells));
    },
    [services.reportShares](call) {
      return answerOf(driver.records?.report(JSON.parse(call) as ShareReport) ?? []);
    },
    async [services.recoverJournal](call) {
      const journal = JSON.parse(call) as number;
      onJournal(journal);
      return String((await journals.recover(journal)).generation);
    },
    [services.setJournalInUse](call) {
      const [journal, inUse] = JSON.parse(call) as [number, boolean];
      return journals.setInUse(journal, inUse).then(() => 'null');
    },
    [services.foldJournal](call) {
      const [of, span] = JSON.parse(call) as [Generation, Span];
      return journals.fold(of, span).then(() => 'null');
    },
  });
}

function parts(call: string): [first: string, rest: string] {
  const tab = call.indexOf('\t');
  return [call.slice(0, tab), call.slice(tab + 1)];
}
