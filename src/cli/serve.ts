/** `weir serve`: builds the gateway, listens, prints the banner, and shuts down cleanly. */

import { launcherProcessId, loadProcessConfig } from '../config/load-process-config.ts';
import { buildGateway, type Gateway } from '../gateway/gateway.ts';
import { version } from '../gateway/version.ts';
import { banner } from './banner.ts';

export async function serve(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    process.stderr.write(
      'Usage: weir serve\n\nTakes no arguments. Settings come from the environment and weir.yaml.\n',
    );
    return args[0] === '--help' || args[0] === '-h' ? 0 : 2;
  }
  const stopping = new StopSignals();
  const gateway = await buildGateway(loadProcessConfig()).catch(leave);
  process.stdout.write(
    banner({
      version,
      baseUrl: gateway.baseUrl,
      startMs: performance.now(),
      store: gateway.storeName,
      providers: gateway.providers(),
      models: gateway.modelCount(),
      prices: await gateway.prices(),
      firstToken: gateway.firstToken,
      setUpUrl: gateway.setUpUrl,
      sampleModel: gateway.sampleModel,
      color: process.stdout.isTTY === true,
    }),
  );
  return stopping.end(gateway);
}

/** What was opened before the fault would keep the process alive. */
function leave(error: unknown): never {
  process.exitCode = 1;
  setTimeout(() => process.exit(), 0);
  throw error;
}

/** A signal to the whole process group arrives twice, from the group and from the launcher; those two count as one. */
const sameSignalMs = 300;

/**
 * Listens from the start, so that an early signal counts too. The first signal stops gracefully, the second at once.
 */
class StopSignals {
  readonly #asked = Promise.withResolvers<void>();
  #askedAtMs: number | undefined;
  #gateway: Gateway | undefined;

  constructor() {
    const stop = (): void => this.#stop();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
    watchLauncher(stop);
  }

  #stop(): void {
    if (this.#askedAtMs === undefined) {
      this.#askedAtMs = performance.now();
      this.#asked.resolve();
    } else if (performance.now() - this.#askedAtMs > sameSignalMs) {
      this.#gateway?.stopAtOnce();
      process.exit(1);
    }
  }

  /** Waits for the signal to stop, then stops the gateway. */
  async end(gateway: Gateway): Promise<number> {
    this.#gateway = gateway;
    await this.#asked.promise;
    process.stdout.write('Weir is shutting down. In-flight requests can finish.\n');
    try {
      await gateway.stop();
      return 0;
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
