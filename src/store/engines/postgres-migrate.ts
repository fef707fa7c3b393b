/**
 * Brings a shared database's schema forward while replicas serve from it: each step is a transaction of its own that waits a moment
 * for its locks and releases them again. A statement that waits for a lock makes every later one on the table wait behind it.
 */

import type { SQL } from 'bun';
import { createLedgerFunction } from '../attempts/batches/ledger-function.ts';
import { migrate, pendingMigrations } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Steps } from '../sql/statement.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';

/** Well below the timeout of requests, which wait behind this statement. */
const lockTimeoutMs = 1_000;
/** In between, the requests that waited behind it run first. */
const pauseMs = 1_500;
const patienceMs = 10 * 60_000;
/** How often the operator is reminded that it still waits. */
const reportEveryMs = 10_000;
/** Any number will do as long as no other program in the database takes the same. */
const migrationLockKey = 7_305_519_201;

const known = migrations.at(-1)?.version ?? 0;

/** The server's code for a lock that was not acquired in time. */
const lockNotAvailable = '55P03';

interface PostgresMigration {
  readonly pool: SQL;
  /** Runs an operation's statements on a connection. */
  drive<Result>(runner: SQL, operation: Steps<Result>): Promise<Result>;
  readonly nowMs: () => number;
  /** Called while a step waits. */
  readonly tell: (message: string) => void;
}

/** Returns the version that the schema has afterwards. */
export async function migratePostgres(work: PostgresMigration): Promise<number> {
  const startedMs = performance.now();
  let reportedMs = Number.NEGATIVE_INFINITY;
  let step = 'The migration';
  for (;;) {
    try {
      const { version, next } = await migrateOnce(work, (name) => {
        step = name;
      });
      if (next !== undefined) continue;
      if (version > known)
        work.tell(`The database has schema ${version} of a newer Weir. This one knows ${known} and can use it.`);
      return version;
    } catch (error) {
      if ((error as { errno?: unknown }).errno !== lockNotAvailable) throw error;
      const nowMs = performance.now();
      if (nowMs - startedMs > patienceMs) {
        throw new StoreUnavailableError(
          `${step} could not get its locks in ${patienceMs / 60_000} minutes: other transactions hold them. Nothing of it was done.`,
          { cause: error },
        );
      }
      if (nowMs - reportedMs >= reportEveryMs) {
        work.tell(`${step} waits for a lock that another transaction holds; requests continue meanwhile.`);
        reportedMs = nowMs;
      }
      await Bun.sleep(pauseMs);
    }
  }
}

/** Not of the transaction's begin: an entry's time is counted from when it is written. */
const clockSql = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';

interface Progress {
  readonly version: number;
  /** Absent where the schema is up to date. */
  readonly next: string | undefined;
}

function migrateOnce({ pool, drive, nowMs }: PostgresMigration, begins: (step: string) => void): Promise<Progress> {
  return pool.begin(async (connection) => {
    // A long step, or the wait for another process's, must not run into the limit made for small operations.
    await connection.unsafe('SET LOCAL statement_timeout = 0');
    await connection.unsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    begins('The migration, which another process may be doing,');
    await connection.unsafe(`SELECT pg_advisory_xact_lock(${migrationLockKey})`);
    const [first, ...rest] = await drive(connection, pendingMigrations());
    if (first !== undefined) begins(`Migration ${first.version} (${first.name})`);
    const options = { keyedSuffix: '', clockSql, nowMs: nowMs(), ...(first !== undefined && { upTo: first.version }) };
    const version = await drive(connection, migrate(options));
    if (rest.length === 0) await connection.unsafe(createLedgerFunction);
    return { version, next: rest[0]?.name };
  });
}
