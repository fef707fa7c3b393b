/** A marker for "nothing more happens": bytes that went around the loopback device behind everything that was sent before. */

/**
 * Sends a byte to itself and back so many times. Each round takes at least two turns of the event loop, so whatever
 * lay in a socket of this process when it began has been read, and its callbacks have run.
 */
export async function loopbackRounds(rounds = 10): Promise<void> {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let left = rounds;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket, bytes) => void socket.write(bytes) },
  });
  const client = await Bun.connect({
    hostname: '127.0.0.1',
    port: listener.port,
    socket: {
      open: (socket) => void socket.write('.'),
      data(socket, bytes) {
        left -= 1;
        if (left > 0) socket.write(bytes);
        else resolve();
      },
    },
  });
  await done;
  client.end();
  listener.stop(true);
}
