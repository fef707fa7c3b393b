/**
 * One connection of a client and the requests that come over it, one after the other. What a client sends ahead waits
 * until the request before it was answered.
 */

import type { Socket as RawSocket } from 'bun';
import { BodyFraming } from '../../framing/body-framing.ts';
import { FramingError, HeadTimeoutError } from '../../framing/framing-error.ts';
import { HeadReader } from '../../framing/head-reader.ts';
import type { Reply } from '../reply.ts';
import { Ahead } from './ahead.ts';
import { ConnectionClock, type ConnectionState, discardedBytesMax } from './connection-clocks.ts';
import type { ConnectionOwner } from './connection-owner.ts';
import { discarded, discardPauseMs } from './discarded.ts';
import { type Carrier, IncomingRequest } from './incoming-request.ts';
import { Outbox } from './outbox.ts';
import { abandon, OutgoingReply, type ReplyOwner } from './outgoing-reply.ts';
import { readRequestHead } from './request-head.ts';
import type { UpgradedConnection } from './upgraded-connection.ts';

const requestHeadBytesMax = 16_384;
/** Requests that are answered at once before other connections have their turn. */
const requestsPerTurnMax = 32;
const continueLine = 'HTTP/1.1 100 Continue\r\n\r\n';

export class ClientConnection implements Carrier, ReplyOwner {
  readonly outbox: Outbox;
  /** Where the server keeps it among the others. */
  place = -1;
  readonly #owner: ConnectionOwner<ClientConnection>;
  readonly #socket: RawSocket<ClientConnection>;
  readonly #head = new HeadReader(requestHeadBytesMax, 'request');
  readonly #body = new BodyFraming('request');
  #request: IncomingRequest | undefined;
  #reply: OutgoingReply | undefined;
  /** The body of the request has not ended, whether it was answered or not. */
  #inBody = false;
  #continueDue = false;
  readonly #ahead = new Ahead();
  #isReading = false;
  #paused = false;
  #upgraded: UpgradedConnection | undefined;
  #closed = false;
  /** What still arrives is discarded. */
  #isDeaf = false;
  #isHungUp = false;
  /** The whole reply was handed to the outbox; it is over when the socket has taken it. */
  #isSent = false;
  readonly #clock = new ConnectionClock();
  #discardedBytes = 0;
  #isNew = true;

  constructor(owner: ConnectionOwner<ClientConnection>, socket: RawSocket<ClientConnection>) {
    this.#owner = owner;
    this.#socket = socket;
    this.outbox = new Outbox(socket, () => setImmediate(() => this.drained()));
  }

  get dateLine(): string {
    return this.#owner.dateLine;
  }
  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** Whether no request is in flight. */
  get isIdle(): boolean {
    return this.#request === undefined && this.#upgraded === undefined;
  }

  /** Memory that is kept while the client is behind. */
  get heldBytes(): number {
    return this.outbox.heldBytes + (this.#reply?.heldBytes ?? 0);
  }

  // Called by the socket.

  received(bytes: Buffer): void {
    if (this.#closed) return;
    if (this.#upgraded !== undefined) {
      this.#upgraded.received(bytes);
      return;
    }
    this.#clock.sent(this.state);
    if (this.#isDeaf || this.#isHungUp) this.#discard(bytes);
    else if (this.#ahead.isEmpty) this.#read(bytes, 0);
    else this.#keepMore(bytes);
  }

  drained(): void {
    this.#clock.restart();
    if (this.#closed) return;
    if (this.#upgraded !== undefined) {
      this.#upgraded.drained();
      return;
    }
    if (!this.outbox.drained()) return;
    if (this.#isSent) this.#finish();
    else this.#reply?.drained();
  }

  /** The socket is closed, by whomever. */
  lost(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#owner.closed(this);
    this.outbox.forget();
    this.#ahead.drop();
    const request = this.#request;
    const reply = this.#reply;
    this.#request = undefined;
    this.#reply = undefined;
    request?.leave();
    reply?.leave();
    this.#upgraded?.lost();
  }

  /** Called once a second. */
  tick(): void {
    if (this.#upgraded !== undefined) {
      this.#upgraded.tick();
      return;
    }
    if (!this.#ahead.isEmpty) this.#resume();
    if (!this.#clock.tick(this.state, this.#owner)) return;
    if (this.#head.begun && !this.#isDeaf) this.#refuse(new HeadTimeoutError());
    // In order where a client keeps it for its next request, which may just be on its way.
    else if (this.isIdle && !this.#isHungUp) this.#hangUp();
    else this.terminate();
  }

  // Called by the server.

  /** Ends it now if it is idle, otherwise after its reply. */
  retire(): void {
    if (this.isIdle && !this.#head.begun) this.#hangUp();
  }

  terminate(): void {
    if (this.#closed) return;
    this.#socket.terminate();
    this.lost();
  }

  /** The request in flight becomes a WebSocket. False if the client left meanwhile. */
  upgrade(head: string, become: (socket: RawSocket<ClientConnection>) => UpgradedConnection): boolean {
    if (this.#closed || this.#request === undefined) return false;
    this.outbox.write(head, undefined, '');
    if (!this.outbox.isEmpty) {
      // A handshake fits into what any socket takes at once. Where it did not, a refusal behind a part of it would be none.
      this.terminate();
      return false;
    }
    const upgraded = become(this.#socket);
    this.#upgraded = upgraded;
    this.#request = undefined;
    this.#reply = undefined;
    const ahead = this.#ahead.take();
    this.#resume();
    upgraded.open();
    if (ahead !== undefined) upgraded.received(ahead.bytes.subarray(ahead.start));
    return true;
  }

  // Called by the request and by the reply.

  wanted(): void {
    // Behind the head of the reply it would be a part of the body.
    if (!this.#continueDue || this.#closed || this.#reply?.begun === true) return;
    this.#continueDue = false;
    this.outbox.write(continueLine, undefined, '');
  }

  pause(): void {
    if (this.#paused || this.#closed) return;
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#clock.restart();
    this.#resume();
  }

  sent(): void {
    this.#isSent = true;
    if (this.outbox.isEmpty) this.#finish();
  }

  broken(): void {
    this.terminate();
  }
  report(error: unknown): void {
    this.#owner.report(error);
  }
  /** The request was answered; the next one may begin. */
  #finish(): void {
    const request = this.#request;
    const keepsAlive = this.#reply?.keepsAlive === true && !this.#owner.isClosing;
    this.#request = undefined;
    this.#reply = undefined;
    this.#isSent = false;
    this.#clock.restart();
    if (this.#inBody) request?.discard();
    // A client that waits for 100 may send its body now or not: the next bytes would be ambiguous.
    if (!keepsAlive || (this.#inBody && this.#continueDue)) this.#hangUp();
    else if (!this.#inBody) this.#next();
  }

  /** Reads requests until one is in flight or the bytes are used up. */
  #read(bytes: Buffer, from: number): void {
    this.#isReading = true;
    let start = from;
    let requests = 0;
    try {
      while (start < bytes.length && !this.#closed && !this.#isDeaf && !this.#isHungUp) {
        if (this.#upgraded !== undefined) {
          this.#upgraded.received(bytes.subarray(start));
          break;
        }
        if (this.#inBody) start = this.#takeBody(bytes, start);
        else if (this.#request !== undefined) {
          this.#ahead.keep(bytes, start);
          break;
        } else if (requests === requestsPerTurnMax) {
          this.#ahead.keep(bytes, start);
          setImmediate(() => this.#next());
          break;
        } else {
          start = this.#takeHead(bytes, start);
          requests += 1;
        }
      }
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.#refuse(error);
    } finally {
      this.#isReading = false;
    }
  }

  #takeHead(bytes: Buffer, start: number): number {
    // Some clients end a body with a line that is no part of it.
    if (this.#head.isEmpty && bytes[start] === 0x0d && bytes[start + 1] === 0x0a) return start + 2;
    const { begun } = this.#head;
    const text = this.#head.take(bytes, start);
    // A head that drips in has no more time than one that does not come.
    if (!begun && !this.#isNew && this.#head.begun) this.#clock.restart();
    if (text === undefined) return bytes.length;
    const end = this.#head.endsAt;
    // Such lines that came in several reads.
    if (text === '') return end;
    this.#isNew = false;
    this.#discardedBytes = 0;
    this.#clock.restart();
    const head = readRequestHead(text.startsWith('\r\n') ? text.slice(2) : text);
    const request = new IncomingRequest(head, this);
    this.#request = request;
    let from = end;
    if (head.length !== 0) {
      this.#body.begin(head.length);
      this.#inBody = true;
      this.#continueDue = head.expectsContinue;
      // A small body mostly comes together with its head, and is there when the handler asks.
      if (end < bytes.length) from = this.#takeBody(bytes, end);
    }
    this.#handle(request);
    return from;
  }

  #takeBody(bytes: Buffer, start: number): number {
    const body = this.#body;
    this.#continueDue = false;
    const piece = body.take(bytes, start);
    body.check();
    const request = this.#request;
    if (request === undefined) {
      // It was answered: nothing but this read's own bytes are in its memory.
      if (start === 0 && !body.done) this.#discard(bytes);
    } else if (piece !== undefined) request.push(piece as Uint8Array<ArrayBuffer>);
    if (!body.done) return bytes.length;
    if (!body.plain)
      throw new FramingError('The request’s body has trailers or chunk extensions, which are not supported.');
    this.#inBody = false;
    const { endsAt } = body;
    request?.bodyArrived();
    return endsAt;
  }

  #handle(request: IncomingRequest): void {
    const reply = new OutgoingReply(this, request.head);
    this.#reply = reply;
    const answered = this.#owner.handle(request, this);
    if (answered instanceof Promise) void answered.then((late) => this.#answer(reply, late));
    else this.#answer(reply, answered);
  }

  #answer(reply: OutgoingReply, answer: Reply | undefined): void {
    if (answer === undefined) return;
    if (this.#closed || this.#reply !== reply) {
      abandon(answer);
      return;
    }
    this.#clock.restart();
    if (this.#owner.isClosing || (this.#inBody && this.#continueDue)) reply.keepsAlive = false;
    try {
      reply.send(answer);
    } catch (error) {
      const other = this.#owner.replaceUnsendable(error);
      if (reply.begun) this.broken();
      else {
        reply.leave();
        abandon(answer);
        this.#sendLast(other);
      }
    }
  }

  #sendLast(answer: Reply): void {
    const reply = new OutgoingReply(this, { method: this.#request?.method ?? 'GET', isOld: false, keepsAlive: false });
    this.#reply = reply;
    reply.send(answer);
  }

  /** The bytes are no request, or not one that can be trusted: nothing that follows is read. */
  #refuse(error: FramingError): void {
    this.#isDeaf = true;
    this.#ahead.drop();
    if (this.#reply !== undefined) {
      // The handler of the request answers that its body is not whole.
      this.#reply.keepsAlive = false;
      this.#request?.fail(error);
    } else if (this.#isAnswered) this.#hangUp();
    else this.#sendLast(this.#owner.refuse(error));
  }

  #next(): void {
    if (this.#isReading || this.#request !== undefined || this.#closed) return;
    const ahead = this.#ahead.take();
    this.#resume();
    if (ahead !== undefined) this.#read(ahead.bytes, ahead.start);
  }

  #keepMore(bytes: Buffer): void {
    const kept = this.#ahead.add(bytes);
    if (kept === 'many') this.pause();
    if (kept !== 'too many') return;
    // What was not kept is not answered.
    this.#isDeaf = true;
    if (this.#reply === undefined) this.#hangUp();
    else this.#reply.keepsAlive = false;
  }

  #discard(bytes: Buffer): void {
    this.#discardedBytes += bytes.length;
    if (this.#discardedBytes > discardedBytesMax) {
      this.terminate();
      return;
    }
    if (!discarded(bytes) || this.#paused) return;
    this.pause();
    setTimeout(() => this.#resume(), discardPauseMs);
  }

  #hangUp(): void {
    if (this.#closed || this.#isHungUp) return;
    this.#isHungUp = true;
    if (!this.#inBody && !this.#isDeaf && this.#ahead.isEmpty) {
      this.#socket.end();
      return;
    }
    this.#ahead.drop();
    // To close with unread bytes resets the connection, and the client may lose the reply.
    this.#isDeaf = true;
    this.#clock.restart();
    this.#resume();
    this.#socket.shutdown();
  }

  get state(): ConnectionState {
    if (this.#isHungUp || (this.#isDeaf && this.#reply === undefined)) return 'linger';
    if (!this.outbox.isEmpty) return 'unread';
    if (this.#head.begun) return 'head';
    if (this.#isNew) return 'new';
    if (this.#request === undefined) return this.#inBody ? 'answered' : 'idle';
    return this.#inBody && !this.#paused && !this.#continueDue ? 'body' : 'work';
  }

  /** The body that arrives belongs to a request that was answered. */
  get #isAnswered(): boolean {
    return this.#inBody && this.#request === undefined;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#closed) this.#socket.resume();
  }
}
