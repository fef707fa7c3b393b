/**
 * The writes that a worker records in a journal of its own: those of requests that no other process decides on, because they have
 * no budget or because the worker has shares of all their budgets.
 */

import { chargedAmounts, chargeOf, reservedAmounts, reserveOf } from '../attempts/amounts.ts';
import {
  checkpointAttempts,
  closeAttempt,
  closeLostAttempt,
  openAttempt,
  openAttemptWithin,
} from '../attempts/attempt-queries.ts';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery } from '../sql/query.ts';
import type { Money } from '../sql/statement.ts';
import { entryKinds } from './entries.ts';
import { cellsWithin, type Journal, recordText } from './journal.ts';
import type { HeldBudgets } from './known-scopes.ts';
import type { WorkerShares } from './worker-shares.ts';

type Checkpoint = readonly [id: string, costNano: Money];

export class WorkerWrites {
  readonly #journal: Journal;
  readonly #shares: WorkerShares;
  /** Attempts that were opened here and not closed yet, and what they hold: their closing comes here too. */
  readonly #opened = new Map<string, HeldBudgets | undefined>();
  /** Attempts that were opened here and are to be ended in the tables, until they are: the tables must have their openings first. */
  readonly #endedThere = new Set<string>();

  constructor(journal: Journal, shares: WorkerShares) {
    this.#journal = journal;
    this.#shares = shares;
  }

  /** The result, or undefined where the query must be run. */
  now(query: AnyQuery, [value, second]: readonly unknown[]): unknown {
    if (query === openAttempt) return this.#open(value as Cells);
    if (query === openAttemptWithin) return this.#openWithin(value as readonly ScopeRow[], second as Cells);
    if (query === closeAttempt) return this.#close(value as Cells);
    if (query === checkpointAttempts) return this.#checkpoint(value as readonly Checkpoint[]);
    return undefined;
  }

  /** Must the tables have what was recorded here before this query runs? Only its statements know what it changes. */
  concerns(query: AnyQuery, [value]: readonly unknown[]): boolean {
    if (query === openAttempt) return false;
    const id = endedBy(query, value);
    if (id === undefined) return true;
    // It is closed directly: by another worker, or because there is no room here. So is every repetition.
    const held = this.#opened.get(id);
    if (held !== undefined) this.#shares.drop(held);
    if (this.#opened.delete(id)) this.#endedThere.add(id);
    return query !== closeAttempt || this.#endedThere.has(id);
  }

  /** The query was run on the tables. */
  ran(query: AnyQuery, [value]: readonly unknown[]): void {
    const id = endedBy(query, value);
    if (id !== undefined) this.#endedThere.delete(id);
  }

  #open(opening: Cells): null | undefined {
    if (!this.#journal.appendText(recordText(entryKinds.open, JSON.stringify(opening)))) return undefined;
    this.#opened.set(openingTable.get(opening, 'id'), undefined);
    return null;
  }

  /** Null where it is admitted; whether it is refused, the process that decides on budgets must say. */
  #openWithin(scopes: readonly ScopeRow[], opening: Cells): null | undefined {
    const reserved = reservedAmounts(reserveOf(opening));
    if (!this.#shares.admits(scopes, reserved)) return undefined;
    const held = this.#shares.hold(scopes, reserved);
    const cells = cellsWithin(JSON.stringify(opening), scopes);
    if (!this.#journal.appendText(recordText(entryKinds.openWithin, cells))) {
      this.#shares.undo(held);
      return undefined;
    }
    this.#opened.set(openingTable.get(opening, 'id'), held);
    return null;
  }

  #close(closing: Cells): true | undefined {
    const id = closingTable.get(closing, 'id');
    if (!this.#opened.has(id)) return undefined;
    const held = this.#opened.get(id);
    const charged = held && chargedAmounts(chargeOf(closing), held.reserved.tokens);
    if (held !== undefined && charged !== undefined) this.#shares.settle(held, charged);
    if (!this.#journal.appendText(recordText(entryKinds.close, JSON.stringify(closing)))) {
      if (held !== undefined && charged !== undefined) this.#shares.unsettle(held, charged);
      return undefined;
    }
    this.#opened.delete(id);
    return true;
  }

  /** Where all of them were opened here. */
  #checkpoint(costs: readonly Checkpoint[]): null | undefined {
    if (!costs.every(([id]) => this.#opened.has(id))) return undefined;
    return this.#journal.append(entryKinds.checkpoint, [costs]) ? null : undefined;
  }
}

/** The attempt that a query ends. */
function endedBy(query: AnyQuery, value: unknown): string | undefined {
  if (query === closeAttempt) return closingTable.get(value as Cells, 'id');
  return query === closeLostAttempt ? String(value) : undefined;
}
