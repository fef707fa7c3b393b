/** The writes that a process that serves alone knows the results of: they need only be durable, and the tables follow. */

import { type Amounts, chargedAmounts, chargeOf, reservedAmounts, reserveOf } from '../attempts/amounts.ts';
import {
  checkpointAttempts,
  closeAttempt,
  closeLostAttempt,
  openAttempt,
  openAttemptWithin,
} from '../attempts/attempt-queries.ts';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import type { BudgetScope, JournalRecords, KnownClosing, KnownOpening } from '../sql/driver.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery } from '../sql/query.ts';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { BudgetMemory, type ReadWindow } from './budget-memory.ts';
import { entryKinds } from './entries.ts';
import type { Generation } from './fold.ts';
import { cellsWithin, type Journal, recordText } from './journal.ts';
import type { HeldBudgets } from './known-scopes.ts';
import type { RecalledWindows, ShareGrants, ShareReport } from './share-report.ts';

/** So often an opening waits until the journal is folded and has room. */
const openingTries = 4;
/** How long an opening is tried while queries move its budgets in the tables. */
const openingMsMax = 10_000;

const noScopes: readonly ScopeRow[] = [];

export class JournaledWrites implements JournalRecords {
  readonly #journal: Journal;
  readonly #budgets: BudgetMemory;
  readonly #flushWorkers: () => Promise<void>;
  /** Attempts that were opened in the journal and not closed yet, and what they hold: their closing may go there too. */
  readonly #opened = new Map<string, HeldBudgets | undefined>();

  /** Records that the journal had no room for. */
  #refused = 0;
  /** Queries in flight that may move budgets in the tables. */
  #moving = 0;
  /** Resolved when there are none. */
  #moved = Promise.withResolvers<void>();

  constructor(
    journal: Journal,
    readWindow: (scope: string, windowStartMs: number) => Promise<ReadWindow>,
    recall: (journal: number, windows: RecalledWindows) => Promise<void>,
    flushWorkers: () => Promise<void>,
  ) {
    this.#journal = journal;
    this.#flushWorkers = flushWorkers;
    this.#budgets = new BudgetMemory({ flush: () => journal.flush(), read: readWindow, recall });
  }

  /** The result, or undefined where the query must be run. */
  now(query: AnyQuery, [value, second]: readonly unknown[]): unknown {
    if (query === openAttempt) return this.open(openingTable.get(value as Cells, 'id'), JSON.stringify(value));
    if (query === openAttemptWithin) return this.#within(value as readonly ScopeRow[], second as Cells);
    if (query === closeAttempt) {
      const closing = value as Cells;
      // Its cells are many: they are written only where they are needed.
      if (!this.#opened.has(closingTable.get(closing, 'id'))) return undefined;
      return this.close(chargeOf(closing), JSON.stringify(closing));
    }
    if (query !== checkpointAttempts || !this.#journal.append(entryKinds.checkpoint, [value])) return undefined;
    return null;
  }

  open(id: string, cells: string): null | undefined {
    if (!this.#journal.appendText(recordText(entryKinds.open, cells))) return undefined;
    this.#opened.set(id, undefined);
    return null;
  }

  openWithin(opening: KnownOpening, scopes: readonly BudgetScope[], cells: string): string | null | undefined {
    if (this.#moving > 0) return undefined;
    const reserved = reservedAmounts(opening);
    const refusing = this.#budgets.decide(scopes, reserved);
    if (refusing === null) return this.#openAdmitted(opening.id, reserved, scopes, cells);
    // Workers may have room that they do not need.
    return refusing === undefined || this.#budgets.isShared(scopes) ? undefined : refusing;
  }

  close(closing: KnownClosing, cells: string): true | undefined {
    const { id } = closing;
    // The journal may begin the next one while it takes the record.
    const { generation } = this.#journal;
    if (!this.#opened.has(id) || !this.#journal.appendText(recordText(entryKinds.close, cells))) return undefined;
    const held = this.#opened.get(id);
    if (held !== undefined) this.#budgets.settle(held, chargedAmounts(closing, held.reserved.tokens), generation);
    this.#opened.delete(id);
    return true;
  }

  #within(scopes: readonly ScopeRow[], opening: Cells): string | null | undefined {
    return this.openWithin(reserveOf(opening), scopes, JSON.stringify(opening));
  }

  #openAdmitted(id: string, reserved: Amounts, scopes: readonly BudgetScope[], cells: string): null | undefined {
    const { generation } = this.#journal;
    if (!this.#journal.appendText(recordText(entryKinds.openWithin, cellsWithin(cells, scopes)))) {
      this.#refused += 1;
      return undefined;
    }
    this.#opened.set(id, this.#budgets.hold(scopes, reserved, generation));
    return null;
  }

  /** While the journal has openings that the tables lack, the tables cannot decide. */
  async openOnceLoaded(scopes: readonly ScopeRow[], opening: Cells): Promise<string | null> {
    const untilMs = performance.now() + openingMsMax;
    for (let tries = 0; tries < openingTries && performance.now() < untilMs; ) {
      const refusedBefore = this.#refused;
      while (this.#moving > 0) await this.#moved.promise;
      await this.#budgets.load(scopes);
      const refusing = this.#budgets.isShared(scopes)
        ? await this.#withinRecalled(scopes, opening)
        : this.#within(scopes, opening);
      if (refusing !== undefined) return refusing;
      // There is no room until the journal is folded, or something else wrote budgets in between.
      if (this.#refused > refusedBefore) tries += 1;
      await this.#journal.flush();
    }
    throw new StoreUnavailableError('An opening was not recorded in time: the database does not keep up.');
  }

  /** Where there is no room, workers give theirs back first: what is refused then has none anywhere. */
  async #withinRecalled(scopes: readonly ScopeRow[], opening: Cells): Promise<string | null | undefined> {
    const decided = this.#within(scopes, opening);
    if (decided !== undefined || this.#moving > 0) return decided;
    await this.#budgets.recall(scopes);
    try {
      if (this.#moving > 0) return undefined;
      const refusing = this.#budgets.decide(scopes, reservedAmounts(reserveOf(opening)));
      return typeof refusing === 'string' ? refusing : this.#within(scopes, opening);
    } finally {
      this.#budgets.decided(scopes);
    }
  }

  /** What a worker used of its shares of budgets, and by how much they grow. */
  report(report: ShareReport): ShareGrants {
    // What is being changed in the tables is not known here.
    return this.#budgets.report(report, this.#moving === 0);
  }

  /** A generation of a worker's journal is in the tables. */
  folded(of: Generation): void {
    this.#budgets.folded(of);
  }

  /** A worker is gone, and its journal in the tables. */
  workerEnded(journal: number): void {
    this.#budgets.ended(journal);
  }

  /** The query is run on the tables. */
  running(query: AnyQuery, values: readonly unknown[]): void {
    // No room in the journal: the closing is done directly, and so is every repetition of it.
    if (query === closeAttempt) this.#opened.delete(closingTable.get(values[0] as Cells, 'id'));
    // A worker that was taken for dead may still close it: only the tables know what that changes then.
    if (query === closeLostAttempt) this.#opened.delete(String(values[0]));
  }

  /**
   * Runs a query that may move budgets in the tables, and only its statements know which: they have all that was recorded
   * before, nothing is held against a budget meanwhile, and budgets are read again when they are next needed. Where the
   * query opens an attempt, workers give back their shares of its budgets first, and what they recorded is in the tables.
   */
  async moveBudgets<Result>(
    run: (opened: readonly ScopeRow[]) => Promise<Result>,
    opened: readonly ScopeRow[] = noScopes,
  ): Promise<Result> {
    this.#moving += 1;
    try {
      if (opened.length > 0) {
        await this.#budgets.recall(opened);
        await this.#flushWorkers();
      }
      await this.#journal.flush();
      return await run(this.#budgets.besideShares(opened));
    } finally {
      if (opened.length > 0) this.#budgets.decided(opened);
      this.#budgets.forget();
      this.#moving -= 1;
      if (this.#moving === 0) {
        this.#moved.resolve();
        this.#moved = Promise.withResolvers();
      }
    }
  }
}
