/**
 * WebSockets of clients: the open connections, their limits and the order of a shutdown. Message formats are elsewhere.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { acceptFor } from '../../framing/websocket/accept-key.ts';
import { lineOf } from '../reply-headers.ts';
import type { RequestHeaders } from '../request-headers.ts';
import type { ClientConnection } from '../server/client-connection.ts';
import { ClientSocket } from './client-socket.ts';
import type { Socket, SocketHandler, Upgrade } from './socket-handler.ts';

/** A handshake that was accepted. */
interface Accepted extends Upgrade {
  readonly key: string;
}

interface SocketLimits {
  /** A larger message closes the connection with 1009. */
  readonly messageBytesMax: number;
  /** More than this is never kept for a client that does not read. */
  readonly backlogBytesMax: number;
  socketsMax(): number;
  refusal(): GatewayError | undefined;
  /** A failure outside every handler. */
  report(error: unknown): void;
}

const keyShape = /^[A-Za-z0-9+/]{22}==$/;

export class Sockets {
  readonly #limits: SocketLimits;
  readonly #open = new Map<Socket, SocketHandler>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** The key of a handshake. Throws if it is not valid, or there is no room for another connection. */
  check(headers: RequestHeaders): string {
    const connection = headers.get('connection')?.toLowerCase() ?? '';
    if (!connection.includes('upgrade')) throw badUpgrade('connection', 'must name `Upgrade`');
    if (headers.get('sec-websocket-version') !== '13') throw badUpgrade('sec-websocket-version', 'must be 13');
    const key = headers.get('sec-websocket-key') ?? '';
    if (!keyShape.test(key)) {
      throw badUpgrade('sec-websocket-key', 'must be 16 bytes in base64');
    }
    if (this.#open.size >= this.#limits.socketsMax()) {
      const message = 'Weir has as many connections as it can hold. Try again in a moment.';
      throw new GatewayError('gateway_overloaded', message, { retryAfterMs: 1000 });
    }
    return key;
  }

  /** The request in flight on a connection becomes a WebSocket. False if the client left meanwhile. */
  accept(connection: ClientConnection, { key, protocol, handler }: Accepted): boolean {
    const { messageBytesMax, backlogBytesMax, refusal, report } = this.#limits;
    // Without the line, no sub-protocol is chosen; the first one that was offered may be a credential.
    const protocolLine = protocol === '' ? '' : lineOf('sec-websocket-protocol', protocol);
    const head =
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
      `sec-websocket-accept: ${acceptFor(key)}\r\n${protocolLine}\r\n`;
    return connection.upgrade(head, (socket) => {
      const onEnd = (ended: Socket): void => void this.#open.delete(ended);
      const opened = new ClientSocket({ socket, handler, messageBytesMax, backlogBytesMax, refusal, report, onEnd });
      this.#open.set(opened, handler);
      return opened;
    });
  }

  drain(): void {
    for (const handler of this.#open.values()) handler.drain();
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.close(1001, 'Weir is shutting down.');
  }
}

export function asksForSocket(headers: RequestHeaders): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket';
}

function badUpgrade(header: string, rule: string): GatewayError {
  return new GatewayError('header_invalid', `This is no WebSocket handshake: the header \`${header}\` ${rule}.`, {
    param: header,
  });
}
