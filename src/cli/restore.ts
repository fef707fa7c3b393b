/** `weir restore FILE`: a backup becomes the database of a data folder, and what was restored is said. */

import { loadProcessConfig } from '../config/load-process-config.ts';
import { secretSources } from '../gateway/store-parts.ts';
import { BackupError } from '../store/engines/database-file.ts';
import { type RestoreReport, restore } from '../store/engines/restore.ts';
import { SecretKeyError } from '../store/secret-keys/secret-key.ts';
import { ArgumentError, type CommandWords, readArguments } from './arguments.ts';
import { rowsOf, sizeOf } from './backup.ts';
import { exitCodes, reportMistakes } from './output.ts';
import { output } from './store-commands.ts';

const usage = `Usage: weir restore FILE [--key KEYFILE] [--replace]

Puts a backup made by weir backup into the data folder (WEIR_DATA), while no Weir runs on it.
Checks first: the file is intact, its schema is not newer than this Weir, the secret key belongs to it.

  --key KEYFILE  the secret key of the backup. Otherwise FILE.key, or the key that is in the data folder.
  --replace      move the database that is in the data folder aside. Nothing is deleted.

More: docs/backup.md.`;

const words: CommandWords = { usage, flags: { key: 'value', replace: 'switch' }, operandsMin: 1 };

export function restoreBackup(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(words, args);
    if (given.help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    const config = loadProcessConfig();
    if (config.database.url !== undefined) {
      output.err(
        'Weir keeps its data in PostgreSQL here (DATABASE_URL): restore it with the tools of that, with every Weir stopped:\n  pg_restore --clean --if-exists --dbname "$DATABASE_URL" weir.dump\ndocs/backup.md has all steps.\n',
      );
      return exitCodes.failed;
    }
    const keyFile = given.valueOf('key');
    if (keyFile !== undefined && config.secretKey !== undefined)
      throw new ArgumentError('WEIR_SECRET_KEY is set, so Weir would not read the file of --key.', usage);
    try {
      const file = given.operands[0] ?? '';
      const sources = secretSources(config);
      const replace = given.has('replace');
      const report = await restore({ ...sources, file, keyFile, replace, nowMs: Date.now() });
      output.out(textOf(report, config.server.dataFolder));
      return exitCodes.done;
    } catch (error) {
      if (!(error instanceof BackupError || error instanceof SecretKeyError)) throw error;
      output.err(`${error.message}\n`);
      return exitCodes.failed;
    }
  });
}

function textOf(report: RestoreReport, dataFolder: string): string {
  const { schemaVersion, schemaVersionKnown, key, aside } = report;
  const lines = [`The data folder ${dataFolder} has the backup now: ${sizeOf(report)}.`];
  lines.push(`It has ${rowsOf(report.counts)}.`);
  if (schemaVersion < schemaVersionKnown) lines.push(`The first start migrates it to schema ${schemaVersionKnown}.`);
  if (key !== undefined) lines.push(`The secret key of ${key.from} belongs to it.`);
  if (aside !== undefined) lines.push(`What was there before is in ${aside}. Remove it when you no longer need it.`);
  lines.push('What was revoked, changed or spent after the backup is not in it.');
  return `${lines.join('\n')}\n`;
}
