/**
 * WebSockets of clients: the open connections, their limits and the order of a shutdown. Message formats are elsewhere.
 */

import { GatewayError } from '../conversation/gateway-error.ts';

/** One open connection. */
export interface Socket {
  /** False if the message is lost because the connection is closed or too far behind. */
  send(text: string): boolean;
  /** Bytes that the client has not read yet. */
  readonly bufferedBytes: number;
  close(code: CloseCode, reason: string): void;
  /** Ends it without a close frame, for a client that does not read. */
  terminate(): void;
  /** Why no new work may begin now, if so. */
  refusal(): GatewayError | undefined;
}

/** Weir's own are 1000, 1001, 1003, 1008 and 1011; a relayed one may be any that may be sent, which 1005, 1006 and 1015 may not. */
type CloseCode = number;

/** An endpoint's handlers of a connection. None of its methods may throw. */
export interface SocketHandler {
  open(socket: Socket): void;
  /** Undefined for a message that is not text. */
  message(text: string | undefined): void;
  /** The client has read what was buffered for it. */
  drained(): void;
  /** Weir is shutting down: running work may finish, then the connection closes. */
  drain(): void;
  /** Called once, also after a failed handshake. 1006 if the client vanished, 1005 if it gave no code. */
  closed(code: number, reason: string): void;
}

export interface Upgrade {
  readonly handler: SocketHandler;
  /** The sub-protocol to answer with; empty for none. Never one that holds a credential. */
  readonly protocol: string;
}

export interface SocketData {
  readonly handler: SocketHandler;
}

interface SocketLimits {
  /** A larger message closes the connection with 1009. */
  readonly messageBytesMax: number;
  /** More than this is never kept for a client that does not read. */
  readonly backlogBytesMax: number;
  socketsMax(): number;
  refusal(): GatewayError | undefined;
}

/** A client that answers no ping for so long is disconnected. */
const idleSeconds = 120;
const keyShape = /^[A-Za-z0-9+/]{22}==$/;

export class Sockets {
  readonly #limits: SocketLimits;
  readonly #open = new Map<Bun.ServerWebSocket<SocketData>, SocketHandler>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** Throws if the request is no valid handshake, or there is no room for it. */
  check(headers: Headers): void {
    const connection = headers.get('connection')?.toLowerCase() ?? '';
    if (!connection.includes('upgrade')) throw badUpgrade('connection', 'must name `Upgrade`');
    if (headers.get('sec-websocket-version') !== '13') throw badUpgrade('sec-websocket-version', 'must be 13');
    if (!keyShape.test(headers.get('sec-websocket-key') ?? '')) {
      throw badUpgrade('sec-websocket-key', 'must be 16 bytes in base64');
    }
    if (this.#open.size >= this.#limits.socketsMax()) {
      const message = 'Weir has as many connections as it can hold. Try again in a moment.';
      throw new GatewayError('gateway_overloaded', message, { retryAfterMs: 1000 });
    }
  }

  drain(): void {
    for (const handler of this.#open.values()) handler.drain();
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.close(1001, 'Weir is shutting down.');
  }

  /** The runtime's callbacks. */
  get runtime(): Bun.WebSocketHandler<SocketData> {
    const { messageBytesMax, backlogBytesMax } = this.#limits;
    return {
      maxPayloadLength: messageBytesMax,
      backpressureLimit: backlogBytesMax,
      idleTimeout: idleSeconds,
      sendPings: true,
      perMessageDeflate: false,
      open: (socket) => {
        const { handler } = socket.data;
        this.#open.set(socket, handler);
        handler.open(this.#view(socket));
      },
      message: (socket, message) => socket.data.handler.message(typeof message === 'string' ? message : undefined),
      drain: (socket) => socket.data.handler.drained(),
      close: (socket, code, reason) => {
        this.#open.delete(socket);
        socket.data.handler.closed(code, reason);
      },
    };
  }

  #view(socket: Bun.ServerWebSocket<SocketData>): Socket {
    const { refusal } = this.#limits;
    return {
      // 0 is a dropped message, -1 a buffered one.
      send: (text) => socket.send(text) !== 0,
      get bufferedBytes() {
        return socket.getBufferedAmount();
      },
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      refusal,
    };
  }
}

export function asksForSocket(headers: Headers): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket';
}

function badUpgrade(header: string, rule: string): GatewayError {
  return new GatewayError('header_invalid', `This is no WebSocket handshake: the header \`${header}\` ${rule}.`, {
    param: header,
  });
}
