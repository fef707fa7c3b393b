/** How much memory the bodies of all requests in flight may take together, and those of one token. */

import { GatewayError } from '../../conversation/gateway-error.ts';

/** Smaller bodies are not counted: the number of requests in flight bounds them. */
export const countedBytesMin = 65_536;
/** One token's share of the whole, so that there is room for others. */
const shareOfToken = 1 / 4;

interface BodyMemoryLimits {
  readonly bodyMemoryBytesMax: number;
  readonly jsonBodyBytesMax: number;
}

export class BodyMemory {
  readonly #limits: BodyMemoryLimits;
  readonly #byToken = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BodyMemoryLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws if there is no room for that many more. */
  take(tokenId: string, bytes: number): void {
    const { bodyMemoryBytesMax, jsonBodyBytesMax } = this.#limits;
    const held = this.#byToken.get(tokenId) ?? 0;
    // The largest body that is allowed at all always fits into a token's share.
    const share = Math.max(bodyMemoryBytesMax * shareOfToken, jsonBodyBytesMax);
    if (held + bytes > share) throw tokenFull(share);
    if (this.#bytes + bytes > bodyMemoryBytesMax) throw full();
    this.#byToken.set(tokenId, held + bytes);
    this.#bytes += bytes;
  }

  release(tokenId: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = (this.#byToken.get(tokenId) ?? 0) - bytes;
    if (left > 0) this.#byToken.set(tokenId, left);
    else this.#byToken.delete(tokenId);
  }
}

/** The memory of one body: counted as it arrives, released once. After that, what still arrives is refused. */
export class HeldMemory {
  readonly #memory: BodyMemory;
  readonly #tokenId: string;
  #bytes = 0;
  #isReleased = false;

  constructor(memory: BodyMemory, tokenId: string) {
    this.#memory = memory;
    this.#tokenId = tokenId;
  }

  add(bytes: number): void {
    // Nothing would release it. The error ends the reading of a body whose request was answered meanwhile.
    if (this.#isReleased) throw new Error('The body is not needed any more.');
    this.#memory.take(this.#tokenId, bytes);
    this.#bytes += bytes;
  }

  release(): void {
    if (this.#bytes > 0) this.#memory.release(this.#tokenId, this.#bytes);
    this.#bytes = 0;
    this.#isReleased = true;
  }
}

/** A body without an announced length may become large. */
export function mayBeLarge(headers: { get(name: string): string | null | undefined }): boolean {
  const announced = headers.get('content-length');
  return announced === null || announced === undefined || Number(announced) >= countedBytesMin;
}

function full(): GatewayError {
  const message = 'Weir holds as many bytes of bodies as it may. Try again in a moment.';
  return new GatewayError('gateway_overloaded', message, { retryAfterMs: 1000 });
}

function tokenFull(share: number): GatewayError {
  const message = `The bodies of the token's requests in flight may take ${share} bytes. Wait for one to end.`;
  return new GatewayError('concurrency_limited', message, { retryAfterMs: 1000 });
}
