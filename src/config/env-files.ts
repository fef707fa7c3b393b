/** Files of variables: read where `--env-file` names them, and nowhere else, since a working folder may be untrusted. */

import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const flag = '--env-file';

interface Words {
  readonly argv: readonly string[];
  /** The files, in the order in which they were named. */
  readonly files: readonly string[];
}

/** `--env-file FILE` and `--env-file=FILE`, anywhere before `--`. */
export function envFilesIn(words: readonly string[]): Words {
  const [argv, files]: [string[], string[]] = [[], []];
  const end = words.indexOf('--');
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (end !== -1 && index >= end) argv.push(word);
    else if (word.startsWith(`${flag}=`)) files.push(word.slice(flag.length + 1));
    else if (word === flag) files.push(words[++index] ?? '');
    else argv.push(word);
  }
  return { argv, files };
}

/** What the environment has already counts, then the last file. Gives the first that cannot be read, and reads none then. */
export function readEnvFiles(
  files: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const given: NodeJS.Dict<string> = {};
  for (const file of files) {
    try {
      Object.assign(given, parseEnv(readFileSync(file, 'utf8')));
    } catch {
      return file;
    }
  }
  for (const [name, value] of Object.entries(given)) environment[name] ??= value;
  return undefined;
}

/** Files of the working folder that other programs read by themselves. */
export function unreadEnvFiles(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  return ['.env', '.env.local', `.env.${environment['NODE_ENV'] ?? 'development'}`].filter((file) => existsSync(file));
}
