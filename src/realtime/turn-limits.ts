/**
 * The token's limits in one live conversation: each response is one of its requests per minute. A session takes one of the token's
 * slots at a time, however its responses overlap.
 */

import type { Caller } from '../access/caller.ts';
import type { Admission } from '../access/limits.ts';
import type { LiveParts } from './live-parts.ts';
import type { Turn } from './turn.ts';

export class TurnLimits {
  readonly #limiter: LiveParts['limiter'];
  #slot: { readonly turn: Turn | undefined; readonly admission: Admission } | undefined;
  /** Responses that were counted without the slot. */
  readonly #counted = new WeakSet<Turn>();

  constructor(limiter: LiveParts['limiter']) {
    this.#limiter = limiter;
  }

  /** Counts the handshake. Throws where a limit denies it. */
  async enterHandshake(caller: Caller, requestId: string): Promise<void> {
    this.#slot = { turn: undefined, admission: await this.#limiter.enter(caller, 0, requestId) };
  }

  /** The handshake's request is the first response's. */
  handTo(turn: Turn): void {
    if (this.#slot !== undefined) this.#slot = { ...this.#slot, turn };
  }

  get hasSlot(): boolean {
    return this.#slot !== undefined;
  }

  holds(turn: Turn): boolean {
    return this.#slot?.turn === turn;
  }

  isCounted(turn: Turn): boolean {
    return this.holds(turn) || this.#counted.has(turn);
  }

  /** Takes the slot for it. Throws where a limit denies it. */
  async enter(turn: Turn, inputTokens: number): Promise<void> {
    const admission = await this.#limiter.enter(turn.given.caller, inputTokens, turn.given.requestId);
    if (this.#slot === undefined) this.#slot = { turn, admission };
    else admission.leave(0);
  }

  /** Counts a response beside the one that has the slot. Throws where a limit denies it. */
  async count(turn: Turn, tokens: number): Promise<void> {
    if (this.isCounted(turn)) return;
    this.#counted.add(turn);
    const { caller, requestId } = turn.given;
    (await this.#limiter.enter(withoutSlots(caller), tokens, requestId)).leave(tokens);
  }

  leave(tokens: number): void {
    this.#slot?.admission.leave(tokens);
    this.#slot = undefined;
  }
}

function withoutSlots(caller: Caller): Caller {
  return { ...caller, limits: caller.limits.map(({ concurrency: _, ...limits }) => limits) };
}
