/**
 * A copy of the embedded database while Weir runs: one consistent state of the tables, and what the journal held that was not in them yet.
 * The journal is read first: whatever was acknowledged by then is in the one or in the other.
 */

import { Database } from 'bun:sqlite';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readEntries } from '../journal/entries.ts';
import { type RecoveredGeneration, recoverJournal } from '../journal/journal-recovery.ts';
import { journalPath, journalsIn } from '../journal/open-journal.ts';
import { migrations } from '../migrations/migrations.ts';
import { databaseFileName, openSqlite } from './sqlite-connection.ts';

/** A failure that an operator can fix. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly schemaVersion: number;
  /** Row counts of the tables that operators know by name. */
  readonly counts: readonly (readonly [name: string, count: number])[];
}

interface BackupOptions {
  readonly dataFolder: string;
  readonly file: string;
  readonly nowMs: number;
}

const busyTimeoutMs = 30_000;

const counted = [
  ['tokens', 'tokens'],
  ['people', 'accounts'],
  ['requests', 'usage_rows'],
  ['attempts', 'attempts'],
  ['videos ordered', 'tasks'],
] as const;

export function backUp(options: BackupOptions): BackupReport {
  const source = join(options.dataFolder, databaseFileName);
  if (!existsSync(source)) throw new BackupError(`There is no database ${source}.`);
  const file = resolve(options.file);
  reserve(file);
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(dirname(file), '.weir-backup-'));
    const report = copyInto(options, source, folder);
    sync(join(folder, databaseFileName));
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
  const schemaVersion = readNumber(copy, 'SELECT COALESCE(MAX(version), 0) FROM schema_versions');
  const left = found.flatMap(({ journal, bytes }) => {
    const done = readNumber(copy, `SELECT generation FROM journal WHERE id = ${journal}`);
    return recoverJournal(bytes, done, 'in use').generations.map((recovered) => ({ journal, ...recovered }));
  });
  fold(options, folder, schemaVersion, left);
  return { schemaVersion, counts: counted.map(([name, table]) => [name, countRows(copy, table)]) };
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

function readNumber(file: string, sql: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return Number(database.query(sql).values()[0]?.[0] ?? 0);
  } finally {
    database.close();
  }
}

/** A table of a later version is not there in an earlier one. */
function countRows(file: string, table: string): number {
  const exists = readNumber(file, `SELECT COUNT(*) FROM sqlite_master WHERE name = '${table}'`) === 1;
  return exists ? readNumber(file, `SELECT COUNT(*) FROM ${table}`) : 0;
}

function sync(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

function plain(error: unknown, file: string): unknown {
  if (error instanceof BackupError || codeOf(error) === '') return error;
  return new BackupError(`The backup ${file} could not be written: ${(error as Error).message}`);
}
