/** Free ports for servers that cannot choose one themselves. */

import { createServer, type Server } from 'node:net';

/** Below the ports that the system gives to outgoing connections. Each process has a range for itself. */
const firstPort = 15_000;
const rangePorts = 100;
const ranges = 170;

let range: Promise<number> | undefined;
let given = 0;

export async function freePort(): Promise<number> {
  range ??= claimRange();
  const first = await range;
  for (let tries = 1; tries < rangePorts; tries++) {
    const port = first + 1 + (given++ % (rangePorts - 1));
    const server = await listen(port);
    if (server === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`no free port from ${first} on`);
}

/**
 * The first port of a range that no other process has: it is held until this process ends. Otherwise another one could take
 * a port between the look and the use, or while its server is restarted.
 */
async function claimRange(): Promise<number> {
  for (let tries = 0; tries < ranges; tries++) {
    const first = firstPort + ((process.pid + tries) % ranges) * rangePorts;
    const held = await listen(first);
    if (held === undefined) continue;
    held.unref();
    return first;
  }
  throw new Error('other processes hold all ranges of ports');
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => resolve(true));
  return (await promise) ? server : undefined;
}
