/** The processes behind one Weir with several workers. */

import { readdirSync, readFileSync } from 'node:fs';
import type { RunningWeir } from './weir.ts';

/**
 * The oldest first: process ids start again from the lowest when they are used up, so they say nothing about age.
 * Only a worker has this variable, and its supervisor is its parent.
 */
export async function workerPids({ pid }: Pick<RunningWeir, 'pid'>): Promise<readonly number[]> {
  const found: { readonly pid: number; readonly startedAt: number }[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(`/proc/${name}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[1]) === pid && textOf(`/proc/${name}/environ`).includes('\0WEIR_WORKER='))
      found.push({ pid: Number(name), startedAt: Number(fields[19]) });
  }
  return found.toSorted((a, b) => a.startedAt - b.startedAt).map((worker) => worker.pid);
}

/** A process may end while it is looked at. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Sockets that listen on its port: one for each worker that serves. */
export async function listeningSockets({ url }: Pick<RunningWeir, 'url'>): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const table = await Bun.file('/proc/net/tcp').text();
  return table.split('\n').filter((line) => line.includes(`:${port} 00000000:0000 0A`)).length;
}

/** On a connection of its own, so that requests spread over the workers. */
export const ownConnection: RequestInit = { headers: { connection: 'close' }, keepalive: false };
