/** The thread that owns a SQLite connection, so that the event loop never waits for a disk. */

import type { Call } from './command-log.ts';
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts';
import { allLogged, type BatchAnswer, type Control, type ControlAnswer } from './sqlite-messages.ts';
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

function answerTo(batch: string): string {
  const feed = batch.indexOf('\n');
  const failure = feed === 0 ? null : opened().log(batch.slice(0, feed));
  const text = batch.slice(feed + 1);
  if (failure === null && text === '') return allLogged;
  const answer: BatchAnswer = [failure, ...(text === '' ? noAnswers : opened().runBatch(JSON.parse(text) as Call[]))];
  return JSON.stringify(answer);
}

const noAnswers = [[], []] as const;

self.onmessage = (event: MessageEvent<string | Control>) => {
  const message = event.data;
  if (typeof message === 'string') {
    postMessage(answerTo(message));
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
