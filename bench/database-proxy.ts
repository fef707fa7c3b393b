/**
 * A TCP proxy before PostgreSQL or Redis: it delays each direction by half of a round trip and counts round trips, which
 * are replies that end: `ReadyForQuery` of PostgreSQL, and reads of a reply of Redis.
 */

import { parseArgs } from 'node:util';
import type { Socket } from 'bun';

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: '0' },
    'delay-ms': { type: 'string', default: '0' },
    wire: { type: 'string', default: 'postgres' },
  },
});
const delayMs = Number(values['delay-ms']) / 2;
const readyForQuery = 'Z'.charCodeAt(0);
let roundTrips = 0;

interface Side {
  peer: Socket<Side> | undefined;
  /** What came before the other side was connected. */
  early: Buffer[];
  /** Bytes of the message that are still to come, and its head so far. */
  left: number;
  head: Buffer;
}

const side = (): Side => ({ peer: undefined, early: [], left: 0, head: Buffer.alloc(0) });

/** Messages have a type, a length of four bytes and a body. */
function countReplies(data: Side, bytes: Buffer): void {
  if (values.wire !== 'postgres') {
    roundTrips += 1;
    return;
  }
  let rest = bytes;
  while (rest.length > 0) {
    if (data.left > 0) {
      const taken = Math.min(data.left, rest.length);
      data.left -= taken;
      rest = rest.subarray(taken);
      continue;
    }
    const head = Buffer.concat([data.head, rest.subarray(0, 5 - data.head.length)]);
    rest = rest.subarray(5 - data.head.length);
    data.head = head;
    if (head.length < 5) return;
    if (head[0] === readyForQuery) roundTrips += 1;
    data.left = head.readUInt32BE(1) - 4;
    data.head = Buffer.alloc(0);
  }
}

function pass(to: Socket<Side> | undefined, bytes: Buffer): void {
  if (to === undefined) return;
  if (delayMs === 0) to.write(bytes);
  else setTimeout(() => to.write(bytes), delayMs);
}

const listener = Bun.listen<Side>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    async open(client) {
      client.data = side();
      client.setNoDelay(true);
      const server = await Bun.connect<Side>({
        hostname: '127.0.0.1',
        port: Number(values.to),
        data: side(),
        socket: {
          data(socket, bytes) {
            const copy = Buffer.from(bytes);
            countReplies(socket.data, copy);
            pass(socket.data.peer, copy);
          },
          close: (socket) => void socket.data.peer?.end(),
        },
      });
      server.setNoDelay(true);
      server.data.peer = client;
      client.data.peer = server;
      for (const bytes of client.data.early.splice(0)) pass(server, bytes);
    },
    data(client, bytes) {
      const copy = Buffer.from(bytes);
      if (client.data.peer === undefined) client.data.early.push(copy);
      else pass(client.data.peer, copy);
    },
    close: (client) => void client.data.peer?.end(),
  },
});

/** Asked for over HTTP, because standard output has one line only. */
const counter = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ roundTrips }) });
console.log(JSON.stringify({ port: listener.port, counterPort: counter.port }));
