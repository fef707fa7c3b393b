/** What crosses between the event loop and a database thread. */

import type { JournalState } from '../journal/fold.ts';
import type { Span } from '../journal/journal-records.ts';
import type { CarriedError } from '../sql/store-errors.ts';
import type { SqliteOptions } from './sqlite-connection.ts';

/** Control messages are objects; a batch of calls is one JSON string, which crosses threads at the least cost. */
export type Control =
  | { readonly do: 'open'; readonly options: SqliteOptions }
  | { readonly do: 'hold-folder' }
  | { readonly do: 'fold'; readonly generation: number; readonly path: string; readonly span: Span }
  /** What a dead process left, read already. */
  | {
      readonly do: 'fold-texts';
      readonly generation: number;
      readonly version: number;
      readonly texts: readonly string[];
    }
  | { readonly do: 'set-journal-in-use'; readonly inUse: boolean }
  | { readonly do: 'close' };

/** `number` is the schema's version after opening; `journal` comes after holding the folder. */
export type ControlAnswer =
  | { readonly ok: true; readonly number: number; readonly journal?: JournalState }
  | { readonly ok: false; readonly error: CarriedError };
