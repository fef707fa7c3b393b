/** How a WebSocket reaches a provider: one function. The network is one implementation, the sandbox another. */

import type { CancelSignal } from './transport.ts';

export interface SocketRequest {
  /** `wss://`, `ws://`, or a scheme of the transport's own. */
  readonly url: string;
  /** Names in lower case; without those of the handshake itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  /** A larger message closes the connection with 1009. */
  readonly messageBytesMax: number;
  /** Aborts the connecting; an open connection is ended by its methods. */
  readonly signal: CancelSignal;
}

/** Receives the events of an open connection. None of its methods may throw, and none is called after `closed`. */
export interface SocketListener {
  /** A whole message, text as text. In the order they were sent, never two at a time. */
  message(message: string | Uint8Array): void;
  /** The send buffer is empty again. */
  drained(): void;
  /** Once. 1006 if the connection broke without a close frame, 1005 if the close frame had no code. */
  closed(code: number, reason: string): void;
}

export interface UpstreamSocket {
  /** The sub-protocol that the provider chose, or `''`. */
  readonly protocol: string;
  /** Buffered until the connection takes it; see `bufferedBytes`. Does nothing after the end. */
  send(text: string): void;
  readonly bufferedBytes: number;
  /** Until `resume`, no message is delivered and nothing more is read from the network. */
  pause(): void;
  resume(): void;
  /** With a close frame; `closed` follows when the other side answers, or soon after. */
  close(code: number, reason: string): void;
  /** Ends the connection at once, without a close frame. */
  terminate(): void;
}

/** The provider answered, but not with a WebSocket. */
export class SocketRefusedError extends Error {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | null;
  constructor(status: number, body: string, retryAfter: string | null) {
    super(`The WebSocket was refused with status ${status}.`);
    this.name = 'SocketRefusedError';
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/**
 * Resolves when the connection is open; it is paused then, so that no message is delivered before the caller is ready.
 * Rejects with an `UnsentError` if no server was reached, a `SocketRefusedError` if the provider refused, the signal's
 * reason if it was aborted.
 */
export type SocketTransport = (request: SocketRequest, listener: SocketListener) => Promise<UpstreamSocket>;
