/**
 * Puts a backup of the embedded database into a data folder that no Weir serves from. It is checked on a copy inside that
 * folder; until all checks have passed nothing else there changes.
 */

import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { migrations } from '../migrations/migrations.ts';
import { type BackupKey, findBackupKey } from '../secret-keys/backup-key.ts';
import { keyFilePath, secretKeyFileName } from '../secret-keys/key-file.ts';
import type { SecretSources } from '../secret-keys/secret-key.ts';
import { FolderInUseError } from '../sql/store-errors.ts';
import {
  BackupError,
  codeOf,
  countsIn,
  hasTable,
  type RowCounts,
  readRows,
  schemaVersionIn,
  syncFile,
} from './database-file.ts';
import type { ProcessLock } from './process-lock.ts';
import { databaseFileName, lockFolder } from './sqlite-connection.ts';

interface RestoreOptions extends SecretSources {
  readonly file: string;
  readonly keyFile: string | undefined;
  /** Moves the database that is there aside. */
  readonly replace: boolean;
  readonly nowMs: number;
}

interface FoundDatabase {
  readonly schemaVersion: number;
  /** To which the first start migrates it. */
  readonly schemaVersionKnown: number;
  readonly counts: RowCounts;
}

export interface RestoreReport extends FoundDatabase {
  readonly bytes: number;
  /** Undefined where the database has not seen any key. */
  readonly key: BackupKey | undefined;
  /** The folder that has what was there before. */
  readonly aside: string | undefined;
}

export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { dataFolder } = options;
  const file = resolve(options.file);
  checkFile(file);
  const lock = holdFolder(dataFolder);
  let draftFolder: string | undefined;
  try {
    const old = databaseFilesIn(dataFolder);
    if (old.length > 0 && !options.replace) throw hasDatabase(dataFolder, old);
    draftFolder = mkdtempSync(join(dataFolder, '.weir-restore-'));
    const draft = join(draftFolder, databaseFileName);
    copyForOwner(file, draft, dataFolder);
    const found = checkDatabase(draft, file);
    const get = async (name: string): Promise<string | undefined> => settingIn(draft, name);
    const key = await findBackupKey({ ...options, backup: file, settings: { get } });
    const keyDraft = draftKey(key, draftFolder, dataFolder);
    const bytes = statSync(draft).size;
    const aside = moveAside(options, [...old, ...(keyDraft === undefined ? [] : oldKeyIn(dataFolder))]);
    if (keyDraft !== undefined) renameSync(keyDraft, keyFilePath(dataFolder));
    renameSync(draft, join(dataFolder, databaseFileName));
    return { ...found, bytes, key, aside };
  } catch (error) {
    throw plain(error, dataFolder);
  } finally {
    if (draftFolder !== undefined) rmSync(draftFolder, { recursive: true, force: true });
    lock.release();
  }
}

function checkFile(file: string): void {
  if (!existsSync(file) || !statSync(file).isFile()) throw new BackupError(`There is no file ${file}.`);
  const log = `${file}-wal`;
  if (!existsSync(log) || statSync(log).size === 0) return;
  throw new BackupError(
    `${file} has a write-ahead log (${basename(log)}) beside it: it is a database in use or a plain copy of one, not a backup. \`weir backup\` makes one.`,
  );
}

/** Held to the end, so that no Weir starts on a folder that is half restored. */
function holdFolder(dataFolder: string): ProcessLock {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    return lockFolder(dataFolder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw plain(error, dataFolder);
    throw new BackupError(`A Weir serves from the data folder ${dataFolder}. Stop it first, then restore.`);
  }
}

/** What belongs to one state of the database. Images and videos stay: the restored rows name those that they need. */
const databaseFile = /^(weir\.db(-wal|-shm)?|journal(-\d+)?|journal\.damaged-.*|closings-.*\.spill(\.damaged)?)$/;

const databaseFilesIn = (dataFolder: string): readonly string[] =>
  readdirSync(dataFolder).filter((name) => databaseFile.test(name));

const oldKeyIn = (dataFolder: string): readonly string[] =>
  existsSync(keyFilePath(dataFolder)) ? [secretKeyFileName] : [];

function hasDatabase(dataFolder: string, found: readonly string[]): BackupError {
  return new BackupError(
    `The data folder ${dataFolder} has a database already (${found.join(', ')}). Name another folder with WEIR_DATA, or use --replace, which moves these files aside and deletes nothing.`,
  );
}

/** Readable by its owner only, who is the folder's owner also where root runs the command. */
function copyForOwner(from: string, to: string, dataFolder: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  const { uid, gid } = statSync(dataFolder);
  if (process.getuid?.() === 0 && uid !== 0) chownSync(to, uid, gid);
  syncFile(to);
}

function checkDatabase(draft: string, file: string): FoundDatabase {
  const schemaVersionKnown = migrations.at(-1)?.version ?? 0;
  try {
    const faults = readRows(draft, 'PRAGMA integrity_check(3)').join('; ');
    if (faults !== 'ok') throw new BackupError(`${file} is damaged (${faults}). Restore another backup.`);
    if (!hasTable(draft, 'schema_versions')) throw new BackupError(`${file} is a SQLite database, but not Weir's.`);
    const schemaVersion = schemaVersionIn(draft);
    if (schemaVersion <= schemaVersionKnown) return { schemaVersion, schemaVersionKnown, counts: countsIn(draft) };
    throw new BackupError(
      `${file} has schema version ${schemaVersion}, this Weir knows versions up to ${schemaVersionKnown}. Restore it with the Weir that made it, or with a newer one.`,
    );
  } catch (error) {
    if (error instanceof BackupError || !codeOf(error).startsWith('SQLITE_')) throw error;
    const what = codeOf(error) === 'SQLITE_NOTADB' ? 'is not a SQLite database' : `is damaged (${codeOf(error)})`;
    throw new BackupError(`${file} ${what}. Restore another backup.`);
  }
}

function settingIn(draft: string, name: string): string | undefined {
  const rows = readRows(draft, 'SELECT key, value FROM settings');
  const value = rows.find(([key]) => key === name)?.[1];
  return value === undefined ? undefined : String(value);
}

/** A copy of the key that the folder does not have yet. */
function draftKey(key: BackupKey | undefined, draftFolder: string, dataFolder: string): string | undefined {
  if (key?.file === undefined || key.file === resolve(keyFilePath(dataFolder))) return undefined;
  const draft = join(draftFolder, secretKeyFileName);
  copyForOwner(key.file, draft, dataFolder);
  return draft;
}

/** Inside the data folder, which may be a mounted volume that cannot be renamed. */
function moveAside({ dataFolder, nowMs }: RestoreOptions, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const aside = join(dataFolder, `before-restore-${time}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of names) renameSync(join(dataFolder, name), join(aside, name));
  return aside;
}

function plain(error: unknown, dataFolder: string): unknown {
  if (!/^(E[A-Z]+|SQLITE_.*)$/.test(codeOf(error))) return error;
  return new BackupError(`The data folder ${dataFolder} could not be restored: ${(error as Error).message}`);
}
