/**
 * A TCP relay in front of a database server that a test can shut: an outage that begins and ends when the test says so, perhaps at
 * another server.
 */

export interface Door {
  readonly port: number;
  shut(): void;
  /** To the same server, or from now on to this one. */
  reopen(to?: URL): void;
}

export function makeDoor(first: URL): Door {
  let target = first;
  type Peer = { other: Bun.Socket<Peer> | undefined; waiting: Uint8Array[] };
  const open = new Set<Bun.Socket<Peer>>();
  const pass = (socket: Bun.Socket<Peer>, data: Uint8Array) => {
    const { other, waiting } = socket.data;
    const written = other === undefined || waiting.length > 0 ? 0 : Math.max(0, other.write(data));
    if (written < data.length) waiting.push(new Uint8Array(data.subarray(written)));
  };
  /** The other side has room again. */
  const drain = (socket: Bun.Socket<Peer>) => {
    const { other } = socket.data;
    const waiting = other?.data.waiting.splice(0) ?? [];
    for (const data of waiting) if (other !== undefined) pass(other, data);
  };
  const listen = (port: number) =>
    Bun.listen<Peer>({
      hostname: '127.0.0.1',
      port,
      socket: {
        async open(client) {
          client.data = { other: undefined, waiting: [] };
          open.add(client);
          const server = await Bun.connect<Peer>({
            hostname: target.hostname,
            port: Number(target.port),
            data: { other: client, waiting: [] },
            socket: { data: pass, drain, close: () => void client.end() },
          }).catch(() => undefined);
          // As the server itself refuses.
          if (server === undefined) return void client.terminate();
          client.data.other = server;
          drain(server);
        },
        data: pass,
        drain,
        close(client) {
          open.delete(client);
          client.data.other?.end();
        },
      },
    });
  let listener = listen(0);
  const { port } = listener;
  return {
    port,
    shut() {
      listener.stop(true);
      for (const client of open) client.terminate();
    },
    reopen(to = target) {
      target = to;
      listener = listen(port);
    },
  };
}
