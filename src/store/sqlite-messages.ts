/** What crosses between the event loop and a database thread. */

import type { Json } from './operations.ts';
import type { Failures, SqliteOptions } from './sqlite-connection.ts';
import type { CarriedError } from './store-errors.ts';

/**
 * Control messages are objects. A batch is one string, which crosses threads at the least cost: the JSON of the calls for the
 * command log, a line feed, the JSON of the calls to be run; either may be empty.
 */
export type Control =
  | { readonly do: 'open'; readonly options: SqliteOptions }
  | { readonly do: 'hold-folder' }
  | { readonly do: 'close' };

export type ControlAnswer =
  | { readonly ok: true; readonly schemaVersion: number }
  | { readonly ok: false; readonly error: CarriedError };

/** The answer to a batch that had nothing but calls for the log, all of them durable now. */
export const allLogged = '';

/** Every other answer: what kept the log from being written, then results and failures of the calls that were run. */
export type BatchAnswer = readonly [logFailure: CarriedError | null, results: readonly Json[], failures: Failures];
