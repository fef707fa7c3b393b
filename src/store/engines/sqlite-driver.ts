/** The embedded engine: one thread writes with group commit, a second one, started when first needed, does long reads. */

import { mkdirSync } from 'node:fs';
import { openAttemptWithin, readFoldedBudget } from '../attempts/attempt-queries.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import type { ReadWindow } from '../journal/budget-memory.ts';
import type { Deliver, Journal } from '../journal/journal.ts';
import type { RecoveredGeneration } from '../journal/journal-recovery.ts';
import { JournaledWrites } from '../journal/journaled-writes.ts';
import { firstJournal, journalPath, openJournal } from '../journal/open-journal.ts';
import type { Driver } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery, Json, Query } from '../sql/query.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import type { Opening } from '../tasks/task-queries.ts';
import { movingBudgets, openingTasks } from './moving-budgets.ts';
import type { SqliteOptions } from './sqlite-connection.ts';
import { type SqliteLane, startSqliteLane } from './sqlite-lane.ts';
import { WorkerJournals } from './worker-journals.ts';

interface SqliteDriverOptions {
  readonly folder: string;
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
  /** One that was started before, for the first connection. */
  readonly thread?: Worker | undefined;
}

/** The process that holds the database also folds the journals of worker processes. */
export interface SqliteDriver extends Driver {
  readonly journals: WorkerJournals;
  readonly records: JournaledWrites | undefined;
}

async function openLane(
  options: SqliteOptions,
  onFault?: () => void,
  thread?: Worker,
): Promise<{ lane: SqliteLane; schemaVersion: number }> {
  const lane = startSqliteLane(onFault, thread);
  try {
    const answer = await lane.control({ do: 'open', options });
    return { lane, schemaVersion: answer.number };
  } catch (error) {
    await lane.close();
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`The data folder ${folder} (WEIR_DATA) cannot be made: ${reason}`, {
      cause: error,
    });
  }
}

export async function openSqliteDriver(options: SqliteDriverOptions): Promise<SqliteDriver> {
  // The database holds who called what: other users of this machine must not read it.
  makeFolder(options.folder);
  const { folder, synchronous } = options;
  let faulted = false;
  const onFault = (): void => {
    faulted = true;
  };
  const { lane: writer, schemaVersion } = await openLane(
    { folder, synchronous, readOnly: false, nowMs: options.nowMs() },
    onFault,
    options.thread,
  );
  let reader: Promise<SqliteLane> | undefined;
  let journal: Journal | undefined;
  let alone = false;
  const notices: string[] = [];
  let writes: JournaledWrites | undefined;
  const journals = new WorkerJournals({
    folder,
    nowMs: options.nowMs,
    control: writer.control,
    folded: (of) => writes?.folded(of),
    ended: (of) => writes?.workerEnded(of),
  });

  const longReads = (): Promise<SqliteLane> => {
    reader ??= openLane({ folder, synchronous, readOnly: true, nowMs: options.nowMs() }).then(({ lane }) => lane);
    return reader;
  };

  function run(query: AnyQuery, values: readonly Json[]): Promise<unknown> {
    const result = writes?.now(query, values);
    if (result !== undefined) return Promise.resolve(result);
    if (query === openAttemptWithin && writes !== undefined)
      return writes.openOnceLoaded(values[0] as unknown as readonly ScopeRow[], values[1] as Cells);
    writes?.running(query, values);
    const isLong = query.kind === 'long-read';
    const call = (): Promise<Json> =>
      isLong ? longReads().then((lane) => lane.call(query, values)) : writer.call(query, values);
    if (writes !== undefined && openingTasks.has(query)) {
      const opening = values.at(-1) as unknown as Opening;
      const withScopes = (scopes: readonly ScopeRow[]): Promise<Json> =>
        writer.call(query, values.with(-1, { ...opening, scopes } as unknown as Json));
      return writes.moveBudgets(withScopes, opening.scopes);
    }
    if (writes !== undefined && movingBudgets.has(query)) return writes.moveBudgets(call);
    return isLong || query.afterJournal ? flush().then(call) : call();
  }

  /** Everything that was recorded before is in the tables then. */
  async function flush(): Promise<void> {
    await Promise.all([journal?.isEmpty === false ? journal.flush() : undefined, journals.flush()]);
  }

  const deliver: Deliver = async (generation, span) => {
    try {
      const of = { journal: firstJournal, generation };
      await writer.control({ do: 'fold', of, path: journalPath(folder, firstJournal), span });
    } catch (error) {
      onFault();
      throw error;
    }
  };

  const readWindow = (scope: string, windowStartMs: number): Promise<ReadWindow> =>
    writer.call(readFoldedBudget as unknown as AnyQuery, [scope, windowStartMs]) as unknown as Promise<ReadWindow>;

  async function takeJournal(): Promise<void> {
    const { state = { generation: 0, inUse: undefined } } = await writer.control({
      do: 'read-journal-state',
      journal: firstJournal,
    });
    const work = {
      folder,
      journal: firstJournal,
      state,
      nowMs: options.nowMs(),
      async foldTexts({ generation, version, texts }: RecoveredGeneration) {
        await writer.control({ do: 'fold-texts', of: { journal: firstJournal, generation }, version, texts });
      },
      setInUse: (inUse: boolean) => journals.setInUse(firstJournal, inUse),
    };
    const opened = await openJournal(work, synchronous, deliver);
    journal = opened.journal;
    if (journal !== undefined)
      writes = new JournaledWrites(
        journal,
        readWindow,
        (worker, windows) => journals.recall(worker, windows),
        () => journals.flush(),
      );
    if (opened.notice !== undefined) notices.push(opened.notice);
  }

  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    several: false,
    failsOver: false,
    journals,
    get records() {
      return writes;
    },
    get alone() {
      return alone;
    },
    runNow: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      writes?.now(query as AnyQuery, values) as Result | undefined,
    run: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      run(query as AnyQuery, values as readonly unknown[] as readonly Json[]) as Promise<Result>,
    async holdAlone() {
      const { inUse = [] } = await writer.control({ do: 'hold-folder' });
      if (alone) return;
      notices.push(...(await journals.recoverAll(inUse)));
      await takeJournal();
      alone = true;
    },
    get faulted() {
      return faulted;
    },
    clearFault() {
      faulted = false;
    },
    notices: () => notices,
    async close() {
      // Otherwise the flag stays, and the next start looks for what is left.
      if (await journal?.close()) await journals.setInUse(firstJournal, false).catch(() => undefined);
      await (await reader)?.close();
      await writer.close();
    },
  };
}
