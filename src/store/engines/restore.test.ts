import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretRing } from '../../secrets/key-ring.ts';
import { readOrMakeKeyFile } from '../secret-keys/key-file.ts';
import { keyOfDatabase, SecretKeyError } from '../secret-keys/secret-key.ts';
import { BackupError } from './database-file.ts';
import { lockFile } from './process-lock.ts';
import { restore } from './restore.ts';
import { openSqlite } from './sqlite-connection.ts';

let folder: string;
let backup: string;
const nowMs = Date.UTC(2026, 10, 17);

/** A database that a Weir with the key beside it has served from, as one file. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-restore-test-'));
  backup = await databaseIn(join(folder, 'original'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function databaseIn(dataFolder: string): Promise<string> {
  mkdirSync(dataFolder);
  openSqlite({ folder: dataFolder, synchronous: 'normal', readOnly: false, nowMs }).close();
  const file = join(dataFolder, 'weir.db');
  const { secrets } = await readOrMakeKeyFile(`${file}.key`);
  const database = new Database(file);
  const putIfAbsent = async (name: string, value: string): Promise<string> => {
    database.run('INSERT INTO settings (key, value) VALUES (?, ?)', [name, value]);
    return value;
  };
  const unused = async (): Promise<never> => Promise.reject(new Error('not needed'));
  await keyOfDatabase({ putIfAbsent, get: unused, put: unused }, new SecretRing(secrets));
  database.close();
  return file;
}

let places = 0;
const place = (): string => join(folder, `data-${places++}`);

const into = (
  dataFolder: string,
  file = backup,
  more: { keyFile?: string; replace?: boolean; fromConfig?: string } = {},
) =>
  restore({
    file,
    dataFolder,
    keyFile: more.keyFile,
    replace: more.replace ?? false,
    nowMs,
    fromConfig: more.fromConfig,
  });

const changed = (change: (file: string) => void): string => {
  const file = join(folder, `changed-${places++}.db`);
  copyFileSync(backup, file);
  copyFileSync(`${backup}.key`, `${file}.key`);
  change(file);
  return file;
};

async function refusal(restoring: Promise<unknown>): Promise<string> {
  const error = await restoring.then(
    () => new Error('It was restored.'),
    (cause: unknown) => cause,
  );
  expect(error instanceof BackupError || error instanceof SecretKeyError).toBe(true);
  return (error as Error).message;
}

test('a backup and the key beside it become a data folder that only its owner reads', async () => {
  const target = place();
  const report = await into(target);
  expect(report.schemaVersion).toBe(report.schemaVersionKnown);
  expect(report.key?.from).toBe(`${backup}.key`);
  expect(report.aside).toBeUndefined();
  expect(readdirSync(target).sort()).toEqual(['secret.key', 'serving.lock', 'weir.db']);
  for (const name of ['weir.db', 'secret.key']) expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(target, 'secret.key'), 'utf8')).toBe(readFileSync(`${backup}.key`, 'utf8'));
});

test('a folder that has a database is refused; --replace moves it aside with its journals and its key', async () => {
  const target = place();
  await databaseIn(target);
  for (const name of ['journal', 'journal-2', 'closings-x.spill', 'weir.yaml', 'secret.key'])
    writeFileSync(join(target, name), `old ${name}`);
  mkdirSync(join(target, 'videos'));
  const before = readdirSync(target).sort();
  expect(await refusal(into(target))).toContain('--replace');
  expect(readdirSync(target).sort()).toEqual([...before, 'serving.lock'].sort());
  const { aside = '' } = await into(target, backup, { replace: true });
  expect(readdirSync(aside).sort()).toEqual(['closings-x.spill', 'journal', 'journal-2', 'secret.key', 'weir.db']);
  expect(readFileSync(join(aside, 'journal'), 'utf8')).toBe('old journal');
  expect(existsSync(join(target, 'weir.yaml'))).toBe(true);
  expect(existsSync(join(target, 'videos'))).toBe(true);
  expect(existsSync(join(target, 'journal'))).toBe(false);
  expect(readFileSync(join(target, 'weir.db')).equals(readFileSync(backup))).toBe(true);
});

test('a folder from which a Weir serves is refused, also with --replace', async () => {
  const target = place();
  await databaseIn(target);
  const lock = lockFile(join(target, 'serving.lock'));
  expect(await refusal(into(target, backup, { replace: true }))).toContain('Stop it first');
  lock?.release();
  await into(target, backup, { replace: true });
});

test('what is damaged, newer, foreign or no database is refused, and the folder stays empty', async () => {
  const run = (sql: string) => (file: string) => {
    const database = new Database(file);
    database.run(sql);
    database.close();
    for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  };
  const cases: [file: string, message: string][] = [
    [changed((file) => truncateSync(file, 40_000)), 'damaged'],
    [changed((file) => writeFileSync(file, 'text that is no database')), 'is not a SQLite database'],
    [changed(run("INSERT INTO schema_versions VALUES (999999, 'later', 0)")), 'schema version 999999'],
    [changed(run('DROP TABLE schema_versions')), "not Weir's"],
    [changed((file) => writeFileSync(`${file}-wal`, 'more')), 'not a backup'],
    [join(folder, 'nowhere.db'), 'There is no file'],
  ];
  for (const [file, message] of cases) {
    const target = place();
    expect(await refusal(into(target, file, { replace: true }))).toContain(message);
    expect(existsSync(target) ? readdirSync(target).filter((name) => name !== 'serving.lock') : []).toEqual([]);
  }
});

test('without the key that belongs to it nothing is restored', async () => {
  const alone = changed((file) => rmSync(`${file}.key`));
  expect(await refusal(into(place(), alone))).toContain('--key');
  const other = join(folder, 'other.key');
  await readOrMakeKeyFile(other);
  expect(await refusal(into(place(), alone, { keyFile: other }))).toContain('does not belong to');
  expect(await refusal(into(place(), alone, { keyFile: join(folder, 'no.key') }))).toContain('was not found');
  expect(await refusal(into(place(), backup, { fromConfig: 'x'.repeat(40) }))).toContain('WEIR_SECRET_KEY');
  expect((await into(place(), alone, { keyFile: `${backup}.key` })).key?.from).toBe(`${backup}.key`);
  // The operator has put the key into the new folder already.
  const target = place();
  mkdirSync(target);
  copyFileSync(`${backup}.key`, join(target, 'secret.key'));
  expect((await into(target, alone)).key?.from).toBe(join(target, 'secret.key'));
});
