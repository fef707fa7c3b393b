/** `weir backup FILE`: a copy of the embedded database beside a running Weir, and what must be kept with it. */

import { chmodSync, constants, copyFileSync, existsSync } from 'node:fs';
import { loadProcessConfig } from '../config/load-process-config.ts';
import { type BackupReport, backUp } from '../store/engines/backup.ts';
import { BackupError, type RowCounts } from '../store/engines/database-file.ts';
import { keyFilePath } from '../store/secret-keys/secret-key.ts';
import { type CommandWords, readArguments } from './arguments.ts';
import { exitCodes, reportMistakes } from './output.ts';
import { output } from './store-commands.ts';

const usage = `Usage: weir backup FILE [--with-key]

Copies the SQLite database to FILE while Weir runs, including everything acknowledged before.
FILE must not exist yet. It is created with mode 0600.

  --with-key   also copy the secret key to FILE.key. Anyone who has both files can read everything.

Restore it with weir restore. More: docs/backup.md.`;

const words: CommandWords = { usage, flags: { 'with-key': 'switch' }, operandsMin: 1 };

export function backup(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(words, args);
    if (given.help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    try {
      return writeBackup(given.operands[0] ?? '', given.has('with-key'));
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      output.err(`${error.message}\n`);
      return exitCodes.failed;
    }
  });
}

function writeBackup(file: string, withKey: boolean): number {
  const config = loadProcessConfig();
  if (config.database.url !== undefined) {
    output.err(
      'Weir keeps its data in PostgreSQL here (DATABASE_URL): back it up with the tools of that, for example\n  pg_dump --format=custom --file=weir.dump "$DATABASE_URL"\nand keep the secret key apart from it.\n',
    );
    return 1;
  }
  const { dataFolder } = config.server;
  const keyFile = config.secretKey === undefined ? keyFilePath(dataFolder) : undefined;
  const keyCopy = `${file}.key`;
  if (withKey && existsSync(keyCopy))
    throw new BackupError(`${keyCopy} exists already. Name another file, or remove it.`);
  const report = backUp({ dataFolder, file, nowMs: Date.now() });
  output.out(contentsOf(report));
  if (keyFile === undefined) output.out('The secret key is WEIR_SECRET_KEY: keep it apart from the backup.\n');
  else if (withKey && existsSync(keyFile)) {
    copyFileSync(keyFile, keyCopy, constants.COPYFILE_EXCL);
    chmodSync(keyCopy, 0o600);
    output.out(`The secret key is in ${keyCopy}. Anyone who has both files can read everything.\n`);
  } else {
    output.out(
      `Not in it: the secret key, ${keyFile}. Without it no token works and no provider key can be read. Keep a copy of it apart from the backup, or use --with-key.\n`,
    );
  }
  output.out(`Not in it either: images and videos (${dataFolder}/results, ${dataFolder}/videos).\n`);
  return 0;
}

function contentsOf({ file, ...found }: BackupReport): string {
  return `The backup is in ${file}: ${sizeOf(found)}.\nIt has ${rowsOf(found.counts)}.\n`;
}

export const rowsOf = (counts: RowCounts): string => counts.map(([name, count]) => `${count} ${name}`).join(', ');

export const sizeOf = ({ bytes, schemaVersion }: Pick<BackupReport, 'bytes' | 'schemaVersion'>): string =>
  `${(bytes / 1_048_576).toFixed(1)} MB, schema ${schemaVersion}`;
