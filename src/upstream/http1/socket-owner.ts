/** The owner of a socket: the connection that a socket is opened for, and the events it receives. */

import type { Socket } from 'bun';

export interface SocketOwner {
  /** Has it been given up meanwhile? Then no further address is tried. */
  readonly closed: boolean;
  /** There is a socket, though TLS may still have to agree on it. */
  reached(socket: Socket<SocketOwner>): void;
  /** The socket stands, for TLS with its certificate checked. */
  opened(socket: Socket<SocketOwner>): void;
  /** Nothing has been sent. It may be told after `reached`, and more than once. */
  connectFailed(error: unknown): void;
  received(bytes: Buffer): void;
  drained(): void;
  lost(cause: unknown): void;
  broken(error: Error): void;
}
