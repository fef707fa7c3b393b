/** What the store needs of an engine. The two engines differ behind this and nowhere else. */

import type { BudgetUnit } from '../../access/organization.ts';
import type { Query } from './query.ts';
import type { Money } from './statement.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * Records an opening or a closing whose cells are JSON already. Undefined where the journal cannot take it now: then the
 * query must be run.
 */
export interface JournalRecords {
  open(id: string, cells: string): null | undefined;
  /** The scope that refused, or null. */
  openWithin(opening: KnownOpening, scopes: readonly BudgetScope[], cells: string): string | null | undefined;
  close(closing: KnownClosing, cells: string): true | undefined;
}

/** What is known of an opening without reading its cells. */
export interface KnownOpening {
  readonly id: string;
  readonly reserveNano: Money;
  /** Null where an earlier version opened it. */
  readonly reserveTokens: number | null;
}

/** The same of a closing. */
export interface KnownClosing {
  readonly id: string;
  readonly costNano: Money;
  /** Empty where it served. */
  readonly verdict: string;
  /** Null where they are unknown. */
  readonly tokens: number | null;
}

/** A budget that an opening counts against. */
export interface BudgetScope {
  readonly scope: string;
  readonly windowStartMs: number;
  readonly unit: BudgetUnit;
  readonly limit: Money;
  /** In the caller's order. */
  readonly place: number;
}

export interface Driver {
  readonly engine: Engine;
  /** The version of the schema after opening. */
  readonly schemaVersion: number;
  /** After which the server ends a statement that this process gave up on; 0 where no server is between. */
  readonly serverTimeoutMs: number;
  run<Values extends readonly unknown[], Result>(query: Query<Values, Result>, ...values: Values): Promise<Result>;
  /** The result of a query that could be made durable at once; undefined where it must be run. */
  runNow<Values extends readonly unknown[], Result>(
    query: Query<Values, Result>,
    ...values: Values
  ): Result | undefined;
  /** The embedded engine's journal, for records that other processes wrote as text. */
  readonly records?: JournalRecords | undefined;
  /** Makes this process the only one that serves from these data, where the engine does not support several. */
  holdAlone(): Promise<void>;
  /** True where no other process can be serving from these data. */
  readonly alone: boolean;
  /** Several processes may serve from these data: what each must know of the others' requests is in the database. */
  readonly several: boolean;
  /** The database is a server that another may replace, which may lack the last that was written. */
  readonly failsOver: boolean;
  /**
   * Something failed because the database was unreachable or could not write, and nothing has succeeded since to show that this is
   * over. Only failures set it, so that a success costs nothing.
   */
  readonly faulted: boolean;
  clearFault(): void;
  /** For the operator: what was found when this process began to serve. */
  notices(): readonly string[];
  /** Finishes what was asked for, then closes the database. */
  close(): Promise<void>;
}
