/** A realtime session as a socket: messages are handled and sent in order, with backpressure, never inside a call of the caller. */

import type { SocketListener, UpstreamSocket } from '../../upstream/socket-transport.ts';
import { runInSlices, type Slices } from '../time-slices.ts';

/** The session behind a socket. */
interface SocketSession {
  begin(): void;
  receive(text: string): Slices<void>;
  stop(): void;
}

/** What a session does with its socket. */
export interface SocketWriter {
  write(text: string): void;
  /** Resolves when all messages have been sent. Rejects when the signal is aborted. */
  flushed(signal: AbortSignal): Promise<void>;
  fail(error: unknown): void;
}

interface LiveSocketOptions {
  readonly protocol: string;
  readonly listener: SocketListener;
  /** The largest message that the caller accepts. */
  readonly messageBytesMax: number;
  open(writer: SocketWriter): SocketSession;
}

/** The largest message of a client: the most audio at once as base64, plus the event around it. */
export const clientMessageBytesMax = 21 * 1024 * 1024;
/** While more than this waits to be sent, no message is handled. */
const waitingBytesMax = 1024 * 1024;
const turnMs = 5;
const brokenOff = 1006;
const tooLarge = 1009;
const internalError = 1011;

export class LiveSocket implements UpstreamSocket, SocketWriter {
  readonly protocol: string;
  readonly #listener: SocketListener;
  readonly #messageBytesMax: number;
  readonly #session: SocketSession;
  readonly #over = new AbortController();
  readonly #inbox: string[] = [];
  #outbox: string[] = [];
  #inboxBytes = 0;
  #outboxBytes = 0;
  #started = false;
  #paused = true;
  #handling = false;
  #flushDue = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  /** Resolved when the outbox is empty. */
  #waiting: (() => void)[] = [];

  constructor({ protocol, listener, messageBytesMax, open }: LiveSocketOptions) {
    this.protocol = protocol;
    this.#listener = listener;
    this.#messageBytesMax = messageBytesMax;
    this.#session = open(this);
    this.#session.begin();
  }

  // The side of the caller.

  send(text: string): void {
    if (this.#isOver) return;
    if (isLarger(text, clientMessageBytesMax)) {
      this.#end(tooLarge, `A message has at most ${clientMessageBytesMax} bytes.`);
      return;
    }
    this.#inbox.push(text);
    this.#inboxBytes += text.length;
    if (!this.#handling) void this.#handle();
  }

  get bufferedBytes(): number {
    return this.#inboxBytes;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#started = true;
    this.#paused = false;
    this.#flushSoon();
  }

  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#started = true;
    this.#outbox = [];
    this.#end(code, reason);
  }

  terminate(): void {
    this.#started = true;
    this.#outbox = [];
    if (!this.#isOver) this.#end(brokenOff, '');
    else this.#flushSoon();
  }

  // The side of the session.

  write(text: string): void {
    if (this.#isOver) return;
    if (isLarger(text, this.#messageBytesMax)) {
      this.#end(tooLarge, `A message would have more than ${this.#messageBytesMax} bytes.`);
      return;
    }
    this.#outbox.push(text);
    this.#outboxBytes += text.length;
    this.#flushSoon();
  }

  async flushed(signal: AbortSignal): Promise<void> {
    while (this.#paused || this.#outbox.length > 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        this.#waiting.push(() => {
          signal.removeEventListener('abort', leave);
          resolve();
        });
      });
    }
  }

  /** Closes the socket with an internal error. */
  fail(error: unknown): void {
    if (!this.#isOver) this.#end(internalError, `The sandbox failed: ${String(error)}`.slice(0, 120));
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Handles one message after the other, and pauses while too much waits to be sent. */
  async #handle(): Promise<void> {
    this.#handling = true;
    const { signal } = this.#over;
    try {
      await nextTurn();
      let turnEndMs = performance.now() + turnMs;
      for (let text = this.#inbox.shift(); text !== undefined; text = this.#inbox.shift()) {
        signal.throwIfAborted();
        await runInSlices(this.#session.receive(text), signal);
        this.#inboxBytes -= text.length;
        if (this.#outboxBytes > waitingBytesMax) await this.flushed(signal);
        if (performance.now() < turnEndMs) continue;
        await nextTurn();
        turnEndMs = performance.now() + turnMs;
      }
      if (this.#started && !this.#isOver) this.#listener.drained();
    } catch (error) {
      if (!this.#isOver) this.fail(error);
    } finally {
      this.#handling = false;
    }
  }

  #end(code: number, reason: string): void {
    this.#ending = { code, reason };
    this.#inbox.length = 0;
    this.#inboxBytes = 0;
    this.#over.abort(new Error('The connection is over.'));
    this.#session.stop();
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#flushDue) return;
    this.#flushDue = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushDue = false;
    let sent = 0;
    while (!this.#paused && sent < this.#outbox.length) {
      const text = this.#outbox[sent] ?? '';
      sent += 1;
      this.#outboxBytes -= text.length;
      this.#listener.message(text);
    }
    this.#outbox.splice(0, sent);
    if (this.#outbox.length > 0) return;
    this.#outboxBytes = 0;
    if (!this.#paused) for (const wake of this.#waiting.splice(0)) wake();
    const ending = this.#ending;
    if (ending === undefined || !this.#started) return;
    this.#ending = undefined;
    this.#listener.closed(ending.code, ending.reason);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isLarger(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return false;
  return text.length > bytesMax || Buffer.byteLength(text) > bytesMax;
}
