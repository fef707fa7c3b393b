/**
 * Circuit breaker: opens on the share of recent failures or on failures in a row, then admits one probe, and closes
 * when the probe succeeds.
 */

/**
 * Identifies a request from `enter` to its end. A request that began before the breaker opened is ignored when it ends,
 * and only the end of the probe decides whether the breaker closes.
 */
export type Turn = number;

/** Of requests that begin while the breaker is closed and has never opened. */
export const firstTurn: Turn = 1;
/** Of requests that were sent although the breaker was open, and of those never sent: their end is ignored. */
export const strayTurn: Turn = 0;
/** No probe is in flight. */
const noProbe: Turn = -1;

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerRules {
  /** Failures are counted over this span, in slices of it. */
  readonly windowMs: number;
  /** Fewer failures than this never open it. */
  readonly failuresMin: number;
  /** Opens if this share of the requests that ended has failed. */
  readonly failureShare: number;
  /** Opens after so many failures in a row too: the share is still small when a target has just died. */
  readonly failuresInRow: number;
  /** How long it stays open at first; twice as long after each probe that fails. */
  readonly openMs: number;
  readonly openMsMax: number;
}

const breakerRules: BreakerRules = {
  windowMs: 20_000,
  failuresMin: 5,
  failureShare: 0.5,
  failuresInRow: 10,
  openMs: 1_000,
  openMsMax: 60_000,
};

const slices = 10;
/** More are not counted: the longest time is reached before. */
const openingsMax = 16;

/** Which of several replicas sends the probe. */
export interface ProbeTurns {
  /** May this process send it now? Where that is not known, it is asked for, and the answer comes later. */
  mayProbe(nowMs: number): boolean;
  /** Is another replica known to send it? */
  isTaken(nowMs: number): boolean;
}

export class Breaker {
  readonly #rules: BreakerRules;
  readonly #good = new Uint32Array(slices);
  readonly #bad = new Uint32Array(slices);
  #slice = 0;
  #inRow = 0;
  /** 0 while it is closed. */
  #openUntilMs = 0;
  /** The same, set only by failures that this process observed; 0 where other replicas alone reported them. */
  #ownUntilMs = 0;
  #opened = 0;
  /** Of all that begin while it is closed; each probe takes a new one. */
  #turn = firstTurn;
  #probe = noProbe;
  /** Absent where this process alone decides. */
  turns: ProbeTurns | undefined;

  constructor(rules: BreakerRules = breakerRules) {
    this.#rules = rules;
  }

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === 0) return 'closed';
    return nowMs < this.#openUntilMs ? 'open' : 'half-open';
  }

  /** May a request be sent now? While half open, one at a time, over all replicas that share their state. */
  admits(nowMs: number): boolean {
    if (this.#openUntilMs === 0) return true;
    if (nowMs < this.#openUntilMs || this.#probe !== noProbe) return false;
    return this.turns === undefined || this.turns.mayProbe(nowMs);
  }

  /** Is a probe in flight in this process? */
  get isProbing(): boolean {
    return this.#probe !== noProbe;
  }

  /** Is a probe in flight here or, as far as is known, at another replica? */
  isProbed(nowMs: number): boolean {
    return this.#probe !== noProbe || this.turns?.isTaken(nowMs) === true;
  }

  /** How often it opened since it was last closed. */
  get openings(): number {
    return this.#opened;
  }

  /** When it may be tried again; 0 where it may be now. */
  get openUntilMs(): number {
    return this.#openUntilMs;
  }

  /** Until when it is open because of failures observed by this process; 0 where there are none. */
  get ownUntilMs(): number {
    return this.#ownUntilMs;
  }

  /**
   * A request is sent; while half open, the first is the probe. `succeeded`, `failed`, `trip` or
   * `abandoned` must follow.
   */
  enter(nowMs: number): Turn {
    if (this.#openUntilMs === 0) return this.#turn;
    if (!this.admits(nowMs)) return strayTurn;
    this.#probe = ++this.#turn;
    return this.#probe;
  }

  succeeded(turn: Turn, nowMs: number): void {
    if (this.#openUntilMs !== 0) {
      // A request that was in flight when it opened proves nothing: the target may have died since.
      if (turn === this.#probe) this.#close();
      return;
    }
    if (turn !== this.#turn) return;
    this.#count(this.#good, nowMs);
    this.#inRow = 0;
  }

  /** The reply began. That is enough for a probe: a long reply must not keep other requests waiting. */
  answered(turn: Turn): void {
    if (turn === this.#probe) this.#close();
  }

  failed(turn: Turn, nowMs: number): void {
    if (this.#openUntilMs !== 0) {
      if (turn === this.#probe) this.#open(nowMs);
      return;
    }
    if (turn !== this.#turn) return;
    this.#count(this.#bad, nowMs);
    const { failuresMin, failureShare, failuresInRow } = this.#rules;
    const bad = sum(this.#bad);
    const isMost = bad >= failuresMin && bad >= failureShare * (bad + sum(this.#good));
    if (++this.#inRow >= failuresInRow || isMost) this.#open(nowMs);
  }

  /** One failure is enough: opens it at once, or keeps it open for longer. */
  trip(turn: Turn, nowMs: number): void {
    if (turn === (this.#openUntilMs === 0 ? this.#turn : this.#probe)) this.#open(nowMs);
  }

  /** It is known to be unusable for every caller: opens it, or keeps it open for longer once the time is up. */
  refuse(nowMs: number): void {
    if (nowMs >= this.#openUntilMs) this.#open(nowMs);
  }

  /** The request ended without evidence about the target: if it was the probe, another request may probe. */
  abandoned(turn: Turn): void {
    if (turn === this.#probe) this.#probe = noProbe;
  }

  /** Another replica observed failures, and opened it so often. */
  openUntil(untilMs: number, openings = 0): void {
    this.#opened = Math.max(this.#opened, Math.min(openings, openingsMax));
    if (untilMs <= this.#openUntilMs) return;
    this.#openUntilMs = untilMs;
    this.#probe = noProbe;
  }

  /** Another replica has seen it serve. Failures observed here stay until it may be probed. */
  takeBack(nowMs: number): void {
    if (this.#openUntilMs === 0) return;
    if (this.#ownUntilMs <= nowMs) this.#close();
    else this.#openUntilMs = this.#ownUntilMs;
  }

  #open(nowMs: number): void {
    const { openMs, openMsMax } = this.#rules;
    this.#openUntilMs = nowMs + Math.min(openMsMax, openMs * 2 ** this.#opened);
    this.#ownUntilMs = this.#openUntilMs;
    this.#opened = Math.min(this.#opened + 1, openingsMax);
    this.#probe = noProbe;
  }

  #close(): void {
    this.#openUntilMs = 0;
    this.#ownUntilMs = 0;
    this.#opened = 0;
    this.#probe = noProbe;
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
