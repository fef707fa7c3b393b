/** Opens a WebSocket: socket, request, answer. It ends with an open one, or with an error that says why not. */

import type { Socket } from 'bun';
import { HeadReader } from '../../framing/head-reader.ts';
import { ConnectionLostError } from '../http1/errors.ts';
import { readReplyHead } from '../http1/reply-head.ts';
import type { SocketOwner } from '../http1/socket-owner.ts';
import type { SocketListener, SocketRequest, UpstreamSocket } from '../socket-transport.ts';
import { type CancelListener, UnsentError } from '../transport.ts';
import { type Handshake, HandshakeError, readAgreement } from './handshake.ts';
import { OpenSocket, type OpenSocketOptions } from './open-socket.ts';
import { Refusal } from './refusal.ts';

export interface DialingOptions extends OpenSocketOptions {
  /** How long a server that was reached may take to answer. */
  readonly handshakeTimeoutMs: number;
}

/** The caller that waits for the socket. */
interface Caller {
  readonly request: SocketRequest;
  readonly listener: SocketListener;
  resolve(socket: UpstreamSocket): void;
  reject(error: unknown): void;
}

const headBytesMax = 65_536;
const none = Buffer.alloc(0);

export class Dialing implements SocketOwner, CancelListener {
  readonly #caller: Caller;
  readonly #handshake: Handshake;
  readonly #options: DialingOptions;
  readonly #head = new HeadReader(headBytesMax, 'reply');
  #socket: Socket<SocketOwner> | undefined;
  #unsent = none;
  #timer: Timer | undefined;
  #refusal: Refusal | undefined;
  #open: OpenSocket | undefined;
  #failed = false;

  constructor(caller: Caller, handshake: Handshake, options: DialingOptions) {
    this.#caller = caller;
    this.#handshake = handshake;
    this.#options = options;
    caller.request.signal.addEventListener('abort', this);
  }

  get closed(): boolean {
    return this.#failed;
  }

  /** The signal's abort. */
  handleEvent(): void {
    this.#fail(this.#caller.request.signal.reason);
  }

  reached(socket: Socket<SocketOwner>): void {
    if (this.#failed) socket.terminate();
    else this.#socket = socket;
  }

  opened(socket: Socket<SocketOwner>): void {
    if (this.#failed) return;
    socket.setNoDelay(true);
    const { handshakeTimeoutMs } = this.#options;
    this.#timer = setTimeout(() => {
      const message = `The server did not answer the handshake within ${handshakeTimeoutMs} ms.`;
      this.#fail(new ConnectionLostError(message, Object.assign(new Error(message), { code: 'ETIMEDOUT' })));
    }, handshakeTimeoutMs);
    const head = Buffer.from(this.#handshake.head, 'latin1');
    const written = socket.write(head);
    if (written < 0) {
      this.#fail(new UnsentError('ECONNRESET', 'The server closed the connection as soon as it was open.'));
    } else this.#unsent = head.subarray(written);
  }

  connectFailed(error: unknown): void {
    this.#fail(error);
  }

  received(bytes: Buffer): void {
    if (this.#open !== undefined) this.#open.received(bytes);
    else if (!this.#failed) this.#takeAnswer(bytes);
  }

  drained(): void {
    if (this.#open !== undefined) this.#open.drained();
    else if (this.#unsent.length > 0 && this.#socket !== undefined) {
      this.#unsent = this.#unsent.subarray(Math.max(0, this.#socket.write(this.#unsent)));
    }
  }

  lost(cause: unknown): void {
    this.#socket = undefined;
    if (this.#open !== undefined) this.#open.lost();
    else if (this.#refusal !== undefined) this.#fail(this.#refusal.toError());
    else this.#fail(new ConnectionLostError('The server closed the connection before it answered.', cause));
  }

  /** TLS failed on an open connection, or one of Weir's handlers threw. */
  broken(error: Error): void {
    const socket = this.#socket;
    this.lost(error);
    socket?.terminate();
  }

  #takeAnswer(bytes: Buffer): void {
    try {
      const start = this.#refusal === undefined ? this.#takeHeads(bytes) : 0;
      if (start < 0 || this.#refusal === undefined) return;
      if (this.#refusal.take(bytes, start)) this.#fail(this.#refusal.toError());
    } catch (error) {
      // A refusal stays one, even where its body is broken.
      this.#fail(this.#refusal?.toError() ?? error);
    }
  }

  /** Reads heads up to the final one. Returns where in the read a refusal's body begins, or -1. */
  #takeHeads(bytes: Buffer): number {
    let start = 0;
    while (start < bytes.length) {
      const text = this.#head.take(bytes, start);
      if (text === undefined) return -1;
      start = this.#head.endsAt;
      const head = readReplyHead(text, false);
      if (head.status === 101) {
        this.#succeed(readAgreement(text, this.#handshake), bytes.subarray(start));
        return -1;
      }
      if (head.status >= 200) {
        this.#refusal = new Refusal(head, text);
        this.#limitRefusal();
        return start;
      }
    }
    return -1;
  }

  /** Waits a limited time for the body of a refusal. */
  #limitRefusal(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(this.#refusal?.toError()), this.#options.closeTimeoutMs);
  }

  #succeed(protocol: string, rest: Buffer): void {
    const socket = this.#socket;
    if (socket === undefined) throw new HandshakeError('The server answered on a connection that is gone.');
    this.#letGo();
    const { listener, request, resolve } = this.#caller;
    const open = new OpenSocket(
      { socket, protocol, listener, messageBytesMax: request.messageBytesMax },
      this.#options,
    );
    this.#open = open;
    if (rest.length > 0) open.received(rest);
    resolve(open);
  }

  #fail(error: unknown): void {
    if (this.#failed || this.#open !== undefined) return;
    this.#failed = true;
    this.#letGo();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#caller.reject(error);
    socket?.terminate();
  }

  #letGo(): void {
    clearTimeout(this.#timer);
    this.#unsent = none;
    this.#caller.request.signal.removeEventListener('abort', this);
  }
}
