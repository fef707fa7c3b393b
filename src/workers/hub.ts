/**
 * What the workers of one machine share, in the supervisor process: the embedded database, the limits, the shared state of
 * routing and the sum of the metrics. Workers reach it over a socket that only this user can open.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineLimits } from '../access/limit-table.ts';
import { sumMetrics } from '../observe/sum-metrics.ts';
import { storeServices } from '../store/engines/remote-driver.ts';
import type { Driver } from '../store/sql/driver.ts';
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
  readonly driver: Driver | undefined;
  onReady(ready: WorkerReady): void;
}

interface Hub {
  readonly socketPath: string;
  /** The worker's process has ended: its slots are free, and another worker settles what it left open. */
  ended(worker: string): void;
  close(): void;
}

interface Connected {
  readonly peer: Peer;
  ready: WorkerReady | undefined;
}

export function openHub({ driver, onReady }: HubOptions): Hub {
  // The folder has mode 700: a process that can open the socket can read and write the database.
  const folder = mkdtempSync(join(tmpdir(), 'weir-'));
  const socketPath = join(folder, 'workers');
  const limits = new MachineLimits(() => performance.now());
  const workers = new Map<Peer, Connected>();
  const store = driver === undefined ? undefined : storeServices(driver);

  async function metrics(): Promise<string> {
    const texts = await Promise.all(
      [...workers.values()]
        .filter(({ ready }) => ready !== undefined)
        .map(({ peer }) => peer.call(workerServices.metrics, '').catch(() => '""')),
    );
    const { user, system } = process.cpuUsage();
    return JSON.stringify(
      sumMetrics(
        texts.map((text) => JSON.parse(text) as string),
        new Map([
          ['process_resident_memory_bytes', process.memoryUsage.rss()],
          ['process_cpu_seconds_total', (user + system) / 1e6],
        ]),
      ),
    );
  }

  function connected(): Peer {
    const worker = `${crypto.randomUUID()}`;
    const own = limits.of(worker);
    const call = <Values extends unknown[]>(method: (...values: Values) => unknown) => {
      return (text: string) => JSON.stringify(method(...(JSON.parse(text) as Values)) ?? null);
    };
    const services: Services = {
      ...store,
      [hubServices.enter]: call(own.enter),
      [hubServices.leave]: call(own.leave),
      [hubServices.enterClass]: call(own.enterClass),
      [hubServices.peek]: call(own.peek),
      [hubServices.metrics]: metrics,
      [hubServices.ready](text) {
        const found = workers.get(peer);
        const ready = JSON.parse(text) as WorkerReady;
        if (found !== undefined) found.ready = ready;
        onReady(ready);
        return 'null';
      },
    };
    const peer = new Peer(services, () => {
      workers.delete(peer);
      limits.free(worker);
    });
    workers.set(peer, { peer, ready: undefined });
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

  return {
    socketPath,
    ended(name) {
      const left = [...workers.values()].filter(({ ready }) => ready?.worker === name);
      for (const { peer, ready } of left) {
        peer.closed();
        const other = [...workers.values()].find((each) => each.ready !== undefined);
        if (ready !== undefined)
          other?.peer.call(workerServices.endInstance, JSON.stringify(ready.instanceId)).catch(() => {});
      }
    },
    close() {
      listener.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
