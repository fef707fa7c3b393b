/** Writes a request to a socket: head and body in one write if the socket takes them, the rest as it drains. */

import { type Writable, writeBytesMax } from '../../framing/writable.ts';
import { BodyPump } from './body-pump.ts';
import type { Outgoing } from './exchange.ts';

/** Called if a streamed body cannot be sent completely. */
export interface WriterOwner {
  bodyBroken(error: unknown): void;
  /** Asks for a call of `go` in another turn, though the socket has room. */
  goSoon(): void;
}

/** Buffer for small requests. A socket copies what it takes before `write` returns, so all requests share it. */
const scratch = Buffer.allocUnsafe(65_536);
const none = new Uint8Array(0);

export class RequestWriter {
  /** What must be sent before the rest of the body: all or part of the first write. */
  #first: Uint8Array = none;
  #rest: Uint8Array = none;
  #restAt = 0;
  #pump: BodyPump | undefined;
  #halted = false;
  readonly #owner: WriterOwner;

  constructor(owner: WriterOwner) {
    this.#owner = owner;
  }

  /** Whether the whole request was sent. */
  get done(): boolean {
    return (
      this.#first.length === 0 &&
      this.#restAt === this.#rest.length &&
      (this.#pump === undefined || this.#pump.done) &&
      !this.#halted
    );
  }

  /** False if the socket is closed and nothing was sent. */
  begin(socket: Writable, outgoing: Outgoing): boolean {
    const { head, body, bodyBytes, streamed } = outgoing;
    if (streamed !== undefined) return this.#beginStreamed(socket, head, new BodyPump(socket, streamed));
    this.#pump = undefined;
    const headBytes = head.length;
    const firstBytes = headBytes + bodyBytes;
    if (firstBytes <= scratch.length) {
      scratch.write(head, 0, 'latin1');
      if (typeof body === 'string') scratch.write(body, headBytes, 'utf8');
      else if (body !== undefined) scratch.set(body, headBytes);
      return this.#sendFirst(socket, scratch, firstBytes);
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? none);
    const together = Buffer.allocUnsafe(Math.min(firstBytes, headBytes + scratch.length));
    together.write(head, 0, 'latin1');
    together.set(bytes.subarray(0, together.length - headBytes), headBytes);
    this.#rest = bytes;
    this.#restAt = together.length - headBytes;
    return this.#sendFirst(socket, together, together.length);
  }

  /** Continues sending, now that the socket has room again. */
  go(socket: Writable): void {
    if (this.#first.length > 0) {
      const written = socket.write(this.#first, 0, this.#first.length);
      if (written > 0) this.#first = this.#first.subarray(written);
      if (this.#first.length > 0) return;
      this.#startPump();
    }
    if (this.#pump === undefined) this.#sendRest(socket);
    else this.#pump.drained();
  }

  /**
   * The server answered and needs no more of the body: the rest is not sent, and so the connection cannot be reused.
   */
  halt(): void {
    if (this.done) return;
    this.forget();
    this.#halted = true;
  }

  forget(): void {
    this.#first = none;
    this.#rest = none;
    this.#restAt = 0;
    this.#pump?.stop();
    this.#pump = undefined;
  }

  #beginStreamed(socket: Writable, head: string, pump: BodyPump): boolean {
    this.#pump = pump;
    const bytes = Buffer.from(head, 'latin1');
    if (!this.#sendFirst(socket, bytes, bytes.length)) return false;
    if (this.#first.length === 0) this.#startPump();
    return true;
  }

  #startPump(): void {
    this.#pump?.run().catch((error: unknown) => this.#owner.bodyBroken(error));
  }

  #sendFirst(socket: Writable, bytes: Buffer, length: number): boolean {
    const written = socket.write(bytes, 0, length);
    if (written === length) {
      if (this.#rest.length > 0) this.#sendRest(socket);
      return true;
    }
    if (written < 0) {
      this.forget();
      return false;
    }
    this.#first = Buffer.from(bytes.subarray(written, length));
    return true;
  }

  #sendRest(socket: Writable): void {
    const rest = this.#rest;
    const length = Math.min(rest.length - this.#restAt, writeBytesMax);
    const written = length === 0 ? 0 : socket.write(rest, this.#restAt, length);
    if (written > 0) this.#restAt += written;
    if (written < length) return;
    if (this.#restAt === rest.length) this.forget();
    else this.#owner.goSoon();
  }
}
