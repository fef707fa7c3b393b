/** Results as sealed parts in the database that replicas share: for images, where there is no bucket. */

import { setImmediate } from 'node:timers/promises';
import type { Sealing } from '../../secrets/sealing.ts';
import type { ResultPartStore } from './result-rows.ts';
import {
  type ByteRange,
  checkedName,
  type OpenedResult,
  type ResultStore,
  ResultTooLargeError,
} from './result-store.ts';

interface DatabaseResultsOptions {
  readonly parts: ResultPartStore;
  readonly sealing: Sealing;
  wallMs(): number;
  /** A larger one would keep a connection of the database busy for seconds. */
  readonly resultBytesMax?: number;
}

const usualResultBytesMax = 16_777_216;
/** So much of a result is in memory for each reader. */
const partBytes = 1_048_576;

export class DatabaseResults implements ResultStore {
  readonly #options: DatabaseResultsOptions;

  constructor(options: DatabaseResultsOptions) {
    this.#options = options;
  }

  async write(
    name: string,
    _mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
  ): Promise<{ readonly bytes: number }> {
    checkedName(name);
    const whole = await collected(pieces, Math.min(bytesMax, this.#options.resultBytesMax ?? usualResultBytesMax));
    const { parts, sealing, wallMs } = this.#options;
    const cut = [];
    // An empty result has one empty part, so that it is known.
    for (let at = 0; at === 0 || at < whole.length; at += partBytes) {
      // To seal a large one takes long; others have their turn between its parts.
      if (at > 0) await setImmediate();
      const piece = whole.subarray(at, at + partBytes);
      const part = partName(at / partBytes);
      cut.push({ part, content: sealing.sealBytes(resultPartPlace(name, part), piece), bytes: piece.length });
    }
    await parts.write(name, cut, wallMs());
    return { bytes: whole.length };
  }

  async open(name: string, range?: ByteRange): Promise<OpenedResult | undefined> {
    const bytes = await this.size(name);
    if (bytes === undefined) return undefined;
    const { start, end } = range ?? { start: 0, end: bytes - 1 };
    let at = start;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          if (at > end) return controller.close();
          const index = Math.floor(at / partBytes);
          const from = index * partBytes;
          const piece = (await this.#part(name, index)).subarray(at - from, end + 1 - from);
          at += piece.length;
          controller.enqueue(piece);
          if (at > end) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { body, bytes };
  }

  async size(name: string): Promise<number | undefined> {
    return this.#options.parts.size(checkedName(name));
  }

  async remove(name: string): Promise<void> {
    await this.#options.parts.remove(checkedName(name));
  }

  expire(beforeMs: number): Promise<number> {
    return this.#options.parts.expire(beforeMs);
  }

  async #part(name: string, index: number): Promise<Uint8Array<ArrayBuffer>> {
    const part = partName(index);
    const sealed = await this.#options.parts.read(name, part);
    const opened = sealed && (await this.#options.sealing.openBytes(resultPartPlace(name, part), sealed));
    // It ended while it was read, or was sealed with a key that is gone: the reader's connection breaks.
    if (opened === undefined || opened === '') throw new Error('A part of a result is missing or cannot be opened.');
    return opened;
  }
}

/** Parts are named so that they sort in their order. */
const partName = (index: number): string => `${index}`.padStart(4, '0');

/** A part that was moved to another place does not open. */
export function resultPartPlace(name: string, part: string): readonly string[] {
  return ['result part', name, part];
}

async function collected(pieces: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new ResultTooLargeError(bytesMax);
    taken.push(piece);
  }
  return Buffer.concat(taken);
}
