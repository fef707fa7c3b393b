/** Reaches a server through an HTTP proxy: requests a tunnel and, for a TLS server, starts TLS inside it. */

import type { Socket, SocketHandler, TLSOptions } from 'bun';
import { HeadReader } from '../../framing/head-reader.ts';
import { UnsentError } from '../transport.ts';
import { codeOf } from './errors.ts';
import type { Origin } from './origin.ts';
import type { SocketOwner } from './socket-owner.ts';

interface ProxyAddress {
  readonly host: string;
  readonly port: number;
  /** The value of `proxy-authorization`, if the proxy requires one. */
  readonly authorization: string | undefined;
}

/** Only `http` proxies: the runtime does not support TLS inside TLS. */
export function readProxyAddress(url: string): ProxyAddress | undefined {
  const { protocol, hostname, port, username, password } = new URL(url);
  if (protocol !== 'http:') return undefined;
  const words = username === '' && password === '' ? undefined : `${plain(username)}:${plain(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 80 : Number(port),
    authorization: words === undefined ? undefined : `Basic ${Buffer.from(words).toString('base64')}`,
  };
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface TunnelPlan {
  readonly origin: Origin;
  readonly connection: SocketOwner;
  readonly proxy: ProxyAddress;
  /** TLS inside the tunnel and its handler; absent for a server without TLS. */
  readonly secure: { readonly tls: TLSOptions; readonly handler: SocketHandler<SocketOwner> } | undefined;
  /** Stops the connect deadline: the tunnel failed, or it is open and its server uses no TLS. */
  decided(): void;
}

const headBytesMax = 16_384;

export function openTunnel(plan: TunnelPlan): Promise<unknown> {
  const { proxy, connection: data } = plan;
  const socket = new Tunnel(plan).handler();
  return Bun.connect<SocketOwner>({ hostname: proxy.host, port: proxy.port, data, socket });
}

class Tunnel {
  readonly #plan: TunnelPlan;
  readonly #head = new HeadReader(headBytesMax, 'reply');
  #settled = false;

  constructor(plan: TunnelPlan) {
    this.#plan = plan;
  }

  handler(): SocketHandler<SocketOwner> {
    // Once TLS has begun, its own handler receives all events; the bytes here are its ciphertext.
    const isOurs = (): boolean => this.#settled && this.#plan.secure === undefined;
    return {
      open: (socket) => this.#ask(socket),
      data: (socket, bytes) => {
        if (isOurs()) socket.data.received(bytes);
        else if (!this.#settled) this.#takeAnswer(socket, bytes);
      },
      drain: (socket) => {
        if (isOurs()) socket.data.drained();
      },
      close: (socket, error) => {
        if (isOurs()) socket.data.lost(error);
        else if (!this.#settled) this.#fail(codeOf(error) ?? 'ECONNRESET', 'it hung up');
      },
      error: (socket, error) => {
        if (isOurs()) socket.data.broken(error);
        else if (!this.#settled) this.#fail(codeOf(error) ?? 'ECONNRESET', error.message);
      },
    };
  }

  #ask(socket: Socket<SocketOwner>): void {
    const { connection, origin, proxy } = this.#plan;
    connection.reached(socket);
    const authority = `${origin.host.includes(':') ? `[${origin.host}]` : origin.host}:${origin.port}`;
    const credential = proxy.authorization === undefined ? '' : `proxy-authorization: ${proxy.authorization}\r\n`;
    const head = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credential}\r\n`;
    if (socket.write(head) < Buffer.byteLength(head)) this.#fail('ECONNRESET', 'it took no request');
  }

  #takeAnswer(socket: Socket<SocketOwner>, bytes: Buffer): void {
    let text: string | undefined;
    try {
      text = this.#head.take(bytes, 0);
    } catch {
      this.#fail('ERR_PROXY_TUNNEL', 'its answer is too long');
      return;
    }
    if (text === undefined) return;
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 'no status';
    if (!status.startsWith('2')) this.#fail('ERR_PROXY_TUNNEL', `it answered with ${status}`);
    // No server sends bytes before a request, so these would be the proxy's own.
    else if (this.#head.endsAt < bytes.length) this.#fail('ERR_PROXY_TUNNEL', 'it sent more than its answer');
    else this.#begin(socket);
  }

  #begin(socket: Socket<SocketOwner>): void {
    const { connection, secure, decided } = this.#plan;
    this.#settled = true;
    if (connection.closed) {
      socket.terminate();
    } else if (secure === undefined) {
      decided();
      connection.opened(socket);
    } else {
      socket.upgradeTLS<SocketOwner>({ data: connection, tls: secure.tls, socket: secure.handler });
    }
  }

  #fail(code: string, why: string): void {
    const { connection, origin, decided } = this.#plan;
    this.#settled = true;
    decided();
    connection.connectFailed(
      new UnsentError(code, `No connection to ${origin.host}: the proxy opened no tunnel, ${why}.`),
    );
  }
}
