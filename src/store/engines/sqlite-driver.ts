/** The embedded engine: one thread writes with group commit, a second one, started when first needed, does long reads. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkpointAttempts,
  closeAttempt,
  closeLostAttempt,
  openAttempt,
  openAttemptWithin,
  readFoldedBudget,
  scopesText,
} from '../attempts/attempt-queries.ts';
import { closingTable, openingTable, type ScopeRow } from '../attempts/attempt-table.ts';
import { beatInstance } from '../configuration/server-state-queries.ts';
import { putAttemptHealth } from '../health/attempt-health-queries.ts';
import { BudgetMemory, type HeldBudgets } from '../journal/budget-memory.ts';
import { entryKinds } from '../journal/entries.ts';
import type { JournalState } from '../journal/fold.ts';
import { type Deliver, type Journal, recordText } from '../journal/journal.ts';
import { journalName, openJournal } from '../journal/open-journal.ts';
import { addRequestErrors } from '../requests/request-error-queries.ts';
import type { BudgetScope, Driver, JournalRecords } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery, Json, Query } from '../sql/query.ts';
import type { Money } from '../sql/statement.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { claimCallbacks } from '../tasks/task-callbacks.ts';
import { addUsageRows } from '../usage/usage-queries.ts';
import type { SqliteOptions } from './sqlite-connection.ts';
import { type SqliteLane, startSqliteLane } from './sqlite-lane.ts';

interface SqliteDriverOptions {
  readonly folder: string;
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
}

/** A retry is needed where something else wrote budgets in between. */
const openingTries = 4;

/** Reads, and frequent writes that move no budget. */
function isHarmless(query: AnyQuery): boolean {
  return query.kind === 'read' || query.kind === 'long-read' || movesNoBudget.has(query);
}

const movesNoBudget: ReadonlySet<unknown> = new Set<unknown>([
  addUsageRows,
  addRequestErrors,
  beatInstance,
  claimCallbacks,
  putAttemptHealth,
]);

async function openLane(
  options: SqliteOptions,
  onFault?: () => void,
): Promise<{ lane: SqliteLane; schemaVersion: number }> {
  const lane = startSqliteLane(onFault);
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

export async function openSqliteDriver(options: SqliteDriverOptions): Promise<Driver> {
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
  );
  let reader: Promise<SqliteLane> | undefined;
  let journal: Journal | undefined;
  let alone = false;
  const notices: string[] = [];
  let budgets: BudgetMemory | undefined;
  /** Attempts that were opened in the journal and not closed yet, and what they hold: their closing may go there too. */
  const opened = new Map<string, HeldBudgets | undefined>();

  const longReads = (): Promise<SqliteLane> => {
    reader ??= openLane({ folder, synchronous, readOnly: true, nowMs: options.nowMs() }).then(({ lane }) => lane);
    return reader;
  };

  /** The process that serves alone knows the results of these queries, so they need only be durable, not done. */
  function journaled(query: AnyQuery, [value, second]: readonly unknown[]): unknown {
    if (journal === undefined) return undefined;
    if (query === openAttempt)
      return journalOpening(journal, openingTable.get(value as Cells, 'id'), JSON.stringify(value));
    if (query === openAttemptWithin) return withinFrom(journal, value as readonly ScopeRow[], second as Cells);
    if (query === closeAttempt) {
      const closing = value as Cells;
      const id = closingTable.get(closing, 'id');
      // Its cells are many: they are written only where they are needed.
      if (!opened.has(id)) return undefined;
      return journalClosing(journal, id, closingTable.get(closing, 'costNano'), JSON.stringify(closing));
    }
    if (query !== checkpointAttempts || !journal.append(entryKinds.checkpoint, [value])) return undefined;
    return null;
  }

  function journalOpening(into: Journal, id: string, cells: string): null | undefined {
    if (!into.appendText(recordText(entryKinds.open, cells))) return undefined;
    opened.set(id, undefined);
    return null;
  }

  function journalWithin(
    into: Journal,
    id: string,
    reserve: Money,
    scopes: readonly BudgetScope[],
    cells: string,
  ): string | null | undefined {
    const reserveNano = BigInt(reserve);
    const refusing = budgets?.decide(scopes, reserveNano);
    if (refusing !== null) return refusing;
    const held = `${cells.slice(0, -1)},${JSON.stringify(scopesText(scopes))}]`;
    if (!into.appendText(recordText(entryKinds.openWithin, held))) return undefined;
    opened.set(id, budgets?.hold(scopes, reserveNano));
    return null;
  }

  /** While the journal has openings that the tables lack, the tables cannot decide. */
  async function openWithin(into: Journal, scopes: readonly ScopeRow[], opening: Cells): Promise<string | null> {
    for (let tries = 0; tries < openingTries; tries += 1) {
      await budgets?.load(scopes);
      const refusing = withinFrom(into, scopes, opening);
      if (refusing !== undefined) return refusing;
      // Something else wrote budgets in between, or there is no room until the journal is folded.
      await into.flush();
    }
    throw new StoreUnavailableError('The journal has no room: the database does not keep up.');
  }

  const withinFrom = (into: Journal, scopes: readonly ScopeRow[], opening: Cells) =>
    journalWithin(
      into,
      openingTable.get(opening, 'id'),
      openingTable.get(opening, 'reserveNano'),
      scopes,
      JSON.stringify(opening),
    );

  function journalClosing(into: Journal, id: string, costNano: Money, cells: string): true | undefined {
    if (!opened.has(id) || !into.appendText(recordText(entryKinds.close, cells))) return undefined;
    const held = opened.get(id);
    if (held !== undefined) budgets?.settle(held, BigInt(costNano));
    opened.delete(id);
    return true;
  }

  const records: JournalRecords = {
    open: (id, cells) => (journal === undefined ? undefined : journalOpening(journal, id, cells)),
    openWithin: (id, reserveNano, scopes, cells) =>
      journal === undefined ? undefined : journalWithin(journal, id, reserveNano, scopes, cells),
    close: (id, costNano, cells) => (journal === undefined ? undefined : journalClosing(journal, id, costNano, cells)),
  };

  function run(query: AnyQuery, values: readonly Json[]): Promise<unknown> {
    const result = journaled(query, values);
    if (result !== undefined) return Promise.resolve(result);
    if (query === openAttemptWithin && journal !== undefined)
      return openWithin(journal, values[0] as unknown as readonly ScopeRow[], values[1] as Cells);
    // No room in the journal: the closing is done directly, and so is every repetition of it.
    if (query === closeAttempt) opened.delete(closingTable.get(values[0] as Cells, 'id'));
    // A worker that was taken for dead may still close it: only the tables know what that changes then.
    if (query === closeLostAttempt) opened.delete(String(values[0]));
    const isLong = query.kind === 'long-read';
    const call = (): Promise<Json> =>
      isLong ? longReads().then((lane) => lane.call(query, values)) : writer.call(query, values);
    const mustWait = (isLong || query.afterJournal) && journal?.isEmpty === false;
    const answer = mustWait && journal !== undefined ? journal.flush().then(call) : call();
    // It may have moved budgets, and only its statements know which.
    return budgets === undefined || isHarmless(query) ? answer : answer.finally(() => budgets?.forget());
  }

  const deliver: Deliver = async (generation, span) => {
    try {
      await writer.control({ do: 'fold', generation, path: join(folder, journalName), span });
    } catch (error) {
      onFault();
      throw error;
    }
  };

  async function takeJournal(state: JournalState): Promise<void> {
    const opened = await openJournal({
      folder,
      synchronous,
      state,
      deliver,
      nowMs: options.nowMs(),
      async foldTexts(recovered) {
        await writer.control({ do: 'fold-texts', ...recovered });
      },
      async setInUse(inUse) {
        await writer.control({ do: 'set-journal-in-use', inUse });
      },
    });
    journal = opened.journal;
    const into = opened.journal;
    if (into !== undefined) {
      budgets = new BudgetMemory({
        generation: () => into.generation,
        flush: () => into.flush(),
        read: (scope, windowStartMs) =>
          writer.call(readFoldedBudget as unknown as AnyQuery, [scope, windowStartMs]) as Promise<never>,
      });
    }
    if (opened.notice !== undefined) notices.push(opened.notice);
  }

  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    several: false,
    records,
    get alone() {
      return alone;
    },
    runNow: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      journaled(query as AnyQuery, values) as Result | undefined,
    run: <Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values) =>
      run(query as AnyQuery, values as readonly unknown[] as readonly Json[]) as Promise<Result>,
    async holdAlone() {
      const { journal: state } = await writer.control({ do: 'hold-folder' });
      if (!alone && state !== undefined) await takeJournal(state);
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
      if (await journal?.close())
        await writer.control({ do: 'set-journal-in-use', inUse: false }).catch(() => undefined);
      await (await reader)?.close();
      await writer.close();
    },
  };
}
