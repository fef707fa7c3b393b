/** The thread that owns a SQLite connection, so that the event loop never waits for a disk. */

import type { Call } from './fold.ts';
import { readRecords } from './journal-records.ts';
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import type { Control, ControlAnswer } from './sqlite-messages.ts';
import { carryError } from './store-errors.ts';

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
      return opened().holdFolder();
    case 'fold':
      opened().fold(control.generation, readRecords(control.path, control.span) as Call[]);
      return 0;
    case 'close':
      connection?.close();
      connection = undefined;
      return 0;
  }
}

self.onmessage = (event: MessageEvent<string | Control>) => {
  const message = event.data;
  if (typeof message === 'string') {
    postMessage(JSON.stringify(opened().runBatch(JSON.parse(message) as Call[])));
    return;
  }
  let answer: ControlAnswer;
  try {
    answer = { ok: true, number: obey(message) };
  } catch (error) {
    answer = { ok: false, error: carryError(error) };
  }
  postMessage(answer);
};
