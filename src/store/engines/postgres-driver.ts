/** The shared engine: a pool of connections, one transaction for each query, and no waiting for a server that is gone. */

import { SQL } from 'bun';
import { Roster } from '../../conversation/tools/roster.ts';
import type { Driver } from '../sql/driver.ts';
import { type AnyQuery, type Json, type Query, stepsOf } from '../sql/query.ts';
import type { Row, SqlValue, Steps } from '../sql/statement.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { migratePostgres } from './postgres-migrate.ts';

/** Of the timeout of an operation. */
const connectionTimeoutShare = 0.4;
/** Less than twice our own, so that nothing we gave up on commits much later. */
const serverTimeoutShare = 1.6;
const conflictRetriesMax = 5;

interface Runner {
  unsafe(sql: string, values?: SqlValue[]): { values(): Promise<unknown> };
}

async function drive<Result>(runner: Runner, steps: Steps<Result>): Promise<Result> {
  let next = steps.next([]);
  while (next.done !== true) {
    const { statement, values } = next.value;
    const rows = (await runner.unsafe(statement.sql, values as SqlValue[]).values()) as Row[];
    next = steps.next(rows);
  }
  return next.value;
}

export interface PostgresOptions {
  readonly url: string;
  /** For a server that is connected but does not answer: afterwards the outcome counts as unknown and the pool is replaced. */
  readonly timeoutMs: number;
  readonly connections: number;
  /** Another client's transactions run on the same connection in between: nothing may be left on it. */
  readonly pgbouncer: boolean;
  readonly nowMs: () => number;
  /** Called while a migration waits. */
  readonly tell: (message: string) => void;
}

const serverTimeoutOf = (timeoutMs: number): number => Math.round(timeoutMs * serverTimeoutShare);

/** The server's own limits, by which it ends what this process gave up on. */
const serverLimits = (timeoutMs: number): Readonly<Record<string, number>> => {
  const serverTimeoutMs = serverTimeoutOf(timeoutMs);
  return { statement_timeout: serverTimeoutMs, idle_in_transaction_session_timeout: serverTimeoutMs };
};

function connect({ url, timeoutMs, connections, pgbouncer }: PostgresOptions): SQL {
  return new SQL(url, {
    max: connections,
    bigint: true,
    prepare: !pgbouncer,
    connectionTimeout: (timeoutMs * connectionTimeoutShare) / 1000,
    idleTimeout: 0,
    connection: { application_name: 'weir', ...(!pgbouncer && serverLimits(timeoutMs)) },
  });
}

/** Where connections are shared, a transaction sets its limits itself. */
const localLimits = ({ timeoutMs, pgbouncer }: PostgresOptions): string =>
  pgbouncer
    ? Object.entries(serverLimits(timeoutMs))
        .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
        .join('; ')
    : '';

export async function openPostgresDriver(options: PostgresOptions): Promise<Driver> {
  const { url, timeoutMs, connections, nowMs, tell } = options;
  const limits = localLimits(options);
  const slots = new ConnectionSlots({ connections, waitMsMax: timeoutMs });
  let pool = connect(options);
  const running = new Roster<Promise<unknown>>();
  let closed = false;
  let faulted = false;
  const schemaVersion = await migratePostgres({ pool, drive, nowMs, tell }).catch(async (error: unknown) => {
    await pool.close({ timeout: 0 }).catch(() => undefined);
    throw openingError(url, error);
  });

  /** Connections to a server that stopped answering would each have to time out on their own; a new pool starts clean. */
  function replacePool(stuck: SQL): void {
    if (pool !== stuck) return;
    pool = connect(options);
    void stuck.close({ timeout: 0 }).catch(() => undefined);
  }

  async function attempt(query: AnyQuery, values: readonly Json[]): Promise<Json> {
    const used = pool;
    let timer: Timer | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        replacePool(used);
        reject(new StoreUnavailableError(`PostgreSQL did not answer within ${timeoutMs} ms.`));
      }, timeoutMs);
    });
    const work =
      query.kind === 'transaction'
        ? used.begin(async (connection) => {
            if (limits !== '') await connection.unsafe(limits).simple();
            return drive(connection, stepsOf(query, values));
          })
        : drive(used, stepsOf(query, values));
    try {
      return await Promise.race([work, silence]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function run(query: AnyQuery, values: readonly Json[]): Promise<Json> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await slots.use(query.kind === 'long-read', () => attempt(query, values));
      } catch (error) {
        if (isConflict(error) && retries < conflictRetriesMax) continue;
        const fault = translate(error);
        if (fault instanceof StoreUnavailableError) faulted = true;
        throw fault;
      }
    }
  }

  return {
    engine: 'postgres',
    schemaVersion,
    serverTimeoutMs: serverTimeoutOf(timeoutMs),
    alone: false,
    several: true,
    failsOver: true,
    runNow: () => undefined,
    run<Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values): Promise<Result> {
      if (closed) return Promise.reject(new StoreUnavailableError('The store is closed.'));
      const result = run(query as AnyQuery, values as readonly unknown[] as readonly Json[]);
      const settled = result.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return result as Promise<Result>;
    },
    holdAlone: () => Promise.resolve(),
    get faulted() {
      return faulted;
    },
    clearFault() {
      faulted = false;
    },
    notices: () => [],
    async close() {
      closed = true;
      // Each of them ends within its own time limit; the pool itself would refuse those that have no connection yet.
      await Promise.all(running.all());
      await pool.close();
    },
  };
}

/** The SQLSTATE where the server answered, else the client's own code. */
function codesOf(error: unknown): { client: string; state: string } {
  const fields = error as { code?: unknown; errno?: unknown } | undefined;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { client: text(fields?.code), state: text(fields?.errno) };
}

/** Deadlock or serialization failure: the server rolled the transaction back and it must be retried. */
function isConflict(error: unknown): boolean {
  const { state } = codesOf(error);
  return state === '40001' || state === '40P01';
}

/** PgBouncer's words for a parameter that it cannot keep apart between its clients. */
const refusedParameter = 'unsupported startup parameter';
const pgbouncerHint = 'This is PgBouncer: set database.pgbouncer to true (WEIR_DATABASE_PGBOUNCER).';

/** A start that cannot use its database names it, where that is set, and the reason; never its password. */
function openingError(url: string, error: unknown): unknown {
  const { client, state } = codesOf(error);
  if (client === '' && state === '') return error;
  const { hostname, port, pathname, username } = URL.parse(url) ?? {};
  const where = `${hostname ?? '?'}:${port === undefined || port === '' ? '5432' : port}, database ${decodeURIComponent(pathname?.slice(1) ?? '')}, user ${decodeURIComponent(username ?? '')}`;
  const message = error instanceof Error ? error.message : String(error);
  const hint = message.includes(refusedParameter) ? `. ${pgbouncerHint}` : '';
  return new StoreUnavailableError(
    `PostgreSQL cannot be used (${where}; set by DATABASE_URL or database.url): ${message}${hint}`,
    { cause: error },
  );
}

function translate(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  const { client, state } = codesOf(error);
  const gone = /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|POOL)|E[A-Z]+$)/.test(client);
  // Classes 08 connection, 53 resources, 57 operator intervention, 58 system; 25006 is a standby that takes no writes.
  if (!gone && !/^(08|53|57|58)/.test(state) && state !== '25006') return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`PostgreSQL cannot do this now: ${message}`, { cause: error });
}
