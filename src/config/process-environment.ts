/** What the environment says beside the settings. With `load-process-config.ts` the only place that reads it. */

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

const folderVariable = 'WEIR_WORKING_FOLDER';

/**
 * The launcher starts the runtime in the folder of the program, so that it reads no settings, variables or modules of the
 * folder where the command was called. Only then is that one entered.
 */
export function enterWorkingFolder(): void {
  const folder = process.env[folderVariable];
  if (folder === undefined) return;
  delete process.env[folderVariable];
  process.chdir(folder);
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
  return {
    ...given,
    [workerVariable]: JSON.stringify(place),
    [folderVariable]: process.cwd(),
    WEIR_LAUNCHER_PID: String(process.pid),
  };
}

/** Most who use PostgreSQL say so here; a file may say it too. */
export const namesPostgres = (): boolean => Boolean(process.env['DATABASE_URL']?.trim());
