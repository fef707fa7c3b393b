/**
 * What the workers of one machine share, in the supervisor process: the embedded database, the limits, the shared state of
 * routing and the sum of the metrics. Workers reach it over a socket that only this user can open.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineLimits } from '../access/limit-table.ts';
import { countersIn, sumMetrics } from '../observe/sum-metrics.ts';
import { touchInstance } from '../store/configuration/server-state-queries.ts';
import { storeServices } from '../store/engines/remote-driver.ts';
import type { SqliteDriver } from '../store/engines/sqlite-driver.ts';
import { StoreUnavailableError } from '../store/sql/store-errors.ts';
import { Peer, type Services } from './peer.ts';
import { hubServices, workerServices } from './services.ts';

/** What a worker says once it serves. */
export interface WorkerReady {
  readonly worker: string;
  /** Names its attempts in the ledger. */
  readonly instanceId: string;
  /** For the operator: what the start of a single process prints. */
  readonly banner: string;
}

interface HubOptions {
  /** The embedded database; absent where workers reach PostgreSQL themselves. */
  readonly driver: SqliteDriver | undefined;
  onReady(ready: WorkerReady): void;
  /** A worker that served has not answered for so long that it must be taken for hung. */
  onHung(worker: string, silentMs: number): void;
  /** Well within the lease after which other workers take one for dead. As often each is asked for an answer. */
  readonly touchEveryMs?: number | undefined;
}

interface Hub {
  readonly socketPath: string;
  /**
   * The worker's process has ended: its slots are free, its journal is folded, and another worker settles what it left open. The
   * result is what the operator should know about its journal. Rejects where the journal could not be folded: then what the
   * worker left waits, and this is to be called again.
   */
  ended(worker: string, journal: number): Promise<string | undefined>;
  close(): void;
}

/** A worker that hangs must not keep the others from reading. */
const flushTimeoutMs = 5_000;
/**
 * Times that a worker is asked in vain before it is taken for hung: a minute. By times and not by the clock, so that a machine
 * that was suspended does not lose its workers when it resumes.
 */
const unansweredMax = 12;

interface Connected {
  readonly peer: Peer;
  /** The number of its journal, once it has one. */
  journal: number | undefined;
  ready: WorkerReady | undefined;
  /** Its metrics when they were last read. */
  metrics: string;
  /** How many times it was asked for an answer since the last one. */
  unanswered: number;
}

export function openHub({ driver, onReady, onHung, touchEveryMs = 5_000 }: HubOptions): Hub {
  // The folder has mode 700: a process that can open the socket can read and write the database.
  const folder = mkdtempSync(join(tmpdir(), 'weir-'));
  const socketPath = join(folder, 'workers');
  const limits = new MachineLimits(() => performance.now());
  const workers = new Map<Peer, Connected>();
  /**
   * The instances of workers that have not ended, or whose journals are not in the database. They count as alive until then, also
   * one that is stopped: it may close its requests by its shares, which a sweep would not know.
   */
  const instances = new Map<string, string>();
  /** What workers that have ended counted, as far as it was read. */
  let counted = '';
  const store = driver === undefined ? undefined : storeServices(driver);
  if (driver !== undefined) {
    driver.journals.flush = flushWorkers;
    driver.journals.recall = async (journal, windows) => {
      const worker = [...workers.values()].find((each) => each.journal === journal);
      if (worker === undefined) throw new StoreUnavailableError(`The worker with the journal ${journal} has ended.`);
      await worker.peer.call(workerServices.giveBack, JSON.stringify(windows));
    };
  }

  /** One that does not answer in time is not waited for: what it recorded follows. */
  async function flushWorkers(): Promise<void> {
    if (workers.size === 0) return;
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, flushTimeoutMs);
    const flushed = Promise.allSettled([...workers.keys()].map((peer) => peer.call(workerServices.flush, '')));
    await Promise.race([flushed, timedOut]);
    clearTimeout(timer);
  }

  function touchInstances(): void {
    // Where this fails, the next one follows.
    for (const id of instances.values()) driver?.run(touchInstance, id, Date.now()).catch(() => {});
  }

  /** The kernel still gives connections to a worker that hangs, so it is worse than none. */
  function askWorkers(): void {
    for (const worker of workers.values()) {
      if (worker.ready === undefined) continue;
      if (worker.unanswered === unansweredMax) onHung(worker.ready.worker, unansweredMax * touchEveryMs);
      worker.unanswered++;
      const answered = (): void => {
        worker.unanswered = 0;
      };
      worker.peer.call(workerServices.answer, '').then(answered, () => {});
    }
  }

  async function metrics(): Promise<string> {
    const serving = [...workers.values()].filter(({ ready }) => ready !== undefined);
    const read = async (worker: Connected): Promise<void> => {
      worker.metrics = JSON.parse(await worker.peer.call(workerServices.metrics, '')) as string;
    };
    // One that ends meanwhile counts with what was read of it before.
    await Promise.allSettled(serving.map(read));
    const { user, system } = process.cpuUsage();
    const own = new Map([
      ['process_resident_memory_bytes', process.memoryUsage.rss()],
      ['process_cpu_seconds_total', (user + system) / 1e6],
    ]);
    const texts = [...workers.values()].map((worker) => worker.metrics);
    return JSON.stringify(sumMetrics([...texts, counted], own));
  }

  function connected(): Peer {
    const worker = crypto.randomUUID();
    const own = limits.of(worker);
    const call = <Values extends unknown[]>(method: (...values: Values) => unknown) => {
      return (text: string) => JSON.stringify(method(...(JSON.parse(text) as Values)) ?? null);
    };
    const services: Services = {
      ...store?.((journal) => {
        const found = workers.get(peer);
        if (found !== undefined) found.journal = journal;
      }),
      [hubServices.enter]: call(own.enter),
      [hubServices.countAhead]: call(own.countAhead),
      [hubServices.leave]: call(own.leave),
      [hubServices.enterClass]: call(own.enterClass),
      [hubServices.peek]: call(own.peek),
      [hubServices.metrics]: metrics,
      [hubServices.ready](text) {
        const found = workers.get(peer);
        const ready = JSON.parse(text) as WorkerReady;
        if (found !== undefined) found.ready = ready;
        instances.set(ready.worker, ready.instanceId);
        onReady(ready);
        return 'null';
      },
    };
    const peer = new Peer(services, () => {
      counted = sumMetrics([counted, countersIn(workers.get(peer)?.metrics ?? '')]);
      workers.delete(peer);
      limits.free(worker);
    });
    workers.set(peer, { peer, journal: undefined, ready: undefined, metrics: '', unanswered: 0 });
    return peer;
  }

  const listener = Bun.listen<Peer>({
    unix: socketPath,
    socket: {
      ...Peer.handlers,
      open(socket) {
        socket.data = connected();
        socket.data.opened(socket);
      },
    },
  });

  const touching = setInterval(() => {
    touchInstances();
    askWorkers();
  }, touchEveryMs);
  touching.unref();

  return {
    socketPath,
    async ended(name, journal) {
      for (const { peer, ready } of workers.values()) if (ready?.worker === name) peer.closed();
      // What it opened and closed is known only then.
      const recovered = await driver?.journals.recover(journal);
      const instanceId = instances.get(name);
      instances.delete(name);
      const other = [...workers.values()].find((each) => each.ready !== undefined);
      if (instanceId !== undefined)
        other?.peer.call(workerServices.endInstance, JSON.stringify(instanceId)).catch(() => {});
      return recovered?.notice;
    },
    close() {
      clearInterval(touching);
      listener.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
