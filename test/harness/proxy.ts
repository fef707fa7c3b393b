/**
 * A forward proxy for tests: tunnels and forwards requests, requires a password where scripted, and
 * records what it was asked.
 */

import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface ScriptedProxy {
  /** Without user and password. */
  readonly url: string;
  readonly port: number;
  /** The first line of each request that was let through: `CONNECT a.example:443 HTTP/1.1`. */
  readonly asked: string[];
  /** The whole heads, as they came. */
  readonly heads: string[];
  readonly open: number;
  stop(): void;
}

export interface ProxyScript {
  /** `user:password` that must be shown. */
  readonly credential?: string;
  /** Reached by TLS itself. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** What it answers instead of helping. */
  readonly refusal?: string;
  /** Takes every request and never answers. */
  readonly isSilent?: boolean;
  /** The port on this machine that every tunnel leads to; otherwise the requested one. */
  readonly tunnelsTo?: number;
}

/** Every name leads to this machine, so that tests can ask for hosts that do not exist. */
export async function startProxy(script: ProxyScript = {}): Promise<ScriptedProxy> {
  const asked: string[] = [];
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (client: Socket): void => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client)).on('error', () => client.destroy());
    let text = '';
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      client.off('data', read);
      heads.push(text.slice(0, end));
      answer(client, text.slice(0, end), text.slice(end + 4));
    };
    client.on('data', read);
  };
  const answer = (client: Socket, head: string, rest: string): void => {
    if (script.isSilent === true) return;
    const shown = /^proxy-authorization: basic (\S+)/im.exec(head)?.[1] ?? '';
    const isKnown = script.credential === undefined || Buffer.from(shown, 'base64').toString() === script.credential;
    const refusal = isKnown ? script.refusal : '407 Proxy Authentication Required';
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno`);
      return;
    }
    asked.push(head.split('\r\n', 1)[0] ?? '');
    if (head.startsWith('CONNECT ')) tunnel(client, script.tunnelsTo ?? askedPort(head));
    else forward(client, head, rest);
  };
  const server = script.tls === undefined ? createPlainServer(serve) : createTlsServer(script.tls, serve);
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http${script.tls === undefined ? '' : 's'}://localhost:${port}`,
    port,
    asked,
    heads,
    get open() {
      return sockets.size;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function askedPort(head: string): number {
  return Number(/^CONNECT \S+:(\d+) /.exec(head)?.[1]);
}

function tunnel(client: Socket, port: number): void {
  const upstream = join(client, port);
  upstream.on('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
}

/** One request a connection, so that no head after the first needs to be read. */
function forward(client: Socket, head: string, rest: string): void {
  const [first = '', ...lines] = head.split('\r\n');
  const [method, address = '', version] = first.split(' ');
  const { port, pathname, search } = new URL(address);
  const kept = lines.filter((line) => !/^(proxy-|connection:)/i.test(line));
  const upstream = join(client, Number(port || 80));
  upstream.on('connect', () => {
    upstream.write([`${method} ${pathname}${search} ${version}`, ...kept, 'connection: close', '', ''].join('\r\n'));
    upstream.write(Buffer.from(rest, 'latin1'));
    client.pipe(upstream).pipe(client);
  });
}

function join(client: Socket, port: number): Socket {
  const upstream = connect(port, '127.0.0.1');
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => upstream.destroy());
  return upstream;
}
