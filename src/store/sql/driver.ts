/** What the store needs of an engine. The two engines differ behind this and nowhere else. */

import type { OperationName, OperationResult, OperationValues } from '../engines/operations.ts';

export type Engine = 'sqlite' | 'postgres';

export interface Driver {
  readonly engine: Engine;
  /** The version of the schema after opening. */
  readonly schemaVersion: number;
  run<Name extends OperationName>(name: Name, ...values: OperationValues<Name>): Promise<OperationResult<Name>>;
  /** The answer of a call that could be made durable at once; undefined where it must be run. */
  runNow<Name extends OperationName>(name: Name, values: OperationValues<Name>): OperationResult<Name> | undefined;
  /** Makes this process the only one that serves from these data, where the engine is not made for several. */
  holdAlone(): Promise<void>;
  /** True where no other process can be serving from these data. */
  readonly alone: boolean;
  /**
   * Something failed because the database was away or could not write, and nothing has shown since that this has passed. Only
   * faults set it, so that what succeeds pays nothing.
   */
  readonly faulted: boolean;
  clearFault(): void;
  /** What people should know of what was found when this process began to serve. */
  notices(): readonly string[];
  /** Finishes what was asked for, then lets go of the database. */
  close(): Promise<void>;
}
