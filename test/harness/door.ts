/** A TCP relay in front of a database server that a test can shut: an outage that begins and ends when the test says so. */

export interface Door {
  readonly port: number;
  shut(): void;
  reopen(): void;
}

export function makeDoor(target: URL): Door {
  type Peer = { other: Bun.Socket<Peer> | undefined; waiting: Uint8Array[] };
  const open = new Set<Bun.Socket<Peer>>();
  const pass = (socket: Bun.Socket<Peer>, data: Uint8Array) => {
    if (socket.data.other === undefined) socket.data.waiting.push(new Uint8Array(data));
    else socket.data.other.write(data);
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
            socket: { data: pass, close: () => void client.end() },
          }).catch(() => undefined);
          if (server === undefined) return void client.end();
          client.data.other = server;
          for (const data of client.data.waiting.splice(0)) server.write(data);
        },
        data: pass,
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
    reopen() {
      listener = listen(port);
    },
  };
}
