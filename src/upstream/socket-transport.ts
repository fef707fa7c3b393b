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
  /** Ends a connection that is still being made; an open one is ended by its methods. */
  readonly signal: CancelSignal;
}

/** What an open connection tells. None of its methods may throw, and none is called after `closed`. */
export interface SocketListener {
  /** A whole message, text as text. In the order they were sent, never two at a time. */
  message(message: string | Uint8Array): void;
  /** What waited to be sent has been taken. */
  drained(): void;
  /** Once. 1006 where the connection broke without a word, 1005 where a close carried no code. */
  closed(code: number, reason: string): void;
}

export interface UpstreamSocket {
  /** The sub-protocol that the provider chose, or `''`. */
  readonly protocol: string;
  /** Kept until the connection takes it; look at `bufferedBytes`. Silently nothing after the end. */
  send(text: string): void;
  readonly bufferedBytes: number;
  /** No message is told, and after what has arrived nothing is read from the network, until `resume`. */
  pause(): void;
  resume(): void;
  /** With a close frame; `closed` follows when the other side answers, or soon after. */
  close(code: number, reason: string): void;
  /** At once and without a word. */
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
 * Resolves when the connection is open; it is paused then, so that nothing is told before somebody is ready to hear it. Rejects with
 * an `UnsentError` where nobody was reached, a `SocketRefusedError` where the provider refused, the signal's reason where it ended.
 */
export type SocketTransport = (request: SocketRequest, listener: SocketListener) => Promise<UpstreamSocket>;
