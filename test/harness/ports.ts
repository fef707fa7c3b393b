/** Free ports for servers that cannot choose one themselves. */

import { createServer } from 'node:net';

/**
 * Ports below those that the system gives to outgoing connections, a hundred for each process: between the look and the use
 * no other one takes it.
 */
const ports = { first: 15_000 + (process.pid % 170) * 100, count: 100, taken: 0 };

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < ports.count; tries++) {
    const port = ports.first + (ports.taken++ % ports.count);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${ports.first} on`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
