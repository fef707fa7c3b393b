/** What crosses between the event loop and a database thread. */

import type { Generation, JournalState } from '../journal/fold.ts';
import type { Span } from '../journal/journal-records.ts';
import type { CarriedError } from '../sql/store-errors.ts';
import type { SqliteOptions } from './sqlite-connection.ts';

/** Control messages are objects; a batch of calls is one JSON string, which crosses threads at the least cost. */
export type Control =
  | { readonly do: 'open'; readonly options: SqliteOptions }
  | { readonly do: 'hold-folder' }
  | { readonly do: 'read-journal-state'; readonly journal: number }
  | { readonly do: 'fold'; readonly of: Generation; readonly path: string; readonly span: Span }
  /** What a dead process left, read already. */
  | { readonly do: 'fold-texts'; readonly of: Generation; readonly version: number; readonly texts: readonly string[] }
  | { readonly do: 'set-journal-in-use'; readonly journal: number; readonly inUse: boolean }
  | { readonly do: 'close' };

/** `number` is the schema's version after opening; `inUse` are the journals in use when the folder was held. */
export type ControlAnswer =
  | { readonly ok: true; readonly number: number; readonly state?: JournalState; readonly inUse?: readonly number[] }
  | { readonly ok: false; readonly error: CarriedError };
