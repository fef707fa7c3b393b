/**
 * One socket and the exchange it carries. Requests go out in one write where the socket takes it. The runtime gives every read
 * memory of its own and never touches it again (measured with Bun 1.4.4, plain and TLS), so bodies are cut out of the reads
 * without a copy.
 */

import type { Socket } from 'bun';
import { BodyFraming } from '../../framing/body-framing.ts';
import { FramingError } from '../../framing/framing-error.ts';
import { HeadReader } from '../../framing/head-reader.ts';
import { UnsentError } from '../transport.ts';
import { ConnectionLostError } from './errors.ts';
import type { Carrier, Exchange } from './exchange.ts';
import type { PacedReader, ReadPace } from './read-pace.ts';
import { readReplyHead } from './reply-head.ts';
import { RequestWriter, type WriterOwner } from './request-writer.ts';

/** More than any server sends before its reply. */
const interimRepliesMax = 32;

/** The keeper of free connections. */
export interface ConnectionOwner {
  readonly pace: ReadPace;
  released(connection: Connection): void;
  closed(connection: Connection): void;
}

export class Connection implements Carrier, WriterOwner, PacedReader {
  readonly #owner: ConnectionOwner;
  readonly #head: HeadReader;
  readonly #body = new BodyFraming('reply');
  readonly #writer = new RequestWriter(this);
  #socket: Socket<Connection> | undefined;
  #exchange: Exchange | undefined;
  #inBody = false;
  #reusable = false;
  #unclear = false;
  #interimReplies = 0;
  #paused = false;
  /** Reading continues in a later turn of the event loop. */
  #stopped = false;
  #isPaced = false;
  wasRead = false;
  #closed = false;
  /** The owner's tick at which it became free. */
  idleSinceTick = 0;

  constructor(owner: ConnectionOwner, headBytesMax: number, first: Exchange) {
    this.#owner = owner;
    this.#head = new HeadReader(headBytesMax, 'reply');
    this.#exchange = first;
    first.carrier = this;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The socket exists; its TLS handshake may be unfinished. It is closed if the connection is given up. */
  reached(socket: Socket<Connection>): void {
    if (this.#closed) socket.terminate();
    else this.#socket = socket;
  }

  /** The socket is open, with its certificate checked for TLS: the request that it was opened for is sent. */
  opened(socket: Socket<Connection>): void {
    if (this.#closed) return;
    socket.setNoDelay(true);
    const exchange = this.#exchange;
    if (exchange?.outgoing === undefined || !this.#writer.begin(socket, exchange.outgoing)) {
      this.connectFailed(new UnsentError('ECONNRESET', 'The server closed the connection as soon as it was open.'));
    } else exchange.sent();
  }

  /** Nothing of the request has been sent, and nothing will be. */
  connectFailed(error: unknown): void {
    const exchange = this.#exchange;
    this.#close(true);
    exchange?.fail(error);
  }

  /** Sends a request over a connection that was free. False if it is closed: then nothing was sent. */
  send(exchange: Exchange): boolean {
    const { outgoing } = exchange;
    const socket = this.#socket;
    if (this.#closed || socket === undefined || outgoing === undefined) return false;
    if (!this.#writer.begin(socket, outgoing)) {
      this.#close(true);
      return false;
    }
    this.#exchange = exchange;
    exchange.carrier = this;
    exchange.sent();
    return true;
  }

  received(bytes: Buffer): void {
    this.wasRead = true;
    this.#owner.pace.read(bytes.length);
    const exchange = this.#exchange;
    if (this.#closed) return;
    if (exchange === undefined) {
      // Bytes without a request would be taken for the next request's reply.
      this.#close(true);
      return;
    }
    try {
      const start = this.#inBody ? 0 : this.#takeHeads(exchange, bytes);
      if (start < 0) return;
      this.#takeBody(exchange, bytes, start);
    } catch (error) {
      this.#close(true);
      exchange.cutOff(error);
    }
  }

  drained(): void {
    const socket = this.#socket;
    if (socket !== undefined && !this.#closed) this.#writer.go(socket);
  }

  lost(cause: unknown): void {
    if (this.#closed) return;
    const exchange = this.#exchange;
    this.#socket = undefined;
    this.#close(false);
    if (exchange === undefined) return;
    if (this.#inBody && this.#body.endsWithConnection && cause === undefined) exchange.bodyArrived();
    else {
      const when = this.#inBody ? 'in the middle of its reply' : 'before it answered';
      exchange.cutOff(new ConnectionLostError(`The server closed the connection ${when}.`, cause));
    }
  }

  /** TLS failed on an open connection, or one of Weir's handlers threw. */
  broken(error: Error): void {
    const socket = this.#socket;
    this.lost(error);
    socket?.terminate();
  }

  /** The request body's source failed; the server has only a part of it. */
  bodyBroken(error: unknown): void {
    const exchange = this.#exchange;
    this.#close(true);
    exchange?.fail(error);
  }

  goSoon(): void {
    setImmediate(() => this.drained());
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    if (!this.#stopped) this.#socket?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#stopped) this.#socket?.resume();
  }

  stopReading(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    if (!this.#paused) this.#socket?.pause();
  }

  continueReading(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    if (!this.#paused) this.#socket?.resume();
  }

  abandon(): void {
    this.#close(true);
  }

  /** Closes a free connection with TCP FIN. */
  retire(): void {
    this.#close(false);
  }

  /** Reads heads up to the final one. Returns where in the read the body begins, or -1 if more bytes are needed. */
  #takeHeads(exchange: Exchange, bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const text = this.#head.take(bytes, start);
      if (text === undefined) return -1;
      start = this.#head.endsAt;
      const head = readReplyHead(text, exchange.outgoing?.bodiless === true);
      if (head.status >= 200) {
        this.#inBody = true;
        // A server that answers before it has the whole request may not read the rest as a part of it.
        this.#reusable = head.reusable && !this.#unclear && this.#writer.done;
        this.#interimReplies = 0;
        this.#body.begin(head.length);
        // A server that refuses early does not need the rest; one that begins a good reply may still be reading.
        if (head.status >= 300) this.#writer.halt();
        exchange.headArrived(head, text);
        return start;
      }
      if (head.status === 101) throw new FramingError('The server switched to a protocol that was not asked for.');
      this.#countInterim(head.reusable);
      if (start === bytes.length) return -1;
    }
  }

  /** With a body or a close in an interim reply, the boundaries of the replies are ambiguous. */
  #countInterim(clear: boolean): void {
    if (!clear) this.#unclear = true;
    this.#interimReplies += 1;
    if (this.#interimReplies > interimRepliesMax) {
      throw new FramingError(`The server sent more than ${interimRepliesMax} interim replies.`);
    }
  }

  #takeBody(exchange: Exchange, bytes: Buffer, start: number): void {
    const body = this.#body;
    const piece = body.take(bytes, start);
    if (piece !== undefined) exchange.push(piece);
    body.check();
    if (this.#closed) return;
    if (!body.done) {
      if (!this.#isPaced) this.#owner.pace.begin(this);
      this.#isPaced = true;
      return;
    }
    this.#leavePace();
    this.#inBody = false;
    this.#exchange = undefined;
    // A server that answered before it had the whole request, or that sent more than its reply, is out of sync.
    const free = this.#reusable && body.plain && this.#writer.done && body.endsAt === bytes.length;
    if (free) {
      this.resume();
      exchange.bodyArrived();
      this.#owner.released(this);
    } else {
      exchange.bodyArrived();
      this.#close(false);
    }
  }

  #leavePace(): void {
    if (this.#isPaced) this.#owner.pace.end(this);
    this.#isPaced = false;
  }

  #close(abruptly: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leavePace();
    this.#exchange = undefined;
    this.#writer.forget();
    const socket = this.#socket;
    this.#socket = undefined;
    // The socket reports its own end from inside these calls; by then this connection is closed already.
    if (abruptly) socket?.terminate();
    else socket?.end();
    this.#owner.closed(this);
  }
}
