/** PgBouncer in transaction mode, before the PostgreSQL server of a URL; it ends with the tests. */

import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { accountOfPostgres } from './postgres.ts';

const startTimeoutMs = 240_000;
/** Fewer than the clients have connections, so that they are really shared. */
const serverConnections = 3;

/** By the address of the server. */
const running = new Map<string, Promise<number>>();

export function pgbouncerProgram(): string | undefined {
  return Bun.which('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find((path) => existsSync(path));
}

/** The same database, reached through PgBouncer. */
export async function throughPgbouncer(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const port = running.get(url.host) ?? startPgbouncer(url);
  running.set(url.host, port);
  url.port = String(await port);
  return url.href;
}

async function startPgbouncer({ hostname, port: serverPort, username }: URL): Promise<number> {
  const program = pgbouncerProgram();
  if (program === undefined) throw new Error('PgBouncer is not installed: on Debian run `apt-get install pgbouncer`.');
  const folder = mkdtempSync(join(tmpdir(), 'weir-pgbouncer-'));
  const port = await freePort();
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${serverConnections}`,
    'max_client_conn = 1000',
    // Each test has a database of its own, and the server a limit of connections.
    'server_idle_timeout = 1',
    `logfile = ${folder}/log`,
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const account = accountOfPostgres();
  // It does not run as root.
  if (account !== undefined) for (const path of [folder, file]) chownSync(path, account.uid, account.gid);
  const prefix = account === undefined ? [] : ['runuser', '-u', 'postgres', '--'];
  // The shell lives as long as its standard input, as the database's does.
  const script = `"$@" & bouncer=$!; read line; kill "$bouncer"; wait; rm -rf ${folder}`;
  const child = Bun.spawn(['sh', '-c', script, 'sh', ...prefix, program, file], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  process.once('exit', () => {
    child.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  });
  child.unref();
  await untilOpen(port);
  return port;
}

async function untilOpen(port: number): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
      socket.end();
      return;
    } catch {
      if (performance.now() > deadlineMs) throw new Error('PgBouncer did not start.');
      await Bun.sleep(20);
    }
  }
}
