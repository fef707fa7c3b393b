/** One connection to the SQLite file and the loop that runs a batch of queries in one commit; lives in a thread of its own. */

import { Database, type Statement as Prepared } from 'bun:sqlite';
import { closeSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../journal/entries.ts';
import {
  fold,
  type Generation,
  type JournalState,
  journalState,
  journalsInUse,
  setJournalInUse,
} from '../journal/fold.ts';
import { migrate } from '../migrations/migrate.ts';
import { type AnyQuery, type Json, stepsOf } from '../sql/query.ts';
import type { Row, SqlValue, Statement, Steps } from '../sql/statement.ts';
import { type CarriedError, carryError, FolderInUseError, StoreUnavailableError } from '../sql/store-errors.ts';
import { lockFile, type ProcessLock } from './process-lock.ts';
import { queries } from './queries.ts';

export interface SqliteOptions {
  readonly folder: string;
  readonly synchronous: 'normal' | 'full';
  /** A second connection for long reads; it never writes. */
  readonly readOnly: boolean;
  readonly nowMs: number;
}

/** A query's number in `queries`, then its values. */
export type Call = readonly [number: number, ...values: Json[]];
type Failures = readonly (readonly [number, CarriedError])[];
export type Answers = readonly [results: readonly Json[], failures: Failures];

export const databaseFileName = 'weir.db';
const busyTimeoutMs = 5_000;
const journalBytesMax = 64 * 1024 * 1024;
const cacheKibibytes = 16 * 1024;
/** Hot pages are copied into the main file once for many commits; four times the default costs 16 MB of log. */
const checkpointPages = 4_000;

export interface SqliteConnection {
  readonly schemaVersion: number;
  runBatch(calls: readonly Call[]): Answers;
  /** Makes this process the one that serves from the folder. */
  holdFolder(): void;
  journalState(journal: number): JournalState;
  journalsInUse(): readonly number[];
  setJournalInUse(journal: number, inUse: boolean): void;
  /** Does what a journal's generation holds; throws where it must be tried again. */
  fold(of: Generation, entries: readonly Entry[]): void;
  close(): void;
}

export function openSqlite(options: SqliteOptions): SqliteConnection {
  try {
    return connect(options);
  } catch (error) {
    throw openingError(options.folder, error);
  }
}

function connect(options: SqliteOptions): SqliteConnection {
  const database = openDatabase(options);
  const { drive, inTransaction, finalize } = makeRunner(database);
  const translate = (error: unknown): unknown => translated(error, options.folder);
  const passes = (error: unknown): boolean => translate(error) instanceof StoreUnavailableError;
  let folderLock: ProcessLock | undefined;

  const driveCall = (call: Call): Json => {
    const [, ...values] = call;
    return drive(stepsOf(queryOf(call), values));
  };

  /** A failing call must not fail the rest of its batch: after a throw each call runs in a commit of its own. */
  function runBatch(calls: readonly Call[]): Answers {
    const writes = calls.some((call) => !queryOf(call).kind.endsWith('read'));
    try {
      return [writes ? inTransaction(() => calls.map(driveCall)) : calls.map(driveCall), []];
    } catch (error) {
      if (calls.length === 1) return [[null], [[0, carryError(translate(error))]]];
    }
    const answers = calls.map((call) => runBatch([call]));
    return [
      answers.map(([results]) => results[0] ?? null),
      answers.flatMap(([, failures], index) => failures.map(([, error]) => [index, error] as const)),
    ];
  }

  const clockSql = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
  const migration = migrate({ keyedSuffix: ' WITHOUT ROWID', clockSql, nowMs: options.nowMs });
  const schemaVersion = options.readOnly ? 0 : inTransaction(() => drive(migration));

  return {
    schemaVersion,
    runBatch,
    holdFolder() {
      try {
        folderLock ??= lockFolder(options.folder);
      } catch (error) {
        throw translate(error);
      }
    },
    journalState: (journal) => drive(journalState(journal)),
    journalsInUse: () => drive(journalsInUse()),
    setJournalInUse(journal, inUse) {
      try {
        drive(setJournalInUse(journal, inUse));
      } catch (error) {
        throw translate(error);
      }
    },
    fold(of, entries) {
      try {
        fold({ drive, inTransaction, passes }, of, entries);
      } catch (error) {
        throw translate(error);
      }
    },
    close() {
      finalize();
      database.close();
      folderLock?.release();
    },
  };
}

interface Runner {
  drive<Result>(steps: Steps<Result>): Result;
  inTransaction<Result>(work: () => Result): Result;
  finalize(): void;
}

/** Runs queries on a connection and keeps every statement prepared. */
function makeRunner(database: Database): Runner {
  const prepared = new Map<Statement, Prepared>();

  function rowsOf(statement: Statement, values: readonly SqlValue[]): readonly Row[] {
    let ready = prepared.get(statement);
    if (ready === undefined) {
      ready = database.prepare(statement.sql.replaceAll(/\$(\d+)/g, '?$1'));
      prepared.set(statement, ready);
    }
    if (statement.returnsRows) return ready.values(...values) as Row[];
    ready.run(...values);
    return [];
  }

  function drive<Result>(steps: Steps<Result>): Result {
    let next = steps.next([]);
    while (next.done !== true) next = steps.next(rowsOf(next.value.statement, next.value.values));
    return next.value;
  }

  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');

  function inTransaction<Result>(work: () => Result): Result {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite ends the transaction by itself after some faults of the disk.
      if (database.inTransaction) rollback.run();
      throw error;
    }
  }

  return {
    drive,
    inTransaction,
    finalize() {
      for (const statement of [...prepared.values(), begin, commit, rollback]) statement.finalize();
    },
  };
}

function queryOf([number]: Call): AnyQuery {
  const query = queries[number];
  if (query === undefined) throw new Error(`There is no query ${number}.`);
  return query;
}

function openDatabase(options: SqliteOptions): Database {
  const file = join(options.folder, databaseFileName);
  // Made here with mode 600, because SQLite would make it readable for all users; its log takes the same mode.
  if (!options.readOnly) closeSync(openSync(file, 'a', 0o600));
  const database = new Database(
    file,
    options.readOnly ? { readonly: true, safeIntegers: true } : { create: true, readwrite: true, safeIntegers: true },
  );
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (options.readOnly) return database;
  database.run('PRAGMA journal_mode = WAL');
  database.run(`PRAGMA synchronous = ${options.synchronous}`);
  database.run(`PRAGMA journal_size_limit = ${journalBytesMax}`);
  database.run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.run(`PRAGMA cache_size = -${cacheKibibytes}`);
  return database;
}

/** Throws where a Weir serves from it. */
export function lockFolder(folder: string): ProcessLock {
  const lock = lockFile(join(folder, 'serving.lock'));
  if (lock !== undefined) return lock;
  throw new FolderInUseError(
    `Another Weir serves from the data folder ${folder}. Stop it first, or give this one a folder of its own (WEIR_DATA) or a shared PostgreSQL (DATABASE_URL).`,
  );
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Faults of the disk and waits that ran out may pass; a violated constraint never does. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;

function translated(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  if (!passing.test(code)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const where = isFullCode(code, folder) ? ` ${fullText(folder)}` : '';
  return new StoreUnavailableError(`SQLite cannot do this now: ${message} (${code}).${where}`, { cause: error });
}

/** Some faults of a full disk are reported as input or output errors. */
const isFullCode = (code: string, folder: string): boolean =>
  code.startsWith('SQLITE_FULL') || (code.startsWith('SQLITE_IOERR') && isFull(folder));

/** What an operator needs to know of a full disk. */
function fullText(folder: string): string {
  const freeBytes = freeBytesOf(folder);
  const free = freeBytes === undefined ? '' : ` (${Math.floor(freeBytes / 1_024)} KB free)`;
  return `The disk of ${folder} is full${free}: free some space, or name another data folder (WEIR_DATA).`;
}

/** With less free space than this a database cannot be opened: SQLite reports an input or output error then, not a full disk. */
const roomBytesMin = 1_048_576;

/** A start that cannot open its database names the file and the reason in one sentence. */
function openingError(folder: string, error: unknown): unknown {
  if (codeOf(error) === '') return error;
  const file = join(folder, databaseFileName);
  const message = error instanceof Error ? error.message : String(error);
  const reason = isFull(folder)
    ? `the disk is full. Free some space, or name another data folder (WEIR_DATA)`
    : `${message} (${codeOf(error)})`;
  return new StoreUnavailableError(`The database ${file} cannot be opened: ${reason}.`, { cause: error });
}

function isFull(folder: string): boolean {
  return (freeBytesOf(folder) ?? roomBytesMin) < roomBytesMin;
}

function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
