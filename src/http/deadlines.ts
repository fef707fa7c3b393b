/**
 * One ticker for all timeouts of all running requests. Each chunk of a stream only writes a number; there is no
 * timer per chunk, and a thousand idle streams cost one short loop per tick.
 */

import { Roster } from '../conversation/tools/roster.ts';

export interface Watched {
  /** Called four times a second until it is removed. */
  tick(nowMs: number): void;
}

const tickMs = 250;

export class Deadlines {
  readonly #watched = new Roster<Watched>();
  readonly #nowMs: () => number;
  #timer: Timer | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(watched: Watched): void {
    if (!this.#watched.has(watched)) this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched);
  }

  #tick(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = this.#nowMs();
    for (const watched of this.#watched.all()) if (this.#watched.has(watched)) watched.tick(nowMs);
  }
}
