/** Bodies of requests as JSON, within limits of bytes, time, memory, depth, values and keys. Large ones are parsed in slices. */

import type { Deadlines } from './deadlines.ts';
import { encodeInSlices } from './json/encoded-text.ts';
import type { Slices } from './json/in-slices.ts';
import { editBodyInSlices, type FieldEdits, type JsonBody, readJsonBody } from './json/json-body.ts';
import type { JsonLimits } from './json/json-scan.ts';
import { readInSlices, smallBytesMax } from './json/read-in-slices.ts';
import { TurnBytes } from './json/turn-bytes.ts';
import { type BodyMemory, HeldMemory } from './memory/body-memory.ts';
import { readBody } from './read-body.ts';
import type { HttpRequest } from './request.ts';

type Bytes = Uint8Array<ArrayBuffer>;

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
  /** Calls back when everything else that waits has had its turn. */
  readonly nextTurn?: (work: () => void) => void;
}

export class Bodies {
  readonly #options: BodiesOptions;
  readonly #jsonLimits: JsonLimits;
  readonly #turnBytes: TurnBytes;

  constructor(options: BodiesOptions) {
    const { jsonDepthMax: depthMax, jsonValuesMax: valuesMax, jsonKeysMax: keysMax } = options.limits;
    this.#options = options;
    this.#turnBytes = new TurnBytes(options.nextTurn);
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

  /** At once if it is small and this turn has room for it, in slices if it is large. */
  read(bytes: Bytes): JsonBody | Promise<JsonBody> {
    if (bytes.length > smallBytesMax) return readInSlices(bytes, this.#jsonLimits, this.#options.slices);
    const waiting = this.turnFor(bytes.length);
    return waiting === undefined ? this.readSmall(bytes) : waiting.then(() => this.readSmall(bytes));
  }

  /** Undefined where so many bytes may be read in this turn. */
  turnFor(bytes: number): Promise<void> | undefined {
    return this.#turnBytes.take(bytes);
  }

  /** A large body with its edits. */
  edit(body: JsonBody, edits: FieldEdits): Promise<JsonBody> {
    return editBodyInSlices(body, edits, this.#options.slices);
  }

  /** The bytes of a large text. */
  encode(text: string): Promise<Bytes> {
    return encodeInSlices(text, this.#options.slices);
  }

  readSmall(bytes: Bytes): JsonBody {
    return readJsonBody(bytes, this.#jsonLimits.depthMax, this.#jsonLimits);
  }

  /** The bytes alone; those of a large body are counted as they arrive. */
  bytes(request: HttpRequest, held?: HeldMemory, bytesMax = this.#options.limits.jsonBodyBytesMax): Promise<Bytes> {
    const { timeoutMs, deadlines, slices } = this.#options;
    const onBytes = held && ((bytes: number) => held.add(bytes));
    return readBody(request, { bytesMax, timeoutMs, deadlines, onBytes, slices });
  }
}
