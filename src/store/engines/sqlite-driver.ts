/** The embedded engine: one thread writes with group commit, a second one, started when first needed, does long reads. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Roster } from '../../conversation/tools/roster.ts';
import { checkpointAttempts, closeAttempt, openAttempt } from '../attempts/attempt-queries.ts';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import { entryKinds } from '../journal/entries.ts';
import type { JournalState } from '../journal/fold.ts';
import type { Deliver, Journal } from '../journal/journal.ts';
import { journalName, openJournal } from '../journal/open-journal.ts';
import type { Driver } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery, Json, Query } from '../sql/query.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import type { SqliteOptions } from './sqlite-connection.ts';
import { type SqliteLane, startSqliteLane } from './sqlite-lane.ts';

interface SqliteDriverOptions {
  readonly folder: string;
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
}

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
  /** Attempts that were opened in the journal and not closed yet: their closing may go there too. */
  const opened = new Roster<string>();

  const longReads = (): Promise<SqliteLane> => {
    reader ??= openLane({ folder, synchronous, readOnly: true, nowMs: options.nowMs() }).then(({ lane }) => lane);
    return reader;
  };

  /** The process that serves alone knows the results of these queries, so they need only be durable, not done. */
  function journaled(query: AnyQuery, value: unknown): unknown {
    if (journal === undefined) return undefined;
    if (query === openAttempt) return journalOpening(journal, value as Cells);
    if (query === closeAttempt) return journalClosing(journal, value as Cells);
    if (query !== checkpointAttempts || !journal.append(entryKinds.checkpoint, [value])) return undefined;
    return null;
  }

  function journalOpening(into: Journal, opening: Cells): null | undefined {
    if (!into.append(entryKinds.open, opening)) return undefined;
    opened.add(openingTable.get(opening, 'id'));
    return null;
  }

  function journalClosing(into: Journal, closing: Cells): true | undefined {
    const id = closingTable.get(closing, 'id');
    if (!opened.has(id) || !into.append(entryKinds.close, closing)) return undefined;
    opened.delete(id);
    return true;
  }

  function run(query: AnyQuery, values: readonly Json[]): Promise<unknown> {
    const result = journaled(query, values[0]);
    if (result !== undefined) return Promise.resolve(result);
    // No room in the journal: the closing is done directly, and so is every repetition of it.
    if (query === closeAttempt) opened.delete(closingTable.get(values[0] as Cells, 'id'));
    const isLong = query.kind === 'long-read';
    const call = (): Promise<Json> =>
      isLong ? longReads().then((lane) => lane.call(query, values)) : writer.call(query, values);
    const mustWait = (isLong || query.afterJournal) && journal?.isEmpty === false;
    return mustWait && journal !== undefined ? journal.flush().then(call) : call();
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
    if (opened.notice !== undefined) notices.push(opened.notice);
  }

  return {
    engine: 'sqlite',
    schemaVersion,
    serverTimeoutMs: 0,
    get alone() {
      return alone;
    },
    runNow: <Value, Result>(query: Query<[Value], Result>, value: Value) =>
      journaled(query as AnyQuery, value) as Result | undefined,
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
