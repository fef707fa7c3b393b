/** The thread that owns a SQLite connection, so that the event loop never waits for a disk. */

import { type Entry, readEntries } from '../journal/entries.ts';
import { readRecords } from '../journal/journal-records.ts';
import { carryError } from '../sql/store-errors.ts';
import { type Call, openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import type { Control, ControlAnswer } from './sqlite-messages.ts';

declare const self: Worker;
let connection: SqliteConnection | undefined;

function opened(): SqliteConnection {
  if (connection === undefined) throw new Error('The database is not open.');
  return connection;
}

type Answer = ControlAnswer & { readonly ok: true };

const done: Answer = { ok: true, number: 0 };

function obey(control: Control): Answer {
  switch (control.do) {
    case 'open':
      connection = openSqlite(control.options);
      return { ok: true, number: connection.schemaVersion };
    case 'hold-folder':
      opened().holdFolder();
      return { ...done, inUse: opened().journalsInUse() };
    case 'read-journal-state':
      return { ...done, state: opened().journalState(control.journal) };
    case 'fold':
      opened().fold(control.of, readRecords(control.path, control.span) as Entry[]);
      return done;
    case 'fold-texts':
      opened().fold(control.of, readEntries(control.version, control.texts));
      return done;
    case 'set-journal-in-use':
      opened().setJournalInUse(control.journal, control.inUse);
      return done;
    case 'close':
      connection?.close();
      connection = undefined;
      return done;
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
    answer = obey(message);
  } catch (error) {
    answer = { ok: false, error: carryError(error) };
  }
  postMessage(answer);
};
