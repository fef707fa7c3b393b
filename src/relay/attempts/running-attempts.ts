/** Every attempt in flight, from dispatch to settlement: a shutdown waits for them, then aborts them. */

import type { TokenUse } from '../../access/token-watch.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { Roster } from '../../conversation/tools/roster.ts';
import type { Deadlines, Watched } from '../../http/deadlines.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';
import { ReadOnAttempts, type ReadOnBounds } from './read-on-attempts.ts';

/** Only a shutdown that would otherwise be over polls so often. */
const acceptedPollMs = 20;

export interface Running extends Watched {
  abandon(verdict: Verdict): void;
  /** Present where it is aborted when its token is revoked. */
  readonly use?: TokenUse | undefined;
}

export class RunningAttempts implements Watched {
  readonly #deadlines: Deadlines;
  readonly readOns: ReadOnAttempts;
  readonly #running = new Roster<Running>();
  #emptied: (() => void) | undefined;

  constructor(deadlines: Deadlines, bounds: ReadOnBounds) {
    this.#deadlines = deadlines;
    this.readOns = new ReadOnAttempts(bounds);
  }

  /** One entry in the ticker serves all of them. */
  tick(nowMs: number): void {
    if (this.#running.size === 0) this.#deadlines.delete(this);
    for (const attempt of this.#running.all()) attempt.tick(nowMs);
  }

  /** Attempts that are aborted when their token is revoked. */
  uses(): readonly TokenUse[] {
    return this.#running.all().flatMap(({ use }) => (use === undefined ? [] : [use]));
  }

  get size(): number {
    return this.#running.size;
  }

  add(attempt: Running): void {
    if (this.#running.size === 0) this.#deadlines.add(this);
    this.#running.add(attempt);
  }

  delete(attempt: Running): void {
    this.#running.delete(attempt);
    if (this.#running.size === 0) this.#emptied?.();
  }

  /**
   * Resolves when nothing is in flight. What still runs after `patienceMs` ends with an error in its own format.
   * `accepted` counts requests without a reply: until then each may begin an attempt, its first or a fallback.
   */
  async drain(patienceMs: number, accepted: () => number): Promise<void> {
    this.readOns.stop();
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#abandonAll();
    }, patienceMs);
    while (this.#running.size > 0 || (accepted() > 0 && !isOver)) {
      if (this.#running.size > 0) await this.#becomesEmpty(isOver);
      else await Bun.sleep(acceptedPollMs);
    }
    clearTimeout(timer);
  }

  #becomesEmpty(isOver: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    // It began after the others were abandoned.
    if (isOver) this.#abandonAll();
    return promise;
  }

  #abandonAll(): void {
    const error = new GatewayError('shutting_down', 'This Weir is shutting down.');
    for (const attempt of this.#running.all()) attempt.abandon({ kind: 'limit', error, retryAfterMs: undefined });
  }
}
