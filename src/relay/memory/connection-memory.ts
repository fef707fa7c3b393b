/** What one connection remembers of its own conversation: its latest replies, within a size, until it closes. */

import type { ConnectionMemory, EarlierReply } from './continuation.ts';

/** Shared by all connections, so that many long conversations together stay within one bound. */
export interface MemoryBudget {
  freeBytes: number;
}

interface ConnectionMemoryLimits {
  readonly repliesMax: number;
  /** A conversation beyond this is not remembered; its client sends it whole again. */
  readonly conversationBytesMax: number;
}

const connectionMemoryLimits: ConnectionMemoryLimits = { repliesMax: 16, conversationBytesMax: 16_777_216 };
export const connectionMemoryBytesMax = 268_435_456;

export class BoundedConnectionMemory implements ConnectionMemory {
  readonly #budget: MemoryBudget;
  readonly #limits: ConnectionMemoryLimits;
  readonly #replies = new Map<string, EarlierReply>();
  /** Later conversations hold the turns of earlier ones, so only the largest counts. */
  #bytes = 0;
  #over = false;

  constructor(budget: MemoryBudget, limits: ConnectionMemoryLimits = connectionMemoryLimits) {
    this.#budget = budget;
    this.#limits = limits;
  }

  find(id: string): EarlierReply | undefined {
    return this.#replies.get(id);
  }

  keep(id: string, reply: EarlierReply): void {
    // A reply may end after its connection did.
    if (this.#over) return;
    const bytes = reply.turns?.bytes ?? 0;
    const fits = bytes <= this.#limits.conversationBytesMax && this.#claim(bytes);
    const kept = fits ? reply : { turns: undefined, keeper: reply.keeper };
    this.#replies.delete(id);
    // What neither Weir nor a provider remembers is not known at all.
    if (kept.turns !== undefined || kept.keeper !== undefined) this.#replies.set(id, kept);
    for (const oldest of this.#replies.keys()) {
      if (this.#replies.size <= this.#limits.repliesMax) break;
      this.#replies.delete(oldest);
    }
  }

  /** Nothing can continue from this reply any more. */
  drop(id: string): void {
    this.#replies.delete(id);
  }

  /** The connection is closed. */
  forget(): void {
    this.#over = true;
    this.#replies.clear();
    this.#budget.freeBytes += this.#bytes;
    this.#bytes = 0;
  }

  #claim(bytes: number): boolean {
    const more = bytes - this.#bytes;
    if (more <= 0) return true;
    if (more > this.#budget.freeBytes) return false;
    this.#budget.freeBytes -= more;
    this.#bytes = bytes;
    return true;
  }
}
