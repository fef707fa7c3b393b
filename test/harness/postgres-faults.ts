/** Faults of a PostgreSQL server: a restart, a crash, and a server that is frozen. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PostgresCluster, untilReady } from './postgres.ts';

/** `fast`: connections are closed and transactions rolled back. `immediate`: as after a crash, with recovery at the start. */
export async function restartPostgres(cluster: PostgresCluster, mode: 'fast' | 'immediate'): Promise<void> {
  await control(cluster, 'restart', '-m', mode, '-l', '/dev/null');
  await untilReady(cluster.url);
}

/** As when its machine is gone: nothing is finished. */
export const killPostgres = (cluster: PostgresCluster): Promise<void> => control(cluster, 'stop', '-m', 'immediate');

/** Makes a primary of a standby. */
export const promotePostgres = (standby: PostgresCluster): Promise<void> => control(standby, 'promote');

async function control(cluster: PostgresCluster, work: string, ...words: readonly string[]): Promise<void> {
  const child = Bun.spawn(cluster.command('pg_ctl', work, '-D', cluster.data, '-w', '-t', '240', ...words), {
    cwd: cluster.data,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const code = await child.exited;
  if (code !== 0) throw new Error(`pg_ctl ${work} ended with ${code}`);
}

/** Stops every process of the server: connections stay open and nothing answers. The result lets it continue. */
export function freezePostgres(cluster: PostgresCluster): () => void {
  const postmaster = Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  // First the one that starts others.
  process.kill(postmaster, 'SIGSTOP');
  const pids = [...childrenOf(postmaster), postmaster];
  for (const pid of pids) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // A connection's process may have ended.
  }
}
