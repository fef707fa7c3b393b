/** Gives a test a fresh, empty PostgreSQL database: on the server the runner names, else on a cluster of its own. */

import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';

const startTimeoutMs = 240_000;

let server: Promise<string> | undefined;

/** The URL of a new empty database. Databases of our own cluster are removed with it; others stay on their server. */
export async function postgresUrl(): Promise<string> {
  server ??= givenServer() ?? startCluster().then(({ url }) => url);
  return newDatabase(await server);
}

/** The URL of a new empty database on this server. */
export async function newDatabase(base: string): Promise<string> {
  const name = `weir_test_${randomBytes(6).toString('hex')}`;
  const admin = new Bun.SQL(base, { max: 1 });
  try {
    await admin.unsafe(`CREATE DATABASE ${name}`);
  } finally {
    await admin.close();
  }
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}

/** The URL of a database on a cluster of its own with these settings (`max_connections=30`); it ends with this process. */
export async function postgresWith(...settings: readonly string[]): Promise<string> {
  return (await startCluster(settings)).url;
}

export interface PostgresCluster {
  readonly url: string;
  /** Its data folder. */
  readonly data: string;
  /** The command line of a program of this PostgreSQL, run by the account that owns the cluster. */
  command(program: string, ...words: string[]): string[];
}

/** A cluster of its own; it ends with this process. */
export function postgresCluster(): Promise<PostgresCluster> {
  return startCluster();
}

function givenServer(): Promise<string> | undefined {
  const given = process.env['TEST_DATABASE_URL'];
  return given === undefined || given === '' ? undefined : Promise.resolve(given);
}

type Command = PostgresCluster['command'];

const newCluster = (command: Command, data: string): string[] =>
  command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-N');

/** A standby of a cluster, which follows it through this port; it ends with this process. */
export function standbyOf(primary: PostgresCluster, port: number): Promise<PostgresCluster> {
  const { username } = new URL(primary.url);
  const from = ['-h', '127.0.0.1', '-p', String(port), '-U', username];
  return startCluster([], (command, data) =>
    command('pg_basebackup', '-D', data, ...from, '-X', 'stream', '-R', '-c', 'fast', '-N'),
  );
}

/** Waits beside other work: what it copies from may be served by this process. */
async function run(folder: string, words: string[]): Promise<void> {
  const child = Bun.spawn(words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const [code, text] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0) throw new Error(`${words.join(' ')} failed: ${text}`);
}

async function startCluster(
  given: readonly string[] = [],
  fill: (command: Command, data: string) => string[] = newCluster,
): Promise<PostgresCluster> {
  const binaries = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'weir-postgres-'));
  const account = accountOfPostgres();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const prefix = account === undefined ? [] : ['runuser', '-u', 'postgres', '--'];
  const command = (program: string, ...words: string[]) => [...prefix, join(binaries, program), ...words];
  const data = join(folder, 'data');
  await run(folder, fill(command, data));
  const port = await freePort();
  const postgres = command('postgres', '-D', data, '-p', String(port), '-k', folder);
  // A vacuum in the template delays new databases, and one in a test's database changes plans between two runs.
  const settings = ['fsync=off', 'full_page_writes=off', 'jit=off', 'autovacuum=off', 'max_connections=200', ...given];
  const options = ['-h', '127.0.0.1', ...settings.flatMap((setting) => ['-c', setting])];
  // The shell lives as long as its standard input: when this process dies, however it dies, the cluster ends too, also a
  // frozen one.
  const script = `"$@" & read line; server="$(head -n 1 ${data}/postmaster.pid)"
    kill -QUIT "$server"; kill -CONT "$server"; wait; rm -rf ${folder}`;
  const child = Bun.spawn(['sh', '-c', script, 'sh', ...postgres, ...options], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  process.once('exit', () => child.stdin.end());
  child.unref();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return { url, data, command };
}

function findBinaries(): string {
  const root = '/usr/lib/postgresql';
  const versions = safeList(root).sort((a, b) => Number(b) - Number(a));
  const newest = versions[0];
  if (newest !== undefined) return join(root, newest, 'bin');
  const onPath = Bun.which('postgres');
  if (onPath !== null) return join(onPath, '..');
  throw new Error('PostgreSQL is not installed: on Debian run `apt-get install postgresql`, or set TEST_DATABASE_URL.');
}

function safeList(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** PostgreSQL refuses to run as root, so root lends the cluster to the account that the package made. */
export function accountOfPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string): number => Number(Bun.spawnSync(['id', flag, 'postgres']).stdout.toString().trim());
  return { uid: number('-u'), gid: number('-g') };
}

export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const client = new Bun.SQL(url, { max: 1, connectionTimeout: 2 });
    try {
      await client.unsafe('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(50);
    } finally {
      await client.close().catch(() => undefined);
    }
  }
}
