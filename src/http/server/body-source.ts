/** The body of a `Response`. One that is in memory is read before the head is sent, so that its length is known. */

import { arrivedNow } from '../arrived-now.ts';
import type { ReplyController, ReplySource } from '../reply.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Read = { readonly done: boolean; readonly value?: Bytes | undefined };

/** The number of the body's bytes is not known before they have been sent. */
export const unknownLength = -1;
/** More is sent as it is read. */
const wholeBytesMax = 1_048_576;

export class BodySource implements ReplySource {
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  #next: Promise<Read> | undefined;
  /** Of the whole body, if it is known. */
  length = unknownLength;

  constructor(body: ReadableStream<Bytes>) {
    this.#reader = body.getReader() as ReadableStreamDefaultReader<Bytes>;
  }

  /** What is there already; all of it where `length` is known then. */
  async first(): Promise<Bytes | undefined> {
    const { value } = await this.#reader.read();
    const pieces = value === undefined ? [] : [value];
    let bytes = value?.length ?? 0;
    if (value === undefined) this.length = 0;
    while (this.length === unknownLength && bytes <= wholeBytesMax) {
      const next = await this.#ready();
      if (next === undefined) break;
      if (next.value === undefined) this.length = bytes;
      else {
        pieces.push(next.value);
        bytes += next.value.length;
      }
    }
    return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
  }

  async pull(controller: ReplyController): Promise<void> {
    const next = this.#next ?? this.#reader.read();
    this.#next = undefined;
    const { value } = await next;
    if (value === undefined) controller.close();
    else controller.enqueue(value);
  }

  /** What a stream of the runtime keeps is not known; those of Weir read nothing ahead. */
  heldBytes(): number {
    return 0;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The next piece, unless it must be waited for. The runtime tells the end of a body one turn after its bytes. */
  async #ready(): Promise<Read | undefined> {
    const next: Promise<Read> = this.#reader.read();
    next.catch(() => undefined);
    if (arrivedNow(next) === undefined) await new Promise((resolve) => setImmediate(resolve));
    const ready = arrivedNow(next);
    if (ready === undefined) this.#next = next;
    return ready;
  }
}
