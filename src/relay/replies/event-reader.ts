/** Splits a streamed reply into the data of its events, for connections that frame messages themselves. */

import type { Reply } from '../../http/reply.ts';
import { FrameReader } from '../../upstream/frame-reader.ts';

export class EventReader {
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<void> };
  readonly #frames: FrameReader;

  constructor(reply: Reply, eventBytesMax: number) {
    this.#reader = (reply.body ?? new ReadableStream<Uint8Array>()).getReader();
    this.#frames = new FrameReader(eventBytesMax);
  }

  /** The events that came next, at least one; undefined at the end. Rejects where the reply breaks off. */
  async next(): Promise<readonly string[] | undefined> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done || value === undefined) return undefined;
      const events: string[] = [];
      // Comments are keep-alives, which a socket has of its own kind.
      this.#frames.push(value, ({ data }) => {
        if (data !== undefined) events.push(data);
      });
      if (events.length > 0) return events;
    }
  }

  /** Stops reading: the writer of the reply is notified at once. */
  cancel(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
