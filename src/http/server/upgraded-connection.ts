/** What a connection became that is a WebSocket now: the server passes on to it what happens on the socket. */

export interface UpgradedConnection {
  open(): void;
  received(bytes: Uint8Array): void;
  drained(): void;
  lost(): void;
  /** Called once a second. */
  tick(): void;
}
