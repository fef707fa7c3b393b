/**
 * A live conversation as a connection: messages go in and come out in their order, no faster than the other side takes them, and
 * never from inside a call of the caller.
 */

import type { SocketListener, UpstreamSocket } from '../../upstream/socket-transport.ts';
import { runInSlices, type Slices } from '../time-slices.ts';

/** What a connection carries: the conversation behind it. */
export interface Carried {
  begin(): void;
  receive(text: string): Slices<void>;
  stop(): void;
}

/** What the conversation can do with its connection. */
export interface Carrier {
  tell(text: string): void;
  /** Resolves when what was told has been taken. Rejects when the signal is aborted. */
  taken(signal: AbortSignal): Promise<void>;
  broke(error: unknown): void;
}

export interface LiveSocketOptions {
  readonly protocol: string;
  readonly listener: SocketListener;
  /** The largest message that the caller takes. */
  readonly messageBytesMax: number;
  carry(carrier: Carrier): Carried;
}

/** The largest message that a client may send: the most sound at once, as base64, and what surrounds it. */
export const clientMessageBytesMax = 21 * 1024 * 1024;
/** What may wait to be told before no more is taken in. */
const waitingBytesMax = 1024 * 1024;
const turnMs = 5;
const brokenOff = 1006;
const tooLarge = 1009;
const internalError = 1011;

export class LiveSocket implements UpstreamSocket, Carrier {
  readonly protocol: string;
  readonly #listener: SocketListener;
  readonly #messageBytesMax: number;
  readonly #carried: Carried;
  readonly #over = new AbortController();
  readonly #inbox: string[] = [];
  #outbox: string[] = [];
  #inboxBytes = 0;
  #outboxBytes = 0;
  #started = false;
  #paused = true;
  #taking = false;
  #tellDue = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  /** Who waits for the outbox to be empty. */
  #waiting: (() => void)[] = [];

  constructor({ protocol, listener, messageBytesMax, carry }: LiveSocketOptions) {
    this.protocol = protocol;
    this.#listener = listener;
    this.#messageBytesMax = messageBytesMax;
    this.#carried = carry(this);
    this.#carried.begin();
  }

  // What the caller asks.

  send(text: string): void {
    if (this.#isOver) return;
    if (isLarger(text, clientMessageBytesMax)) {
      this.#end(tooLarge, `A message has at most ${clientMessageBytesMax} bytes.`);
      return;
    }
    this.#inbox.push(text);
    this.#inboxBytes += text.length;
    if (!this.#taking) void this.#take();
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
    this.#tellSoon();
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
    else this.#tellSoon();
  }

  // What the conversation asks.

  tell(text: string): void {
    if (this.#isOver) return;
    if (isLarger(text, this.#messageBytesMax)) {
      this.#end(tooLarge, `A message would have more than ${this.#messageBytesMax} bytes.`);
      return;
    }
    this.#outbox.push(text);
    this.#outboxBytes += text.length;
    this.#tellSoon();
  }

  async taken(signal: AbortSignal): Promise<void> {
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

  /** The cause is a fault of this program: it is told as one, and not hidden in a silence. */
  broke(error: unknown): void {
    if (!this.#isOver) this.#end(internalError, `The sandbox failed: ${String(error)}`.slice(0, 120));
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** One message after the other; while too much waits to be told, none is taken. */
  async #take(): Promise<void> {
    this.#taking = true;
    const { signal } = this.#over;
    try {
      await nextTurn();
      let turnEndMs = performance.now() + turnMs;
      for (let text = this.#inbox.shift(); text !== undefined; text = this.#inbox.shift()) {
        signal.throwIfAborted();
        await runInSlices(this.#carried.receive(text), signal);
        this.#inboxBytes -= text.length;
        if (this.#outboxBytes > waitingBytesMax) await this.taken(signal);
        if (performance.now() < turnEndMs) continue;
        await nextTurn();
        turnEndMs = performance.now() + turnMs;
      }
      if (this.#started && !this.#isOver) this.#listener.drained();
    } catch (error) {
      if (!this.#isOver) this.broke(error);
    } finally {
      this.#taking = false;
    }
  }

  #end(code: number, reason: string): void {
    this.#ending = { code, reason };
    this.#inbox.length = 0;
    this.#inboxBytes = 0;
    this.#over.abort(new Error('The connection is over.'));
    this.#carried.stop();
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#tellDue) return;
    this.#tellDue = true;
    queueMicrotask(() => this.#tellAll());
  }

  #tellAll(): void {
    this.#tellDue = false;
    let told = 0;
    while (!this.#paused && told < this.#outbox.length) {
      const text = this.#outbox[told] ?? '';
      told += 1;
      this.#outboxBytes -= text.length;
      this.#listener.message(text);
    }
    this.#outbox.splice(0, told);
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
