/**
 * What a process looks for again and again (changed tokens, changed configuration, due work) as one statement, asked
 * every 750 ms at most, and by a replica of PostgreSQL that serves no requests less often: polls of all parts are
 * answered from it. Its own writes make it ask again, and so does a batch of requests that finds a revision changed.
 */

import { checkpointAttempts, closeAttempt, openAttempt, openAttemptWithin } from '../attempts/attempt-queries.ts';
import { type BatchReply, runLedgerBatch } from '../attempts/batches/batch-query.ts';
import { configurationRevision } from '../configuration/console-entry-queries.ts';
import { beatInstance } from '../configuration/server-state-queries.ts';
import { fleetStateRevision } from '../health/fleet-state-queries.ts';
import { priceTablePulse } from '../prices/price-table-queries.ts';
import type { Driver } from '../sql/driver.ts';
import { type AnyQuery, type Query, read } from '../sql/query.ts';
import { asNumber, asNumberOrNull, type Steps, statement, step } from '../sql/statement.ts';
import { claimCallbacks } from '../tasks/task-callbacks.ts';
import { dueProviders } from '../tasks/task-work.ts';
import { revision } from '../tokens/token-queries.ts';

/** With the polls in between, a revoked token ends within a second. */
const everyMs = 750;
/** For a replica without requests: with heartbeats and sweeps it sends less than one statement a second. */
const idleEveryMs = 1_800;
const idleAfterMs = 10_000;

interface WatchedState {
  readonly tokens: number;
  readonly configuration: number;
  readonly prices: number;
  readonly fleetState: number;
  /** Null where there is none, as with the others. */
  readonly priceFetchDueMs: number | null;
  readonly taskDueMs: number | null;
  readonly callbackDueMs: number | null;
}

const readAll = statement(
  `SELECT
     (SELECT value FROM revisions WHERE id = 1), (SELECT value FROM revisions WHERE id = 2),
     (SELECT value FROM revisions WHERE id = 3), (SELECT value FROM revisions WHERE id = 4), (SELECT due_at_ms FROM price_fetches WHERE id = 1),
     (SELECT MIN(due_at_ms) FROM tasks WHERE due_at_ms IS NOT NULL), (SELECT MIN(due_at_ms) FROM task_callbacks)`,
);

export const watchedState = read(function* (): Steps<WatchedState> {
  const [tokens, configuration, prices, fleetState, fetchDue, taskDue, callbackDue] = (yield step(readAll))[0] ?? [];
  return {
    tokens: asNumber(tokens),
    configuration: asNumber(configuration),
    prices: asNumber(prices),
    fleetState: asNumber(fleetState),
    priceFetchDueMs: asNumberOrNull(fetchDue),
    taskDueMs: asNumberOrNull(taskDue),
    callbackDueMs: asNumberOrNull(callbackDue),
  };
});

const requestWrites: ReadonlySet<unknown> = new Set([openAttempt, openAttemptWithin, closeAttempt, checkpointAttempts]);
const isUnwatched = (query: unknown): boolean => query === beatInstance || requestWrites.has(query);
const isOfRequests = (query: unknown): boolean => query === runLedgerBatch || requestWrites.has(query);

/** Answers the polls of a driver from the watched state. */
export function watchedDriver(driver: Driver, nowMs: () => number = () => performance.now()): Driver {
  let requestAtMs = nowMs();
  let asked: { readonly atMs: number; readonly state: Promise<WatchedState> } | undefined;

  function state(): Promise<WatchedState> {
    const atMs = nowMs();
    const isIdle = driver.engine === 'postgres' && atMs - requestAtMs > idleAfterMs;
    if (asked !== undefined && atMs - asked.atMs < (isIdle ? idleEveryMs : everyMs)) return asked.state;
    const fresh = { atMs, state: driver.run(watchedState) };
    asked = fresh;
    fresh.state.catch(() => {
      if (asked === fresh) asked = undefined;
    });
    return fresh.state;
  }

  /** A write may have changed any of it, or made work due. */
  const forget = (): void => {
    asked = undefined;
  };

  let lastRevisions = '';
  const seeRevisions = (revisions: string): void => {
    if (revisions !== lastRevisions) forget();
    lastRevisions = revisions;
  };

  const isDue = (dueMs: number | null, atMs: unknown): boolean => dueMs !== null && dueMs <= Number(atMs);

  /** Undefined where the database itself must be asked. */
  async function known(query: AnyQuery, atMs: unknown): Promise<{ readonly result: unknown } | undefined> {
    const now = await state();
    if (query === revision) return { result: now.tokens };
    if (query === configurationRevision) return { result: now.configuration };
    if (query === fleetStateRevision) return { result: now.fleetState };
    if (query === priceTablePulse) return { result: { revision: now.prices, dueAtMs: now.priceFetchDueMs ?? 0 } };
    return isDue(query === dueProviders ? now.taskDueMs : now.callbackDueMs, atMs) ? undefined : { result: [] };
  }

  const polls: ReadonlySet<unknown> = new Set([
    revision,
    configurationRevision,
    priceTablePulse,
    fleetStateRevision,
    dueProviders,
    claimCallbacks,
  ]);

  // All else is the driver's own, its getters too, which a copy would turn into what they were at this moment.
  return Object.assign(Object.create(driver) as Driver, {
    run<Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values): Promise<Result> {
      if (isOfRequests(query)) requestAtMs = nowMs();
      // Of every request, or of every process, and nothing that is watched depends on them.
      return isUnwatched(query) ? driver.run(query, ...values) : run(query, values);
    },
  });

  async function run<Values extends readonly unknown[], Result>(
    query: Query<Values, Result>,
    values: Values,
  ): Promise<Result> {
    if (polls.has(query)) {
      const answer = await known(query as AnyQuery, values[0]);
      if (answer !== undefined) return answer.result as Result;
    }
    if (query.kind === 'read' || query.kind === 'long-read') return driver.run(query, ...values);
    if ((query as unknown) === runLedgerBatch) {
      const reply = await driver.run(query, ...values);
      seeRevisions((reply as BatchReply).revisions);
      return reply;
    }
    try {
      return await driver.run(query, ...values);
    } finally {
      forget();
    }
  }
}
