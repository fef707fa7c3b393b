/** The settings of this process: from its environment and from the configuration file on the disk. */

import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../settings/config.ts';
import { defaultFile, loadConfig } from './load.ts';

export function loadProcessConfig(): Config {
  return loadConfig({
    environment: process.env,
    readFile: readText,
    workingFolder: process.cwd(),
    isTerminal: process.stdout.isTTY === true,
  });
}

/**
 * Equal while the file is the same: also where an editor puts another one in its place, and where the links before it
 * lead elsewhere. Changes of mounted files and of network disks are seen too, which no notification reports.
 */
export async function configFileIdentity({ server }: Config): Promise<string> {
  const file = await stat(server.configFile ?? resolve(defaultFile), { bigint: true }).catch(() => undefined);
  return file === undefined ? 'absent' : `${file.dev} ${file.ino} ${file.ctimeNs} ${file.mtimeNs} ${file.size}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
