/** A request that the server received: its head, and its body as it arrives. The connection below fills it. */

import { BodyPieces } from '../body-pieces.ts';
import type { HttpRequest } from '../request.ts';
import type { ReceivedHeaders } from '../request-headers.ts';
import type { RequestHead } from './request-head.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The part of the connection that the request may use. */
export interface Carrier {
  readonly remoteAddress: string;
  /** The body is wanted: a client that waits for the status 100 gets it. */
  wanted(): void;
  pause(): void;
  resume(): void;
}

/** How much of a body may wait unread before reading from the client pauses. */
const unreadBytesMax = 262_144;

export class IncomingRequest implements HttpRequest, AsyncIterable<Bytes>, AsyncIterator<Bytes> {
  readonly head: RequestHead;
  readonly #carrier: Carrier;
  readonly #unread = new BodyPieces();
  /** Everything is kept until it is whole. */
  #isKept = false;
  #arrived: boolean;
  #paused = false;
  #failure: Error | undefined;
  #left = false;
  #abort: AbortController | undefined;
  #resolve: ((result: IteratorResult<Bytes>) => void) | undefined;
  #resolveWhole: ((bytes: Bytes) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(head: RequestHead, carrier: Carrier) {
    this.head = head;
    this.#carrier = carrier;
    this.#arrived = head.length === 0;
  }

  get method(): string {
    return this.head.method;
  }

  get headers(): ReceivedHeaders {
    return this.head.headers;
  }

  get remoteAddress(): string {
    return this.#carrier.remoteAddress;
  }

  /** Whether the client closed the connection. */
  get left(): boolean {
    return this.#left;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#left) this.#abort.abort();
    return this.#abort.signal;
  }

  get body(): AsyncIterable<Bytes> | null {
    return this.head.length === 0 ? null : this;
  }

  bytes(): Promise<Bytes> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#isKept = true;
    if (this.#arrived) return Promise.resolve(this.#unread.takeWhole());
    this.#want();
    return new Promise((resolve, reject) => {
      this.#resolveWhole = resolve;
      this.#reject = reject;
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Bytes> {
    return this;
  }

  next(): Promise<IteratorResult<Bytes>> {
    const piece = this.#unread.shift();
    if (piece !== undefined) {
      if (this.#paused && this.#unread.bytes * 2 <= unreadBytesMax) this.#resume();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#arrived) return Promise.resolve({ done: true, value: undefined });
    this.#want();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The reader needs no more of it: what still arrives is discarded. */
  return(): Promise<IteratorResult<Bytes>> {
    this.discard();
    return Promise.resolve({ done: true, value: undefined });
  }

  // Called by the connection.

  get isPaused(): boolean {
    return this.#paused;
  }

  push(piece: Bytes): void {
    if (this.#failure !== undefined) return;
    const resolve = this.#resolve;
    if (resolve !== undefined) {
      this.#settled();
      resolve({ done: false, value: piece });
      return;
    }
    this.#unread.add(piece);
    if (!this.#isKept && this.#unread.bytes > unreadBytesMax) this.#pause();
  }

  bodyArrived(): void {
    if (this.#failure !== undefined) return;
    this.#arrived = true;
    // From a paused socket it would not be noticed that the client leaves.
    this.#resume();
    const resolve = this.#resolve;
    const resolveWhole = this.#resolveWhole;
    this.#settled();
    resolve?.({ done: true, value: undefined });
    resolveWhole?.(this.#unread.takeWhole());
  }

  /** The rest of the body does not come. */
  fail(error: Error): void {
    if (this.#arrived || this.#failure !== undefined) return;
    this.#failure = error;
    this.#unread.clear();
    const reject = this.#reject;
    this.#settled();
    reject?.(error);
  }

  /** The client closed the connection. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.fail(new Error('The client closed the connection.'));
    this.#abort?.abort();
  }

  /** It was answered: what is left of the body is not kept. */
  discard(): void {
    this.fail(new Error('The request was answered before its body arrived.'));
    this.#unread.clear();
    this.#resume();
  }

  #want(): void {
    this.#carrier.wanted();
    this.#resume();
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#carrier.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#carrier.resume();
  }

  #settled(): void {
    this.#resolve = undefined;
    this.#resolveWhole = undefined;
    this.#reject = undefined;
  }
}
