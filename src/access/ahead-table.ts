/** How a process asks the table that decides for several of them: most requests enter by what it counted ahead there. */

import { type AheadEnd, type AheadGrant, type AheadRequest, LimitsAhead } from './limits-ahead.ts';
import type { Entered, LimitEnd, LimitEntry } from './table-limiter.ts';

/** The decision on one request, at each of its levels. */
export interface Verdict {
  readonly entered: readonly Entered[];
  /** Where other processes may return what would let it in: how long until they do. Otherwise 0, and it is decided. */
  readonly returnsAfterMs: number;
}

/** The table, at the other end of a socket. Every method rejects where it does not answer. */
interface CountingTable {
  readonly available: boolean;
  /** Its time, or later; undefined while it is unknown. */
  nowMs(): number | undefined;
  /** `isLast` if it must be decided now. */
  enter(entries: readonly LimitEntry[], reserved: number, isLast: boolean): Promise<Verdict>;
  /** Undefined where it counted nothing. */
  countAhead(wanted: AheadRequest): Promise<AheadGrant | undefined>;
  leave(ends: readonly AheadEnd[]): Promise<void>;
  /** Passes the time until others have returned something; real time unless given. */
  readonly sleep: Sleep | undefined;
}

export type Sleep = (ms: number) => Promise<unknown>;

/** Others return what they have ahead at the end of a slice, and that takes a batch of theirs. */
const returnGraceMs = 100;

export class AheadTable {
  readonly #table: CountingTable;
  readonly #ahead: LimitsAhead;

  constructor(table: CountingTable) {
    this.#table = table;
    this.#ahead = new LimitsAhead({
      serverMs: () => table.nowMs(),
      // Where this fails, a lease or a window ends: nothing is lost for longer than a minute.
      send: (ends) => void this.#release(ends).catch(() => {}),
    });
  }

  async enter(entries: readonly LimitEntry[], reserved: number): Promise<readonly Entered[]> {
    const covered = this.#table.available ? this.#ahead.take(entries, reserved) : undefined;
    if (covered !== undefined) return covered;
    const asking = this.#table.enter(entries, reserved, false);
    for (const wanted of this.#ahead.wantedFor(entries, reserved)) void this.#countAhead(wanted);
    const { entered, returnsAfterMs } = await asking;
    if (returnsAfterMs === 0) return entered;
    await (this.#table.sleep ?? Bun.sleep)(returnsAfterMs + returnGraceMs);
    return (await this.#table.enter(entries, reserved, true)).entered;
  }

  leave(ends: readonly LimitEnd[]): Promise<void> {
    return this.#release(this.#ahead.leave(ends));
  }

  /** Returns everything that no request uses. */
  finish(): void {
    this.#ahead.finish();
  }

  /** The table is gone, and with it what this gives back. */
  forget(): readonly AheadEnd[] {
    return this.#ahead.forget();
  }

  async #countAhead(wanted: AheadRequest): Promise<void> {
    this.#ahead.answered(wanted, await this.#table.countAhead(wanted).catch(() => undefined));
  }

  async #release(ends: readonly AheadEnd[]): Promise<void> {
    if (ends.length > 0) await this.#table.leave(ends);
  }
}
