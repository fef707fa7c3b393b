/**
 * A copy of the embedded database while Weir runs: one consistent state of the tables, and what the journal held that was not in them yet.
 * The journal is read first: whatever was acknowledged by then is in the one or in the other.
 */

import { Database } from 'bun:sqlite';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readEntries } from '../journal/entries.ts';
import { type RecoveredGeneration, recoverJournal } from '../journal/journal-recovery.ts';
import { journalPath, journalsIn } from '../journal/open-journal.ts';
import { migrations } from '../migrations/migrations.ts';
import {
  BackupError,
  codeOf,
  countsIn,
  type RowCounts,
  readNumber,
  schemaVersionIn,
  syncFile,
} from './database-file.ts';
import { databaseFileName, openSqlite } from './sqlite-connection.ts';

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly schemaVersion: number;
  readonly counts: RowCounts;
}

interface BackupOptions {
  readonly dataFolder: string;
  readonly file: string;
  readonly nowMs: number;
}

const busyTimeoutMs = 30_000;

export function backUp(options: BackupOptions): BackupReport {
  const source = join(options.dataFolder, databaseFileName);
  if (!existsSync(source)) throw new BackupError(`There is no database ${source}.`);
  const file = resolve(options.file);
  reserve(file);
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(dirname(file), '.weir-backup-'));
    const report = copyInto(options, source, folder);
    syncFile(join(folder, databaseFileName));
    renameSync(join(folder, databaseFileName), file);
    return { ...report, file, bytes: statSync(file).size };
  } catch (error) {
    rmSync(file, { force: true });
    throw plain(error, file);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing is overwritten, and the file is readable by its owner only from its first byte on. */
function reserve(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new BackupError(`${file} exists already. Name another file, or remove it.`);
    throw plain(error, file);
  }
}

function copyInto(
  options: BackupOptions,
  source: string,
  folder: string,
): Pick<BackupReport, 'schemaVersion' | 'counts'> {
  const found = journalsIn(options.dataFolder).map((journal) => ({
    journal,
    bytes: readFileSync(journalPath(options.dataFolder, journal)),
  }));
  const copy = join(folder, databaseFileName);
  closeSync(openSync(copy, 'wx', 0o600));
  const database = new Database(source, { readonly: true });
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    database.run('VACUUM INTO ?', [copy]);
  } finally {
    database.close();
  }
  const schemaVersion = schemaVersionIn(copy);
  const left = found.flatMap(({ journal, bytes }) => {
    const done = readNumber(copy, `SELECT generation FROM journal WHERE id = ${journal}`);
    return recoverJournal(bytes, done, 'in use').generations.map((recovered) => ({ journal, ...recovered }));
  });
  fold(options, folder, schemaVersion, left);
  return { schemaVersion, counts: countsIn(copy) };
}

function fold(
  options: BackupOptions,
  folder: string,
  schemaVersion: number,
  left: readonly (RecoveredGeneration & { readonly journal: number })[],
): void {
  if (schemaVersion !== migrations.at(-1)?.version) {
    // Opening the copy would bring its schema forward, and the Weir that serves could not use it.
    if (left.length === 0) return;
    throw new BackupError(
      `The Weir that serves from ${options.dataFolder} is of another version. Make the backup with the same version, or stop it first.`,
    );
  }
  const connection = openSqlite({ folder, synchronous: 'normal', readOnly: false, nowMs: options.nowMs });
  try {
    for (const { journal, generation, version, texts } of left)
      connection.fold({ journal, generation }, readEntries(version, texts));
    // The copy has no journals, and needs none.
    for (const journal of connection.journalsInUse()) connection.setJournalInUse(journal, false);
  } finally {
    connection.close();
  }
}

function plain(error: unknown, file: string): unknown {
  if (error instanceof BackupError || codeOf(error) === '') return error;
  return new BackupError(`The backup ${file} could not be written: ${(error as Error).message}`);
}
