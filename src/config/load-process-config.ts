/** The only place that reads the process's environment and the configuration file from the disk. */

import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import { loadConfig } from './load.ts';

export function loadProcessConfig(): Config {
  return loadConfig({
    environment: process.env,
    readFile: readText,
    workingFolder: process.cwd(),
    isTerminal: process.stdout.isTTY === true,
  });
}

/** Does the way out of this machine lead through an HTTP proxy, as the usual variables say? */
export function usesProxy(): boolean {
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => (process.env[name] ?? '') !== '');
}

/** The launcher that started this process, where it is still its parent. */
export function launcherProcessId(): number | undefined {
  const stated = Number(process.env['WEIR_LAUNCHER_PID'] ?? Number.NaN);
  return stated === process.ppid ? stated : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
