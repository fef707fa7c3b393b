/** A server of raw bytes that sends as fast as it is read, and counts: what it has sent is what the other side let it send. */

import { createServer } from 'node:net';

export interface EagerSender {
  readonly url: string;
  readonly sent: { readonly bytes: number };
  stop(): void;
}

/** Answers any request with a head and then a piece again and again, as fast as it is taken. */
export async function startEagerSender(head: string, piece: Buffer, count: number, end = ''): Promise<EagerSender> {
  const sent = { bytes: 0 };
  const server = createServer((socket) => {
    let left = count;
    const go = () => {
      while (left > 0) {
        left -= 1;
        sent.bytes += piece.length;
        if (!socket.write(piece)) {
          socket.once('drain', go);
          return;
        }
      }
      socket.end(end);
    };
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(head);
      go();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, sent, stop: () => void server.close() };
}
