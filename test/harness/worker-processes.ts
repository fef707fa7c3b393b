/** The processes behind one Weir with several workers. */

import { readdir, readFile } from 'node:fs/promises';
import type { RunningWeir } from './weir.ts';

/** Only a worker has this variable, and its supervisor is its parent. */
export async function workerPids({ pid }: Pick<RunningWeir, 'pid'>): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // A process may end while it is looked at.
    const [environment, stat] = await Promise.all([
      readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''),
      readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''),
    ]);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === pid && environment.includes('\0WEIR_WORKER=')) pids.push(Number(name));
  }
  return pids;
}

/** On a connection of its own, so that requests spread over the workers. */
export const ownConnection: RequestInit = { headers: { connection: 'close' }, keepalive: false };
