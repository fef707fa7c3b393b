/** The thread that owns a SQLite connection, so that the event loop never waits for a disk. */

import type { Call } from './command-log.ts';
import { openSqlite, type SqliteConnection, type SqliteOptions } from './sqlite-connection.ts';
import { type CarriedError, carryError } from './store-errors.ts';

/** Control messages are objects; a batch of calls is one JSON string, which crosses threads at the least cost. */
export type Control =
  | { readonly do: 'open'; readonly options: SqliteOptions }
  | { readonly do: 'hold-folder' }
  | { readonly do: 'close' };

export type ControlAnswer =
  | { readonly ok: true; readonly schemaVersion: number }
  | { readonly ok: false; readonly error: CarriedError };

declare const self: Worker;
let connection: SqliteConnection | undefined;

function opened(): SqliteConnection {
  if (connection === undefined) throw new Error('The database is not open.');
  return connection;
}

function obey(control: Control): number {
  switch (control.do) {
    case 'open':
      connection = openSqlite(control.options);
      return connection.schemaVersion;
    case 'hold-folder':
      opened().holdFolder();
      return 0;
    case 'close':
      clearTimeout(folding);
      connection?.close();
      connection = undefined;
      return 0;
  }
}

const foldAfterMs = 100;
const foldAgainAfterMs = 1_000;
let folding: Timer | undefined;

/** Calls that arrive meanwhile come first: between two folds the thread looks at its messages. */
function foldSoon(afterMs: number): void {
  folding ??= setTimeout(() => {
    folding = undefined;
    try {
      if (connection?.foldSome() === true) foldSoon(0);
    } catch {
      // A full disk, say. The log keeps what it holds; whoever asks for the tables learns of the fault.
      foldSoon(foldAgainAfterMs);
    }
  }, afterMs);
}

self.onmessage = (event: MessageEvent<string | Control>) => {
  const message = event.data;
  if (typeof message === 'string') {
    postMessage(JSON.stringify(opened().runBatch(JSON.parse(message) as Call[], message)));
    foldSoon(foldAfterMs);
    return;
  }
  let answer: ControlAnswer;
  try {
    answer = { ok: true, schemaVersion: obey(message) };
  } catch (error) {
    answer = { ok: false, error: carryError(error) };
  }
  postMessage(answer);
};
