/** The file that holds the tokens of `weir login`: only its owner can read it, and only one process renews it at a time. */

import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const loginSchema = z.object({
  url: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string(),
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresAtMs: z.number(),
});
export type Login = z.infer<typeof loginSchema>;

const ownerOnly = 0o600;
/** Longer than a renewal may take: an older lock is of a process that was killed. */
const lockLifetimeMs = 60_000;
const lockWaitMs = 100;

export interface LoginFile {
  readonly path: string;
  read(): Login | undefined;
  write(login: Login): void;
  remove(): void;
  /** Runs `work` while no other process does. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function loginFile(folder: string, nowMs: () => number = Date.now): LoginFile {
  const path = join(folder, 'login.json');
  const lock = `${path}.lock`;

  function tryLock(): boolean {
    try {
      closeSync(openSync(lock, 'wx', ownerOnly));
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (nowMs() - since > lockLifetimeMs) rmSync(lock, { force: true });
      return false;
    }
  }

  return {
    path,
    read() {
      let text: string;
      try {
        text = readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
      try {
        return loginSchema.parse(JSON.parse(text));
      } catch {
        return undefined;
      }
    },
    write(login) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Written whole or not at all: a half-written file would lose the refresh token.
      const next = `${path}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify(login, undefined, 2)}\n`, { mode: ownerOnly });
      chmodSync(next, ownerOnly);
      renameSync(next, path);
    },
    remove: () => rmSync(path, { force: true }),
    async alone(work) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      while (!tryLock()) await Bun.sleep(lockWaitMs);
      try {
        return await work();
      } finally {
        rmSync(lock, { force: true });
      }
    },
  };
}
