/**
 * The time of day that a process lives by. Replicas of PostgreSQL live by the database's clock: a machine whose own is wrong (before
 * its time service, or set by hand) records, expires, resets and removes nothing by it. In between, the monotonic clock counts, so
 * that a clock that is set while Weir runs changes nothing.
 */

import type { Conditions } from '../../observe/conditions.ts';

/** A machine whose clock differs by more is said to be wrong. */
const wrongMs = 5_000;
/** A smaller difference is what reading another machine's clock costs. */
const noiseMs = 250;
const syncEveryMs = 10_000;
/** Without another clock: a jump is one that comes between two looks. */
const lookEveryMs = 1_000;
/** Of one machine without another clock beside it: a jump ahead of more than this is not believed at once, but after this long. */
const gapMs = 24 * 60 * 60_000;
const believedAfterMs = 60 * 60_000;

interface WallClockParts {
  /** The database's clock; absent where it is this machine's own. */
  readDatabase?: (() => Promise<number>) | undefined;
  /** The time of the newest record that there is; undefined where there is none. */
  newestRecordMs(): Promise<number | undefined>;
  readonly conditions: Conditions;
  /** The machine's own clocks. */
  dateMs?(): number;
  nowMs?(): number;
}

/** The time of day before a jump ahead, and when it was found, by the monotonic clock. */
interface Doubt {
  readonly wallMs: number;
  readonly sinceMs: number;
}

export class WallClock {
  readonly #parts: WallClockParts;
  readonly #dateMs: () => number;
  readonly #nowMs: () => number;
  /** What the monotonic clock lacks of the time of day. */
  #baseMs: number;
  #doubted: Doubt | undefined;
  #timer: Timer | undefined;

  constructor(parts: WallClockParts) {
    this.#parts = parts;
    this.#dateMs = parts.dateMs ?? Date.now;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
    this.#baseMs = this.#dateMs() - this.#nowMs();
  }

  readonly wallMs = (): number =>
    this.#parts.readDatabase === undefined ? this.#dateMs() : Math.round(this.#baseMs + this.#nowMs());

  /** What may be summed, removed and expired by: never further ahead of the records than is plausible. */
  readonly settledMs = (): number => {
    if (this.#parts.readDatabase === undefined) this.#followMachine();
    const wallMs = this.wallMs();
    const doubted = this.#doubted;
    if (doubted === undefined) return wallMs;
    if (this.#nowMs() - doubted.sinceMs < believedAfterMs) return Math.min(wallMs, this.#doubtedMs(doubted));
    this.#believe();
    return wallMs;
  };

  /** Before anything is recorded or removed. */
  async start(): Promise<void> {
    await this.sync();
    if (this.#parts.readDatabase === undefined) {
      const newestMs = await this.#parts.newestRecordMs();
      // A Weir that was not used for days is as likely as a wrong clock: nothing is said of it.
      if (newestMs !== undefined) this.#doubtAfter(newestMs, false);
    }
    const everyMs = this.#parts.readDatabase === undefined ? lookEveryMs : syncEveryMs;
    this.#timer = setInterval(() => void this.sync().catch(() => undefined), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async sync(): Promise<void> {
    const { readDatabase } = this.#parts;
    if (readDatabase === undefined) this.#followMachine();
    else await this.#followDatabase(readDatabase);
  }

  async #followDatabase(readDatabase: () => Promise<number>): Promise<void> {
    const beforeMs = this.#nowMs();
    const databaseMs = await readDatabase();
    const afterMs = this.#nowMs();
    const baseMs = databaseMs - (beforeMs + afterMs) / 2;
    if (Math.abs(baseMs - this.#baseMs) > noiseMs + (afterMs - beforeMs) / 2) this.#baseMs = baseMs;
    const aheadMs = this.#dateMs() - this.wallMs();
    this.#parts.conditions.set('clock', Math.abs(aheadMs) > wrongMs ? wrongText(aheadMs) : undefined);
  }

  #followMachine(): void {
    const wasMs = Math.round(this.#baseMs + this.#nowMs());
    this.#baseMs = this.#dateMs() - this.#nowMs();
    this.#doubtAfter(wasMs);
  }

  #doubtAfter(lastMs: number, isJump = true): void {
    const wallMs = this.wallMs();
    if (this.#doubted !== undefined && wallMs - this.#doubtedMs(this.#doubted) <= gapMs) this.#believe();
    if (this.#doubted !== undefined || wallMs - lastMs <= gapMs) return;
    this.#doubted = { wallMs: lastMs, sinceMs: this.#nowMs() };
    if (isJump) this.#parts.conditions.set('clock', jumpText(wallMs - lastMs));
  }

  /** What it would be now without the jump. */
  #doubtedMs({ wallMs, sinceMs }: Doubt): number {
    return wallMs + this.#nowMs() - sinceMs;
  }

  /** It was set back, or has been so for long. */
  #believe(): void {
    this.#doubted = undefined;
    this.#parts.conditions.set('clock', undefined);
  }
}

function wrongText(aheadMs: number): string {
  const by = spanText(Math.abs(aheadMs));
  return `This machine's clock is ${by} ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's. Weir uses the database's time; set the machine's clock (NTP).`;
}

function jumpText(aheadMs: number): string {
  return `This machine's clock was set ahead by ${spanText(aheadMs)}. If that is wrong, set the clock (NTP): nothing is removed or expired by it for an hour.`;
}

function spanText(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const;
  const [unitMs, unit] = units.find(([each]) => ms >= 2 * each) ?? ([1_000, 'second'] as const);
  return `${Math.round(ms / unitMs)} ${unit}s`;
}
