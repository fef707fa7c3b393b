/** Requests with tokens that do not exist, as fast as they are answered: raw, because a library's client would take longer than the server. */

import { connect } from 'node:net';

const lanes = 20;

/** Resolves when all were refused with 401; rejects at any other answer. */
export async function floodTokens({ url }: { readonly url: string }, requests: number): Promise<void> {
  const lane = () =>
    new Promise<void>((resolve, reject) => {
      let answered = 0;
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
      const next = () => {
        const token = `flood-${crypto.randomUUID()}`;
        socket.write(`GET /v1/models HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer ${token}\r\n\r\n`);
      };
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('data', (bytes: Buffer) => {
        if (!bytes.includes('HTTP/1.1 ')) return;
        if (!bytes.includes('HTTP/1.1 401')) return reject(new Error(bytes.toString('utf8').slice(0, 200)));
        if (++answered < requests / lanes) return next();
        socket.destroy();
        resolve();
      });
    });
  await Promise.all(Array.from({ length: lanes }, lane));
}
