/** `weir serve`: builds the gateway, listens, tells people about it, and leaves in good order. */

import { launcherProcessId, loadProcessConfig } from '../config/load-process-config.ts';
import { buildGateway, type Gateway } from '../gateway.ts';
import { version } from '../version.ts';
import { banner } from './banner.ts';

export async function serve(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    process.stderr.write(
      'Usage: weir serve\n\nIt takes no arguments; settings come from the environment and weir.yaml.\n',
    );
    return args[0] === '--help' || args[0] === '-h' ? 0 : 2;
  }
  const gateway = await buildGateway(loadProcessConfig()).catch(leave);
  process.stdout.write(
    banner({
      version,
      baseUrl: gateway.baseUrl,
      startMs: performance.now(),
      store: gateway.storeName,
      providers: gateway.providers(),
      models: gateway.modelCount(),
      firstToken: gateway.firstToken,
      sampleModel: gateway.sampleModel,
      colour: process.stdout.isTTY === true,
    }),
  );
  return untilStopped(gateway);
}

/** What was opened before the fault would keep the process alive. */
function leave(error: unknown): never {
  process.exitCode = 1;
  setTimeout(() => process.exit(), 0);
  throw error;
}

/** A signal to the whole process group arrives twice, from the group and from the launcher; those two are one wish. */
const sameSignalMs = 300;

/** The first signal asks for an orderly end, the second one insists. */
function untilStopped(gateway: Gateway): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let askedAtMs: number | undefined;
  const stop = (): void => {
    if (askedAtMs !== undefined) {
      if (performance.now() - askedAtMs < sameSignalMs) return;
      gateway.stopAtOnce();
      process.exit(1);
    }
    askedAtMs = performance.now();
    process.stdout.write('Weir is shutting down: running streams may finish.\n');
    gateway.stop().then(
      () => resolve(0),
      (error: unknown) => {
        process.stderr.write(
          `Weir did not shut down cleanly: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        resolve(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  watchLauncher(stop);
  return promise.finally(() => setTimeout(() => process.exit(), 0));
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
