/** A real Redis for tests: the one of `TEST_REDIS_URL`, or a server on a free loopback port that ends with the tests. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  /** Kills it as a power cut would. */
  kill(): Promise<void>;
}

async function answers(url: string): Promise<boolean> {
  const client = new Bun.RedisClient(url, { autoReconnect: false, connectionTimeout: 500, maxRetries: 0 });
  try {
    await client.connect();
    return (await client.send('PING', [])) === 'PONG';
  } catch {
    return false;
  } finally {
    client.close();
  }
}

interface StartOptions {
  /** Further ones of its command line. */
  readonly options?: readonly string[];
  /** A sentinel, which is no server for data. */
  readonly isSentinel?: boolean;
}

/** Starts a server without persistence; `givenPort` brings one back where an earlier one died. */
export async function startRedis(givenPort?: number, start: StartOptions = {}): Promise<RedisServer> {
  const port = givenPort ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
  const server = Bun.spawn(
    [
      'redis-server',
      ...(start.isSentinel ? [sentinelFile(folder), '--sentinel'] : ['--save', '', '--appendonly', 'no']),
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      // A follower need not wait for others that begin together with it.
      ...(start.isSentinel ? [] : ['--repl-diskless-sync-delay', '0']),
      ...(start.options ?? []),
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  const end = (): void => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const url = `redis://127.0.0.1:${port}`;
  const deadlineMs = performance.now() + 240_000;
  while (!(await answers(url))) {
    if (performance.now() > deadlineMs || server.exitCode !== null) {
      end();
      throw new Error(
        'redis-server did not start. Install it (Debian: apt-get install redis-server) or set TEST_REDIS_URL.',
      );
    }
    await Bun.sleep(20);
  }
  return {
    url,
    pid: server.pid,
    async kill() {
      process.off('exit', end);
      end();
      await server.exited;
    },
  };
}

/** A sentinel writes what it learns into its file. */
function sentinelFile(folder: string): string {
  const path = join(folder, 'sentinel.conf');
  writeFileSync(path, '');
  return path;
}

/** One command on a connection of its own. */
export async function tellRedis(url: string, name: string, ...values: readonly string[]): Promise<unknown> {
  const client = new Bun.RedisClient(url, { autoReconnect: false });
  try {
    return await client.send(name, [...values]);
  } finally {
    client.close();
  }
}

let shared: Promise<RedisServer> | undefined;

export async function redisUrl(): Promise<string> {
  const given = process.env['TEST_REDIS_URL'];
  if (given) return given;
  shared ??= startRedis();
  return (await shared).url;
}

/** For `afterAll`: the next file finds an empty one. A later `redisUrl()` starts another server, unless one is given. */
export async function stopRedis(): Promise<void> {
  const running = shared;
  shared = undefined;
  await (await running)?.kill();
  const given = process.env['TEST_REDIS_URL'];
  if (given) await empty(given);
}

async function empty(url: string): Promise<void> {
  const client = new Bun.RedisClient(url);
  try {
    await client.send('FLUSHALL', []);
  } finally {
    client.close();
  }
}
