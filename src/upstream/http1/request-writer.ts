/** Puts a request on a socket: head and body in one write where it takes them, the rest as room appears. */

import type { Outgoing } from './exchange.ts';

interface Writable {
  /** The bytes taken, -1 where the socket is closed. */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
}

/** Where small requests are put together. A socket copies what it takes before `write` returns, so one serves them all. */
const scratch = Buffer.allocUnsafe(65_536);
const none = new Uint8Array(0);
/** More at a time would keep other connections waiting while TLS encrypts. */
const writeBytesMax = 1_048_576;

export class RequestWriter {
  /** What still has to go before the rest of the body: all or part of the first write. */
  #first: Uint8Array = none;
  #rest: Uint8Array = none;
  #restAt = 0;

  get done(): boolean {
    return this.#first.length === 0 && this.#restAt === this.#rest.length;
  }

  /** False where the socket is closed and nothing was sent. */
  begin(socket: Writable, { head, body, bodyBytes }: Outgoing): boolean {
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

  /** Sends on, now that the socket has room again. */
  go(socket: Writable): void {
    if (this.#first.length > 0) {
      const written = socket.write(this.#first, 0, this.#first.length);
      if (written > 0) this.#first = this.#first.subarray(written);
      if (this.#first.length > 0) return;
    }
    this.#sendRest(socket);
  }

  forget(): void {
    this.#first = none;
    this.#rest = none;
    this.#restAt = 0;
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
    while (this.#restAt < rest.length) {
      const length = Math.min(rest.length - this.#restAt, writeBytesMax);
      const written = socket.write(rest, this.#restAt, length);
      if (written > 0) this.#restAt += written;
      if (written < length) return;
    }
    this.forget();
  }
}
