/** A worker's end of what the workers of one machine share. */

import type { Limiter } from '../access/limits.ts';
import type { RemoteServices, RemoteStore } from '../store/engines/remote-driver.ts';
import type { WorkerReady } from './hub.ts';
import { Peer } from './peer.ts';
import { hubServices, workerServices } from './services.ts';
import { createWorkerLimiter } from './worker-limits.ts';

/** What the supervisor asks of a worker. */
interface WorkerServices {
  /** This worker's own metrics. */
  metrics(): Promise<string>;
  /** Settles what another worker, which has ended, left open. */
  endInstance(instanceId: string): Promise<unknown>;
}

export interface WorkerLink {
  readonly port: number;
  /** How many processes share the machine's memory. */
  readonly processes: number;
  /** Absent where this worker opens PostgreSQL itself. */
  readonly store: RemoteStore | undefined;
  limiter(nowMs: () => number): Limiter;
  /** The metrics of all workers and of the supervisor. */
  metrics(): Promise<string>;
  ready(services: WorkerServices, instanceId: string, banner: string): Promise<void>;
}

/** What the supervisor puts into a worker's environment. */
export interface WorkerPlace {
  readonly worker: string;
  /** How many there are. */
  readonly workers: number;
  readonly socketPath: string;
  readonly port: number;
  /** Of the embedded database. */
  readonly schemaVersion: number | undefined;
  /** The number of its journal, which no living worker shares with it. */
  readonly journal: number;
}

/** `onLost` is called when the supervisor has ended, without which a worker can settle nothing. */
export async function joinHub(
  { worker, workers, socketPath, port, schemaVersion, journal }: WorkerPlace,
  onLost: () => void,
): Promise<WorkerLink> {
  let services: WorkerServices | undefined;
  let remote: RemoteServices | undefined;
  const peer = new Peer(
    {
      [workerServices.answer]: () => 'null',
      [workerServices.metrics]: async () => JSON.stringify((await services?.metrics()) ?? ''),
      async [workerServices.flush]() {
        await remote?.flush();
        return 'null';
      },
      async [workerServices.giveBack](text) {
        await remote?.giveBack(JSON.parse(text) as string[]);
        return 'null';
      },
      async [workerServices.endInstance](text) {
        await services?.endInstance(JSON.parse(text) as string);
        return 'null';
      },
    },
    onLost,
  );
  peer.opened(await Bun.connect<Peer>({ unix: socketPath, data: peer, socket: Peer.handlers }));
  const store = (version: number): RemoteStore => ({
    schemaVersion: version,
    journal,
    call: (service, text) => peer.call(service, text),
    serve(own) {
      remote = own;
    },
  });
  return {
    port,
    processes: workers,
    store: schemaVersion === undefined ? undefined : store(schemaVersion),
    limiter: (nowMs) =>
      createWorkerLimiter(
        async (name, ...values) => JSON.parse(await peer.call(hubServices[name], JSON.stringify(values))),
        nowMs,
      ),
    async metrics() {
      return JSON.parse(await peer.call(hubServices.metrics, '')) as string;
    },
    async ready(own, instanceId, banner) {
      services = own;
      await peer.call(hubServices.ready, JSON.stringify({ worker, instanceId, banner } satisfies WorkerReady));
    },
  };
}
