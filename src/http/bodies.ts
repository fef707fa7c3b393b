/** Bodies of requests as JSON, within limits of bytes, time, memory, depth, values and keys. Large ones are parsed in slices. */

import { type BodyMemory, HeldMemory } from './body-memory.ts';
import type { Deadlines } from './deadlines.ts';
import type { Slices } from './json/in-slices.ts';
import { emptyBody, type JsonBody, objectOf, readJsonBody, untrustedKeys } from './json/json-body.ts';
import { JsonPieces } from './json/json-pieces.ts';
import { ContainerEnds, type JsonLimits, JsonScan } from './json/json-scan.ts';
import { readBody } from './read-body.ts';
import type { HttpRequest } from './request.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** At most this is parsed at once: some milliseconds, whatever its content. */
export const smallBytesMax = 131_072;
const scannedBytesPerStep = 131_072;

export interface BodyLimits {
  readonly jsonBodyBytesMax: number;
  readonly jsonDepthMax: number;
  readonly jsonValuesMax: number;
  readonly jsonKeysMax: number;
}

interface BodiesOptions {
  readonly limits: BodyLimits;
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  readonly memory: BodyMemory;
  readonly slices: Slices;
}

export class Bodies {
  readonly #options: BodiesOptions;
  readonly #jsonLimits: JsonLimits;

  constructor(options: BodiesOptions) {
    const { jsonDepthMax: depthMax, jsonValuesMax: valuesMax, jsonKeysMax: keysMax } = options.limits;
    this.#options = options;
    this.#jsonLimits = { depthMax, valuesMax, keysMax };
  }

  /** Counts the memory of this request's body; free it with `release`. */
  hold(tokenId: string): HeldMemory {
    return new HeldMemory(this.#options.memory, tokenId);
  }

  /** Holds the body for the duration of `work`; an empty one is `undefined`. */
  async within<Result>(
    request: HttpRequest,
    tokenId: string,
    work: (body: JsonBody | undefined) => Promise<Result>,
    bytesMax = this.#options.limits.jsonBodyBytesMax,
  ): Promise<Result> {
    const held = this.hold(tokenId);
    try {
      const bytes = await this.bytes(request, held, bytesMax);
      return await work(bytes.length === 0 ? undefined : await this.read(bytes));
    } finally {
      held.release();
    }
  }

  /** At once if it is small, in slices otherwise. */
  read(bytes: Bytes): JsonBody | Promise<JsonBody> {
    return bytes.length <= smallBytesMax ? this.readSmall(bytes) : this.#parseInSlices(bytes);
  }

  readSmall(bytes: Bytes): JsonBody {
    return readJsonBody(bytes, this.#jsonLimits.depthMax, this.#jsonLimits);
  }

  async #parseInSlices(bytes: Bytes): Promise<JsonBody> {
    const { slices } = this.#options;
    if (bytes.length === 0) throw emptyBody();
    const ends = new ContainerEnds();
    const scan = new JsonScan(bytes, this.#jsonLimits, ends);
    let until = 0;
    await slices.run({
      step() {
        until = Math.min(until + scannedBytesPerStep, bytes.length);
        return scan.run(until);
      },
    });
    const { fields } = scan;
    const pieces = new JsonPieces(bytes, ends);
    await slices.run(pieces);
    const tree = objectOf(pieces.value);
    // To print such a body again, as a small one is, would block the event loop for too long.
    if (fields === undefined) throw untrustedKeys(smallBytesMax);
    return { bytes, tree, fields };
  }

  /** The bytes alone; those of a large body are counted as they arrive. */
  bytes(request: HttpRequest, held?: HeldMemory, bytesMax = this.#options.limits.jsonBodyBytesMax): Promise<Bytes> {
    const { timeoutMs, deadlines } = this.#options;
    const onBytes = held && ((bytes: number) => held.add(bytes));
    return readBody(request, { bytesMax, timeoutMs, deadlines, onBytes });
  }
}
