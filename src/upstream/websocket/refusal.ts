/** Collects a server's refusal of a WebSocket: the beginning of its body, however it is framed. */

import { BodyFraming } from '../../framing/body-framing.ts';
import { headerOf, type ReplyHead } from '../http1/reply-head.ts';
import { SocketRefusedError } from '../socket-transport.ts';

const bodyBytesMax = 65_536;

export class Refusal {
  readonly #head: ReplyHead;
  readonly #headText: string;
  readonly #framing = new BodyFraming('reply');
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(head: ReplyHead, headText: string) {
    this.#head = head;
    this.#headText = headText;
    this.#framing.begin(head.length);
  }

  /** True if no more of it is needed. Throws if the body's framing is broken. */
  take(bytes: Uint8Array, start: number): boolean {
    const piece = this.#framing.take(bytes, start);
    this.#framing.check();
    if (piece !== undefined && this.#bytes < bodyBytesMax) {
      const kept = piece.subarray(0, bodyBytesMax - this.#bytes);
      this.#pieces.push(kept);
      this.#bytes += kept.length;
    }
    return this.#framing.done || this.#bytes >= bodyBytesMax;
  }

  /** With as much as has come. A body that was compressed unasked is left out: its bytes are not text. */
  toError(): SocketRefusedError {
    const body = this.#head.encoding === '' ? Buffer.concat(this.#pieces).toString('utf8') : '';
    return new SocketRefusedError(this.#head.status, body, headerOf(this.#headText, 'retry-after') ?? null);
  }
}
