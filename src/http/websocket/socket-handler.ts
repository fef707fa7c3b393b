/** A WebSocket of a client as endpoints see it, and what they do with it. */

import type { GatewayError } from '../../conversation/gateway-error.ts';

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
  /** The client has read some of what was buffered for it. */
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
