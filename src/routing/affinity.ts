/** Keeps a conversation with the target that holds its prompt cache, without remembering conversations: each key has its own order of targets. */

import type { Target } from './catalogue.ts';

const hashes = 2 ** 32;

/**
 * The target that draws highest for this key (rendezvous hashing, by weight). Every replica finds the same one, keys spread evenly,
 * and when a target goes only its own keys move.
 */
export function preferred(key: string, targets: readonly Target[]): Target | undefined {
  let best: Target | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const target of targets) {
    const hash = Bun.hash.xxHash32(`${key}\n${target.provider.name}\n${target.model}`);
    const score = -target.weight / Math.log((hash + 0.5) / hashes);
    if (score <= highest) continue;
    highest = score;
    best = target;
  }
  return best;
}

export function hashOf(text: string): string {
  return Bun.hash.wyhash(text).toString(36);
}

interface Moved {
  readonly target: Target;
  readonly untilMs: number;
}

const movedMax = 10_000;
/** About as long as providers keep a prompt. */
const movedForMs = 10 * 60_000;

/**
 * Conversations that had to leave their target: their prompt cache is at the new one, so they stay there for a while.
 */
export class MovedConversations {
  readonly #moved = new Map<string, Moved>();

  note(key: string, target: Target, nowMs: number): void {
    this.#moved.delete(key);
    this.#moved.set(key, { target, untilMs: nowMs + movedForMs });
    if (this.#moved.size <= movedMax) return;
    const [oldest] = this.#moved.keys();
    if (oldest !== undefined) this.#moved.delete(oldest);
  }

  targetOf(key: string, nowMs: number): Target | undefined {
    if (this.#moved.size === 0) return undefined;
    const found = this.#moved.get(key);
    if (found === undefined) return undefined;
    if (found.untilMs > nowMs) return found.target;
    this.#moved.delete(key);
    return undefined;
  }
}
