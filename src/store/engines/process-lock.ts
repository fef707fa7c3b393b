/**
 * A file that one process holds: an exclusive transaction on it, which the system ends when the process dies, however it
 * dies, so a restart never waits and a second one never starts. A time or a process id could be wrong in both directions.
 */

import { Database } from 'bun:sqlite';

export interface ProcessLock {
  release(): void;
}

/** Undefined where another process holds it. */
export function lockFile(path: string): ProcessLock | undefined {
  const lock = new Database(path, { create: true, readwrite: true });
  try {
    lock.run('PRAGMA busy_timeout = 0');
    lock.run('PRAGMA journal_mode = MEMORY');
    lock.run('BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

const isBusy = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
