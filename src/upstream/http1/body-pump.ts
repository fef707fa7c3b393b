/** Moves a streamed body onto a socket: one piece at a time, the next one only when the socket has taken the last. */

import { type Writable, writeBytesMax } from '../../framing/writable.ts';
import type { StreamedBody } from '../transport.ts';

export class BodyPump {
  readonly #socket: Writable;
  readonly #bytes: number;
  /** Cleared once it is opened: an idle connection must not keep an upload in memory. */
  #body: StreamedBody | undefined;
  #iterator: AsyncIterator<Uint8Array> | undefined;
  #sentBytes = 0;
  /** Since other connections had their turn. A body in memory gives each piece at once. */
  #turnBytes = 0;
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(socket: Writable, body: StreamedBody) {
    this.#socket = socket;
    this.#bytes = body.bytes;
    this.#body = body;
  }

  get done(): boolean {
    return this.#sentBytes === this.#bytes;
  }

  /**
   * Resolves when everything is sent or after `stop`; rejects if the source fails or has another length than announced.
   */
  async run(): Promise<void> {
    const bytes = this.#bytes;
    const body = this.#body;
    this.#body = undefined;
    if (body === undefined || this.#stopped || this.done) return;
    try {
      const iterator = body.open('lent')[Symbol.asyncIterator]();
      this.#iterator = iterator;
      while (!this.done) {
        const { done, value } = await iterator.next();
        if (this.#stopped) return;
        if (done === true) throw new Error(`The body ended after ${this.#sentBytes} of ${bytes} bytes.`);
        if (this.#sentBytes + value.length > bytes) throw new Error(`The body is longer than its ${bytes} bytes.`);
        await this.#send(value);
        if (this.#stopped) return;
      }
    } catch (error) {
      // After `stop` the error is not needed.
      if (!this.#stopped) throw error;
    } finally {
      this.#letGo();
    }
  }

  /** The socket has room again. */
  drained(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  stop(): void {
    if (this.#stopped || this.done) return;
    this.#stopped = true;
    this.drained();
    this.#letGo();
  }

  async #send(piece: Uint8Array): Promise<void> {
    let at = 0;
    while (at < piece.length && !this.#stopped) {
      const length = Math.min(piece.length - at, writeBytesMax);
      const written = this.#socket.write(piece, at, length);
      if (written > 0) {
        at += written;
        this.#sentBytes += written;
        this.#turnBytes += written;
      }
      // A closed socket never drains; its connection reports the close and stops this pump.
      if (written < length) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#turnBytes < writeBytesMax) continue;
      else await new Promise<void>((resolve) => setImmediate(resolve));
      this.#turnBytes = 0;
    }
  }

  /** Cancels the source. It may be busy with a read of its own, so its return is not awaited. */
  #letGo(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    void iterator?.return?.()?.catch(() => undefined);
  }
}
