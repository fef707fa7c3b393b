/** Reads a body's pieces one at a time, on demand, and abandons it on a timeout or when its sender disconnects. */

import type { Deadlines, Watched } from '../deadlines.ts';
import { brokenOff, senderLeft, tooSlow } from './refusals.ts';

export type ByteSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

interface ArrivalOptions {
  readonly timeoutMs: number;
  readonly deadlines: Pick<Deadlines, 'add' | 'delete'>;
  readonly signal?: AbortSignal | undefined;
}

interface PieceReader {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown> | undefined;
}

export class Arrival implements Watched {
  readonly #reader: PieceReader;
  readonly #options: ArrivalOptions;
  readonly #onAbort = (): void => this.#giveUp(senderLeft(this.#options.signal?.reason));
  #startedAtMs: number | undefined;
  #failure: unknown;
  #reject: ((error: unknown) => void) | undefined;

  constructor(source: ByteSource, options: ArrivalOptions) {
    this.#options = options;
    this.#reader = readerOf(source);
    options.deadlines.add(this);
    if (options.signal?.aborted === true) this.#onAbort();
    else options.signal?.addEventListener('abort', this.#onAbort);
  }

  /** The next piece, undefined at the end. One promise per piece: a long body accumulates nothing. */
  next(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#reader.next().then(
        (result) => resolve(result.done === true ? undefined : result.value),
        (cause: unknown) => reject(brokenOff(cause)),
      );
    });
  }

  tick(nowMs: number): void {
    this.#startedAtMs ??= nowMs;
    const { timeoutMs } = this.#options;
    if (nowMs - this.#startedAtMs >= timeoutMs) this.#giveUp(tooSlow(timeoutMs));
  }

  /** Abandons the source. A stalled source would never return, so its return is not awaited. */
  cancel(): void {
    this.end();
    this.#reader.cancel()?.catch(() => undefined);
  }

  end(): void {
    this.#options.deadlines.delete(this);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  #giveUp(error: unknown): void {
    this.#failure ??= error;
    this.#reject?.(this.#failure);
  }
}

function readerOf(source: ByteSource): PieceReader {
  if (source instanceof ReadableStream) {
    const reader = source.getReader();
    return { next: () => reader.read(), cancel: () => reader.cancel() };
  }
  const iterator = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: () => iterator.return?.() };
}
