/** The writes that a worker records in a journal of its own: those of requests without a budget, which no other process decides on. */

import { checkpointAttempts, closeAttempt, closeLostAttempt, openAttempt } from '../attempts/attempt-queries.ts';
import { closingTable, openingTable } from '../attempts/attempt-table.ts';
import type { Cells } from '../sql/packed.ts';
import type { AnyQuery } from '../sql/query.ts';
import type { Money } from '../sql/statement.ts';
import { entryKinds } from './entries.ts';
import { type Journal, recordText } from './journal.ts';

type Checkpoint = readonly [id: string, costNano: Money];

export class WorkerWrites {
  readonly #journal: Journal;
  /** Attempts that were opened here and not closed yet: their closing comes here too. */
  readonly #opened = new Set<string>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The result, or undefined where the query must be run. */
  now(query: AnyQuery, [value]: readonly unknown[]): unknown {
    if (query === openAttempt) return this.#open(value as Cells);
    if (query === closeAttempt) return this.#close(value as Cells);
    if (query === checkpointAttempts) return this.#checkpoint(value as readonly Checkpoint[]);
    return undefined;
  }

  /** Must the tables have what was recorded here before this query runs? Only its statements know what it changes. */
  concerns(query: AnyQuery, [value]: readonly unknown[]): boolean {
    if (query === openAttempt) return false;
    const id =
      query === closeAttempt ? closingTable.get(value as Cells, 'id') : query === closeLostAttempt ? String(value) : '';
    // It is closed directly: by another worker, or because there is no room here. So is every repetition.
    const isOurs = this.#opened.delete(id);
    return query !== closeAttempt || isOurs;
  }

  #open(opening: Cells): null | undefined {
    if (!this.#journal.appendText(recordText(entryKinds.open, JSON.stringify(opening)))) return undefined;
    this.#opened.add(openingTable.get(opening, 'id'));
    return null;
  }

  #close(closing: Cells): true | undefined {
    const id = closingTable.get(closing, 'id');
    if (!this.#opened.has(id) || !this.#journal.appendText(recordText(entryKinds.close, JSON.stringify(closing))))
      return undefined;
    this.#opened.delete(id);
    return true;
  }

  /** Where all of them were opened here. */
  #checkpoint(costs: readonly Checkpoint[]): null | undefined {
    if (!costs.every(([id]) => this.#opened.has(id))) return undefined;
    return this.#journal.append(entryKinds.checkpoint, [costs]) ? null : undefined;
  }
}
