/**
 * One Weir in several processes: starts the workers, which share the port, and replaces one that ends. What they share is in
 * the hub.
 */

import { freePort } from '../http/listener.ts';
import { openSqliteDriver, type SqliteDriver } from '../store/engines/sqlite-driver.ts';
import { firstJournal } from '../store/journal/open-journal.ts';
import { openHub, type WorkerReady } from './hub.ts';
import { passLines } from './worker-lines.ts';
import type { WorkerPlace } from './worker-link.ts';
import { WorkersError } from './workers-error.ts';

interface SupervisorOptions {
  readonly workers: number;
  readonly host: string;
  readonly port: number;
  /** Where SQLite is used. */
  readonly sqlite: { readonly folder: string; readonly synchronous: 'normal' | 'full' } | undefined;
  /** The command that serves as one worker. */
  readonly command: readonly string[];
  /** Where it is started; absent: in this process's folder. */
  readonly folder?: string | undefined;
  environmentOf(place: WorkerPlace): Record<string, string>;
  say(message: string): void;
  /** Takes lines of workers; absent: they go to standard error. */
  writeLine?: ((line: string) => void) | undefined;
  /** See the hub. */
  readonly touchEveryMs?: number | undefined;
}

export interface Supervisor {
  /** What the first worker has to say to the operator. */
  readonly banner: string;
  /** Lets every worker finish its requests. The exit code: 0 where all ended cleanly. */
  stop(): Promise<number>;
  stopAtOnce(): void;
  /** Every worker reads the configuration again. */
  reload(): void;
}

/**
 * A worker that served for so long is replaced at once, and one that served for less after the least wait: the others carry
 * its load meanwhile. Only where a worker does not even start, the next one waits longer each time.
 */
const steadyMs = 5_000;
const waitMsMin = 250;
const waitMsMax = 15_000;

export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const port = freePort(options.host, options.port);
  const driver = await openDatabase(options);
  const readyBy = new Map<string, (ready: WorkerReady) => void>();
  const living = new Map<string, Bun.Subprocess>();
  const hub = openHub({
    driver,
    onReady: (ready) => readyBy.get(ready.worker)?.(ready),
    onHung: endHung,
    touchEveryMs: options.touchEveryMs,
  });
  const { socketPath } = hub;
  /** Before it serves, a worker does not listen to the signal that makes it read the configuration again. */
  const listening = new Set<Bun.Subprocess>();
  let reloads = 0;
  let serving = false;
  let stopping = false;
  let exitCode = 0;
  let started = 0;
  /** Of living workers, and of those whose records are not in the database yet. */
  const journals = new Set<number>();
  const clearing = new Set<Promise<void>>();
  const stopped = Promise.withResolvers<void>();

  function freeJournal(): number {
    let journal = firstJournal + 1;
    while (journals.has(journal)) journal++;
    journals.add(journal);
    return journal;
  }

  function endHung(worker: string, silentMs: number): void {
    const child = living.get(worker);
    const since = `for ${silentMs / 1_000} s`;
    options.say(`Worker ${worker} (process ${child?.pid}) has not answered ${since}: it is ended.`);
    child?.kill('SIGKILL');
  }

  /** A journal that cannot be folded is tried again until it can; what is left when Weir ends, the next start folds. */
  async function clearUp(worker: string, journal: number): Promise<void> {
    for (let waitMs = waitMsMin; ; waitMs = Math.min(waitMsMax, waitMs * 2)) {
      try {
        const notice = await hub.ended(worker, journal);
        if (notice !== undefined) options.say(notice);
        if (waitMs > waitMsMin) options.say(`What worker ${worker} recorded last is in the database now.`);
        journals.delete(journal);
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const next = stopping ? 'the next start tries again' : 'it is tried again until it can';
        if (waitMs === waitMsMin || stopping)
          options.say(`What worker ${worker} recorded last could not be written to the database; ${next}: ${reason}`);
        if (stopping) return;
        await Promise.race([Bun.sleep(waitMs), stopped.promise]);
      }
    }
  }

  /** Resolves when it serves; undefined where it ended before. `servedMs` is for how long it served. */
  function start(onEnd: (why: string, servedMs: number | undefined) => void): Promise<WorkerReady | undefined> {
    const worker = String(++started);
    const journal = freeJournal();
    const { schemaVersion } = driver ?? {};
    const place = { worker, workers: options.workers, socketPath, port, schemaVersion, journal };
    const { promise, resolve } = Promise.withResolvers<WorkerReady | undefined>();
    let readyMs: number | undefined;
    const reloadsBefore = reloads;
    readyBy.set(worker, (ready) => {
      readyMs = performance.now();
      listening.add(child);
      if (reloads !== reloadsBefore) child.kill('SIGHUP');
      resolve(ready);
    });
    const child = Bun.spawn([...options.command], {
      ...(options.folder !== undefined && { cwd: options.folder }),
      env: options.environmentOf(place),
      stdio: ['ignore', 'inherit', options.writeLine === undefined ? 'inherit' : 'pipe'],
    });
    if (options.writeLine !== undefined && child.stderr !== undefined) void passLines(child.stderr, options.writeLine);
    living.set(worker, child);
    void child.exited.then((code) => {
      living.delete(worker);
      listening.delete(child);
      readyBy.delete(worker);
      resolve(undefined);
      const cleared = clearUp(worker, journal);
      clearing.add(cleared);
      void cleared.finally(() => clearing.delete(cleared));
      if (stopping && code !== 0) exitCode = 1;
      const why = `Worker ${worker} (process ${child.pid}) ended: ${child.signalCode ?? `exit code ${code}`}.`;
      if (!stopping) onEnd(why, readyMs === undefined ? undefined : performance.now() - readyMs);
    });
    return promise;
  }

  async function keep(waitMs: number): Promise<WorkerReady | undefined> {
    return await start((why, servedMs) => {
      const isFailed = servedMs === undefined;
      // Before the first one serves, nothing is tried again.
      if (!serving) return;
      const next = isFailed ? `It did not start; the next try is in ${waitMs / 1_000} s.` : 'Another one is started.';
      options.say(`${why} ${next}`);
      const inMs = isFailed ? waitMs : servedMs < steadyMs ? waitMsMin : 0;
      const nextMs = isFailed ? Math.min(waitMsMax, waitMs * 2) : waitMsMin;
      setTimeout(() => void (stopping ? undefined : keep(nextMs)), inMs);
    });
  }

  async function end(): Promise<number> {
    stopping = true;
    stopped.resolve();
    for (const child of living.values()) child.kill('SIGTERM');
    await Promise.all([...living.values()].map((child) => child.exited));
    await Promise.all(clearing);
    hub.close();
    await driver?.close();
    return exitCode;
  }

  // The first makes what a database must have before others use it, and a mistake in the settings is reported once.
  const first = await keep(waitMsMin);
  if (first === undefined) {
    await end();
    throw new WorkersError('No worker could start: the reason is above.');
  }
  serving = true;
  for (let index = 1; index < options.workers; index++) void keep(waitMsMin);
  return {
    banner: first.banner,
    stop: end,
    stopAtOnce() {
      stopping = true;
      stopped.resolve();
      for (const child of living.values()) child.kill('SIGKILL');
      hub.close();
    },
    reload() {
      reloads++;
      for (const child of listening) child.kill('SIGHUP');
    },
  };
}

async function openDatabase({ sqlite }: SupervisorOptions): Promise<SqliteDriver | undefined> {
  if (sqlite === undefined) return undefined;
  const driver = await openSqliteDriver({ ...sqlite, nowMs: Date.now });
  await driver.holdAlone();
  return driver;
}
