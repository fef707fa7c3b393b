/** `weir serve`: builds the gateway, listens, prints the banner, and shuts down cleanly; with several workers, supervises them. */

import { closeSync, openSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { launcherProcessId, namesPostgres, workerEnvironment, workerPlace } from '../config/process-environment.ts';
import type { Gateway } from '../gateway/running-gateway.ts';
import { storeOptions } from '../gateway/store-options.ts';
import { version } from '../gateway/version.ts';
import type { Config } from '../settings/config.ts';
import { startSqliteThread } from '../store/engines/sqlite-thread.ts';
import type { WorkerPlace } from '../workers/worker-link.ts';
import { banner } from './banner.ts';

/** Flags by which the launcher keeps the runtime from reading files, for workers too. */
const unread = process.execArgv.filter((flag) => flag.startsWith('--no-'));

export async function serve(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    process.stderr.write(
      'Usage: weir serve\n\nTakes no arguments. Settings come from the environment and weir.yaml.\n',
    );
    return args[0] === '--help' || args[0] === '-h' ? 0 : 2;
  }
  const stopping = new StopSignals();
  const place = workerPlace() as WorkerPlace | undefined;
  if (place !== undefined) return stopping.end(await startWorker(place).catch(leave));
  return stopping.end(await start().catch(leave), 'Weir is shutting down. In-flight requests can finish.\n');
}

async function start(): Promise<Running> {
  // Before the configuration is read, which takes as long. One that names PostgreSQL or several workers ends it again.
  const thread = namesPostgres() ? undefined : startSqliteThread();
  const { loadProcessConfig } = await importConfig();
  const config = loadProcessConfig();
  const { workers } = config.server;
  const count = workers === 'auto' ? availableParallelism() : workers;
  if (count === 1 && config.database.url === undefined) return startAlone(config, thread);
  thread?.terminate();
  return count > 1 ? startWorkers(config, count) : startAlone(config);
}

/** How often the supervisor looks whether the configuration file has changed. */
const filePollMs = 400;

/** Something that runs until a signal stops it. */
interface Running {
  /** The exit code. */
  stop(): Promise<number>;
  stopAtOnce(): void;
  /** Reads the configuration again. */
  reload(): Promise<void>;
}

// Each is loaded when it is needed: the configuration beside the start of the thread, the gateway beside the opening of the
// database, and by the supervisor of several workers not at all.
const importConfig = () => import('../config/load-process-config.ts');
const importDriver = () => import('../store/open-driver.ts');
const importGateway = () => import('../gateway/gateway.ts');

async function startAlone(config: Config, thread?: Worker): Promise<Running> {
  const { openDriver } = await importDriver();
  const opening = openDriver({ ...storeOptions(config), thread });
  const [driver, { buildGateway }] = await Promise.all([opening, importGateway()]);
  const gateway = await buildGateway(config, driver);
  process.stdout.write(await bannerOf(gateway, 1));
  return runningOf(gateway);
}

async function startWorker(place: WorkerPlace): Promise<Running> {
  const [{ loadProcessConfig }, { openDriver }, { buildGateway }, { joinHub }] = await Promise.all([
    importConfig(),
    importDriver(),
    importGateway(),
    import('../workers/worker-link.ts'),
  ]);
  // Without its supervisor a worker can settle nothing.
  const link = await joinHub(place, () => process.exit(1));
  const config = loadProcessConfig();
  const gateway = await buildGateway(config, await openDriver(storeOptions(config, link.store)), link);
  await link.ready(gateway, gateway.instanceId, await bannerOf(gateway, place.workers));
  return runningOf(gateway);
}

async function startWorkers(config: Config, workers: number): Promise<Running> {
  const [
    { configFileIdentity, loadProcessConfig },
    { startSupervisor },
    { createLogger },
    { openLogOutput },
    { ConfigurationReload },
  ] = await Promise.all([
    importConfig(),
    import('../workers/supervisor.ts'),
    import('../observe/logger.ts'),
    import('../gateway/log-output.ts'),
    import('../configuration/reload.ts'),
  ]);
  const log = openLogOutput(config.log);
  const write = (line: string): void => log.write(line);
  const logger = createLogger({ ...config.log, secrets: [], nowMs: Date.now, write });
  const { host, port, dataFolder: folder } = config.server;
  const { url, synchronous } = config.database;
  const supervisor = await startSupervisor({
    workers,
    host,
    port,
    sqlite: url === undefined ? { folder, synchronous } : undefined,
    command: [process.execPath, ...(Bun.isStandaloneExecutable ? [] : [...unread, Bun.main]), 'serve'],
    // As the launcher does: the worker enters the working folder by itself.
    folder: Bun.isStandaloneExecutable ? undefined : dirname(Bun.main),
    environmentOf: workerEnvironment,
    say: (message) => logger.warn(message),
    writeLine: config.log.file === undefined ? undefined : write,
  });
  process.stdout.write(supervisor.banner);
  // Checked and logged here, once for all workers; each of them reads the file itself.
  const reload = new ConfigurationReload({
    given: config,
    load: loadProcessConfig,
    identity: configFileIdentity,
    apply: async () => undefined,
    beforeRead: () => supervisor.reload(),
    logger,
  });
  setInterval(() => void reload.poll(), filePollMs).unref();
  return {
    ...supervisor,
    async stop() {
      const code = await supervisor.stop();
      await log.flush();
      return code;
    },
    async reload() {
      await log.reopen();
      await reload.reload();
    },
  };
}

function runningOf(gateway: Gateway): Running {
  return {
    async stop() {
      await gateway.stop();
      return 0;
    },
    stopAtOnce: () => gateway.stopAtOnce(),
    reload: () => gateway.reload(),
  };
}

async function bannerOf(gateway: Gateway, workers: number): Promise<string> {
  return banner({
    version,
    baseUrl: gateway.baseUrl,
    startMs: performance.now(),
    store: gateway.storeName,
    workers,
    providers: gateway.providers(),
    models: gateway.modelCount(),
    prices: await gateway.prices(),
    firstToken: gateway.firstToken,
    setUpUrl: gateway.setUpUrl,
    sampleModel: gateway.sampleModel,
    color: process.stdout.isTTY === true,
  });
}

/** What was opened before the fault would keep the process alive. */
async function leave(error: unknown): Promise<never> {
  process.exitCode = 1;
  // What names the fault is loaded before the process may end.
  await import('./plain-errors.ts');
  setTimeout(() => process.exit(), 0);
  throw error;
}

/** A signal to the whole process group arrives twice, from the group and from the launcher; those two count as one. */
const sameSignalMs = 300;

/**
 * Listens from the start, so that an early signal counts too. The first signal stops gracefully, the second at once. SIGHUP
 * reads the configuration again; it stops a Weir whose terminal was closed.
 */
class StopSignals {
  readonly #asked = Promise.withResolvers<void>();
  #askedAtMs: number | undefined;
  #running: Running | undefined;
  #reloadAsked = false;
  readonly #hadTerminal = hasTerminal();

  constructor() {
    const stop = (): void => this.#stop();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
    process.on('SIGHUP', () => (this.#hadTerminal && !hasTerminal() ? stop() : this.#reload()));
    watchLauncher(stop);
  }

  #stop(): void {
    if (this.#askedAtMs === undefined) {
      this.#askedAtMs = performance.now();
      this.#asked.resolve();
    } else if (performance.now() - this.#askedAtMs > sameSignalMs) {
      this.#running?.stopAtOnce();
      process.exit(1);
    }
  }

  #reload(): void {
    this.#reloadAsked = this.#running === undefined;
    if (this.#askedAtMs === undefined) void this.#running?.reload();
  }

  /** Waits for the signal to stop, says so, then stops. */
  async end(running: Running, message = ''): Promise<number> {
    this.#running = running;
    if (this.#reloadAsked) this.#reload();
    await this.#asked.promise;
    process.stdout.write(message);
    try {
      return await running.stop();
    } catch (error) {
      process.stderr.write(
        `Weir did not shut down cleanly: ${error instanceof Error ? error.message : String(error)}\n`,
      );
      return 1;
    } finally {
      setTimeout(() => process.exit(), 0);
    }
  }
}

/** A launcher that was killed cannot pass on a signal; its child notices that it has a new parent. */
function watchLauncher(stop: () => void): void {
  const launcher = launcherProcessId();
  if (launcher === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(timer);
    stop();
  }, 1_000);
  timer.unref();
}

/** False where there never was one, and from the moment on at which it is closed. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
