/** Leaves alone what mostly fails: opens on the share of late failures or on a row of them, lets a single probe through after a while, closes when it succeeds. */

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerRules {
  /** Failures are counted over this span, in slices of it. */
  readonly windowMs: number;
  /** Fewer failures than this say nothing. */
  readonly failuresMin: number;
  /** Opens where so large a share of what ended has failed. */
  readonly failureShare: number;
  /** Opens after so many one after the other too: whoever died a moment ago still looks good on the whole. */
  readonly failuresInRow: number;
  /** How long it stays open at first; twice as long after each probe that fails. */
  readonly openMs: number;
  readonly openMsMax: number;
}

export const breakerRules: BreakerRules = {
  windowMs: 20_000,
  failuresMin: 5,
  failureShare: 0.5,
  failuresInRow: 10,
  openMs: 1_000,
  openMsMax: 60_000,
};

const slices = 10;

export class Breaker {
  readonly #rules: BreakerRules;
  readonly #good = new Uint32Array(slices);
  readonly #bad = new Uint32Array(slices);
  #slice = 0;
  #inRow = 0;
  /** 0 while it is closed. */
  #openUntilMs = 0;
  /** The same where this process saw it fail itself; 0 where it only heard of it. */
  #ownUntilMs = 0;
  #opened = 0;
  #probing = false;

  constructor(rules: BreakerRules = breakerRules) {
    this.#rules = rules;
  }

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === 0) return 'closed';
    return nowMs < this.#openUntilMs ? 'open' : 'half-open';
  }

  /** May a request go there now? Half open, one at a time may. */
  admits(nowMs: number): boolean {
    if (this.#openUntilMs === 0) return true;
    return nowMs >= this.#openUntilMs && !this.#probing;
  }

  /** When it may be tried again; 0 where it may be now. */
  get openUntilMs(): number {
    return this.#openUntilMs;
  }

  /** Until when it is open because of what was seen here, not heard of; 0 where there is no such reason. */
  get ownUntilMs(): number {
    return this.#ownUntilMs;
  }

  /** A request goes there. True where it is the probe: then `succeeded`, `failed` or `abandoned` must follow. */
  begin(nowMs: number): boolean {
    if (this.#openUntilMs === 0 || nowMs < this.#openUntilMs || this.#probing) return false;
    this.#probing = true;
    return true;
  }

  succeeded(nowMs: number): void {
    if (this.#openUntilMs !== 0) this.#close();
    else this.#count(this.#good, nowMs);
    this.#inRow = 0;
  }

  failed(nowMs: number): void {
    if (this.#openUntilMs !== 0) {
      // Those that were under way when it opened tell nothing new; the probe does.
      if (this.#probing) this.#open(nowMs);
      return;
    }
    this.#count(this.#bad, nowMs);
    const { failuresMin, failureShare, failuresInRow } = this.#rules;
    const bad = sum(this.#bad);
    const isMost = bad >= failuresMin && bad >= failureShare * (bad + sum(this.#good));
    if (++this.#inRow >= failuresInRow || isMost) this.#open(nowMs);
  }

  /** One failure is enough: opens it at once, or keeps it open for longer. */
  trip(nowMs: number): void {
    if (this.#openUntilMs === 0 || this.#probing) this.#open(nowMs);
  }

  /** The probe ended without a word about the target: another one may try. */
  abandoned(): void {
    this.#probing = false;
  }

  /** Another replica has seen it fail. */
  openUntil(untilMs: number): void {
    if (untilMs <= this.#openUntilMs) return;
    this.#openUntilMs = untilMs;
    this.#probing = false;
  }

  /** Whoever saw it fail sees it serve again. What was seen here stays. */
  takeBack(): void {
    if (this.#openUntilMs === 0) return;
    if (this.#ownUntilMs === 0) this.#close();
    else this.#openUntilMs = this.#ownUntilMs;
  }

  #open(nowMs: number): void {
    const { openMs, openMsMax } = this.#rules;
    this.#openUntilMs = nowMs + Math.min(openMsMax, openMs * 2 ** this.#opened);
    this.#ownUntilMs = this.#openUntilMs;
    this.#opened = Math.min(this.#opened + 1, 16);
    this.#probing = false;
  }

  #close(): void {
    this.#openUntilMs = 0;
    this.#ownUntilMs = 0;
    this.#opened = 0;
    this.#probing = false;
    this.#inRow = 0;
    this.#good.fill(0);
    this.#bad.fill(0);
  }

  #count(counts: Uint32Array, nowMs: number): void {
    const slice = Math.floor((nowMs * slices) / this.#rules.windowMs);
    // What is older than the window is forgotten, a slice at a time.
    for (let old = Math.max(this.#slice + 1, slice - slices + 1); old <= slice; old++) {
      this.#good[old % slices] = 0;
      this.#bad[old % slices] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
    const at = this.#slice % slices;
    counts[at] = (counts[at] ?? 0) + 1;
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
