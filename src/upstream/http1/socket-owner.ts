/** The owner of a socket: the connection that a socket is opened for, and the events it receives. */

import type { Socket } from 'bun';

export interface SocketOwner {
  /** Whether it was given up meanwhile. Then no further address is tried. */
  readonly closed: boolean;
  /** The socket exists; its TLS handshake may be unfinished. */
  reached(socket: Socket<SocketOwner>): void;
  /** The socket is open, with its certificate checked for TLS. */
  opened(socket: Socket<SocketOwner>): void;
  /** Nothing was sent. May be called after `reached`, and more than once. */
  connectFailed(error: unknown): void;
  received(bytes: Buffer): void;
  drained(): void;
  lost(cause: unknown): void;
  broken(error: Error): void;
}
