/** Proves that the load generator's client sees every byte however the reply is cut, since a miscount would falsify every figure. */

import { afterEach, expect, test } from 'bun:test';
import type { Socket, TCPSocketListener } from 'bun';
import { closingEventCount, jsonBodyBytes, jsonReply, streamEnd, streamFrame, streamHead } from './chat-bytes.ts';
import { Connection } from './http-client.ts';

let listener: TCPSocketListener<undefined> | undefined;

afterEach(() => {
  listener?.stop(true);
});

/** Answers each read with these writes, one per turn of the event loop so that the client reads them apart. */
async function connectTo(writes: Buffer[], thenClose = false): Promise<Connection> {
  listener = Bun.listen<undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.setNoDelay(true);
      },
      data: (socket) => void answer(socket, writes, thenClose),
    },
  });
  const connection = new Connection();
  await connection.open(listener.port);
  return connection;
}

async function answer(socket: Socket<undefined>, writes: Buffer[], thenClose: boolean): Promise<void> {
  for (const bytes of writes) {
    socket.write(bytes);
    await new Promise(setImmediate);
  }
  if (thenClose) socket.end();
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

const stream = Buffer.concat([streamHead, streamFrame, streamFrame, streamFrame, streamEnd]);

for (const size of [1, 2, 3, 7, 64, 100_000]) {
  test(`counts events of a stream that arrives in pieces of ${size} bytes`, async () => {
    const connection = await connectTo(pieces(stream, size));
    const exchange = await connection.send('go');
    expect(exchange).toMatchObject({ status: 200, events: 3 + closingEventCount, complete: true });
    connection.close();
  });
}

test('reads reply after reply on one connection', async () => {
  const connection = await connectTo(pieces(jsonReply, 300));
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await connection.send('go')).toMatchObject({ status: 200, bodyBytes: jsonBodyBytes, complete: true });
  }
  connection.close();
});

test('a reply that is cut is not complete', async () => {
  const connection = await connectTo([stream.subarray(0, -5)], true);
  expect(await connection.send('go')).toMatchObject({ status: 200, events: 3 + closingEventCount, complete: false });
});
