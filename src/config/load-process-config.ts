/** The only place that reads the process's environment and the configuration file from the disk. */

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

/** For keys that a file names by their variables. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** A token of a running Weir, for the commands that call it as a client does. */
export function callerToken(): string | undefined {
  return process.env['WEIR_TOKEN']?.trim() || undefined;
}

/** The launcher that started this process, where it is still its parent. */
export function launcherProcessId(): number | undefined {
  const stated = Number(process.env['WEIR_LAUNCHER_PID'] ?? Number.NaN);
  return stated === process.ppid ? stated : undefined;
}

const workerVariable = 'WEIR_WORKER';

/** Where this process is one of several workers: what its supervisor gave it. */
export function workerPlace(): unknown {
  const stated = process.env[workerVariable];
  return stated === undefined ? undefined : JSON.parse(stated);
}

/** The environment of a worker: that of this process, which is its launcher. */
export function workerEnvironment(place: unknown): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) given[name] = value;
  return { ...given, [workerVariable]: JSON.stringify(place), WEIR_LAUNCHER_PID: String(process.pid) };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
