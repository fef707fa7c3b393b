/**
 * Decides whether a refused key is closed. A request may cause its own refusal, so a refusal is only a suspicion: a
 * neutral call, which no caller influences, confirms it. Where there is no such call, refusals of two callers or of two
 * models do.
 */

import type { ProbeOutcome } from '../providers/probe/probe-key.ts';
import type { Turn } from './breaker.ts';
import type { Health } from './health.ts';

/** A request that a provider refused because of its key. */
export interface Refusal {
  readonly turn: Turn;
  readonly model: string | undefined;
  readonly tokenId: string | undefined;
  /** Did the provider name the key as the reason, unambiguously? */
  readonly clear: boolean;
}

/** A caller that provokes refusals causes no more probes than this. */
export const probeEveryMs = 10_000;
const evidenceMs = 60_000;

interface Evidence {
  readonly model: string | undefined;
  readonly tokenId: string | undefined;
  readonly atMs: number;
}

/** What is suspected of one key. */
export class KeySuspicion {
  readonly #health: Health;
  #probing = false;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #outcome: ProbeOutcome = 'unknown';
  #evidence: Evidence | undefined;

  constructor(health: Health) {
    this.#health = health;
  }

  /** `ask` makes the neutral call; absent where there is none. */
  refused(refusal: Refusal, ask: (() => Promise<ProbeOutcome>) | undefined, clock: () => number): void {
    if (this.#probing) {
      this.#health.abandoned(refusal.turn);
      return;
    }
    if (ask === undefined || clock() - this.#probedAtMs < probeEveryMs) {
      this.#decide(refusal, clock());
      return;
    }
    this.#probing = true;
    this.#probedAtMs = clock();
    void ask().then((outcome) => {
      this.#probing = false;
      this.#outcome = outcome;
      this.#decide(refusal, clock());
    });
  }

  #decide(refusal: Refusal, nowMs: number): void {
    const health = this.#health;
    const confirmed = this.#outcome === 'unknown' ? this.#isConfirmed(refusal, nowMs) : this.#outcome === 'refused';
    if (confirmed) health.refuse(nowMs);
    else if (this.#outcome === 'works') health.succeeded(refusal.turn, nowMs);
    else health.abandoned(refusal.turn);
  }

  /** Was the key refused before, for another caller or another model, and has it served no request since? */
  #isConfirmed({ clear, model, tokenId }: Refusal, nowMs: number): boolean {
    if (!clear) return false;
    const before = this.#evidence;
    const isFresh = before !== undefined && nowMs - before.atMs < evidenceMs && before.atMs > this.#health.servedAtMs;
    if (isFresh && (before.tokenId !== tokenId || before.model !== model)) {
      this.#evidence = undefined;
      return true;
    }
    this.#evidence = { model, tokenId, atMs: nowMs };
    return false;
  }
}
