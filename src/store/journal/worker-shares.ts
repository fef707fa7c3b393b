/**
 * The shares of budgets that a worker has: what it may hold in each without asking the process that decides on budgets. What
 * it used is reported a moment later, and the answer brings more for budgets that are in use.
 */

import type { Amounts } from '../attempts/amounts.ts';
import type { ScopeRow } from '../attempts/scope-rows.ts';
import { moneyCell } from '../sql/statement.ts';
import { type HeldBudgets, type KnownScope, knownScopes } from './known-scopes.ts';
import { namedRow, type RecalledWindows, type ShareGrants, type ShareReport, type ShareRow } from './share-report.ts';

interface WorkerSharesParts {
  /** The number of the worker's journal. */
  readonly journal: number;
  /** The generation that receives records now. */
  generation(): number;
  /** Reports arrive in the order in which they were given, before everything that is sent later. */
  send(report: ShareReport): Promise<ShareGrants>;
}

/** Of one window of a budget. */
interface Share {
  readonly known: KnownScope;
  limit: bigint;
  /** What may still be held. */
  room: bigint;
  /** Attempts that hold some of it. */
  open: number;
  /** An answer is awaited that may add to it: until then nothing more is asked for. */
  isAsking: boolean;
  /** A tick has passed since it was last needed. */
  isIdle: boolean;
  // Since the last report.
  used: bigint;
  change: bigint;
  opened: number;
  /** What openings wanted to hold, whether they could or not. */
  needed: bigint;
}

const reportAfterMs = 20;
const idleTickMs = 1_000;
/** So many times what was needed between two reports is kept at hand. */
const keptReports = 4n;

export class WorkerShares {
  readonly #parts: WorkerSharesParts;
  readonly #shares = new Map<string, Share>();
  readonly #changed = new Set<Share>();
  /** Of the records that the changes are about. */
  #generation = 0;
  /** When all reports are answered that were sent so far. */
  #answered: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #ticker: Timer | undefined;

  constructor(parts: WorkerSharesParts) {
    this.#parts = parts;
  }

  /** Whether all budgets of an opening have room here. What is missing is asked for. */
  admits(rows: readonly ScopeRow[], reserved: Amounts): boolean {
    const scopes = knownScopes(rows);
    let hasRoom = true;
    for (const known of scopes) if (this.#shareUnder(known).room < roomFor(reserved[known.unit])) hasRoom = false;
    if (hasRoom) return true;
    for (const known of scopes) {
      const share = this.#shareOf(known);
      share.needed += roomFor(reserved[known.unit]);
      this.#note(share);
    }
    return false;
  }

  /** Called right before the opening is recorded, since the record may be handed over from inside that call. */
  hold(rows: readonly ScopeRow[], reserved: Amounts): HeldBudgets {
    const scopes = knownScopes(rows);
    this.#beginRecord();
    for (const known of scopes) {
      const share = this.#shareOf(known);
      const amount = reserved[known.unit];
      share.needed += amount;
      this.#move(share, amount, amount, 1);
    }
    return { scopes, reserved };
  }

  /** The opening could not be recorded. */
  undo({ scopes, reserved }: HeldBudgets): void {
    for (const known of scopes) this.#move(this.#shareOf(known), -reserved[known.unit], -reserved[known.unit], -1);
  }

  /** Called right before the closing is recorded. */
  settle({ scopes, reserved }: HeldBudgets, charged: Amounts): void {
    this.#beginRecord();
    for (const known of scopes) this.#move(this.#shareOf(known), 0n, charged[known.unit] - reserved[known.unit], -1);
  }

  /** The closing could not be recorded. */
  unsettle({ scopes, reserved }: HeldBudgets, charged: Amounts): void {
    for (const known of scopes) this.#move(this.#shareOf(known), 0n, reserved[known.unit] - charged[known.unit], 1);
  }

  /** The attempt is ended in the tables, not by a record. */
  drop({ scopes }: HeldBudgets): void {
    for (const known of scopes) this.#move(this.#shareOf(known), 0n, 0n, -1);
  }

  /** What is reported here comes before everything that is sent after this call. */
  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#changed.size === 0) return;
    const shares = [...this.#changed];
    this.#changed.clear();
    const { journal, send } = this.#parts;
    const rows = shares.map(rowOf);
    const answered = send({ journal, generation: this.#generation, rows }).then(
      (grants) => {
        for (const [at, share] of shares.entries()) {
          const { limit, wanted } = namedRow(rows[at]);
          if (wanted === 0) continue;
          share.isAsking = false;
          const grant = BigInt(grants[at] ?? 0);
          if (BigInt(limit) === share.limit) share.room += grant;
          else this.#return(share, grant);
        }
      },
      // The process that decides has ended, and this one ends with it.
      () => undefined,
    );
    const before = this.#answered;
    this.#answered = before.then(() => answered);
  }

  /** Gives back what is left of these, and reports what was used, before it resolves. */
  async giveBack(windows: RecalledWindows): Promise<void> {
    // What an answer that is on its way adds belongs to it.
    await this.#answered;
    for (const key of windows) {
      const share = this.#shares.get(key);
      if (share !== undefined) this.#empty(share);
    }
    this.report();
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
  }

  /** With the limit that requests have now. */
  #shareUnder(known: KnownScope): Share {
    const share = this.#shareOf(known);
    if (share.limit !== known.limit) {
      // It was given under another limit.
      this.#empty(share);
      share.limit = known.limit;
    }
    return share;
  }

  #shareOf(known: KnownScope): Share {
    let share = this.#shares.get(known.key);
    if (share === undefined) {
      const { limit } = known;
      const nothing = { used: 0n, change: 0n, opened: 0, needed: 0n };
      share = { known, limit, room: 0n, open: 0, isAsking: false, isIdle: false, ...nothing };
      this.#shares.set(known.key, share);
      this.#ticker ??= setInterval(() => this.#tick(), idleTickMs);
    }
    return share;
  }

  /** A report is about records of one generation. */
  #beginRecord(): void {
    const generation = this.#parts.generation();
    if (generation === this.#generation) return;
    this.report();
    this.#generation = generation;
  }

  #move(share: Share, used: bigint, change: bigint, opened: number): void {
    share.room -= used;
    share.used += used;
    share.change += change;
    share.open += opened;
    share.opened += opened;
    share.isIdle = false;
    this.#note(share);
  }

  #empty(share: Share): void {
    this.#return(share, share.room);
    share.room = 0n;
  }

  #return(share: Share, amount: bigint): void {
    if (amount === 0n) return;
    share.used += amount;
    this.#note(share);
  }

  #note(share: Share): void {
    this.#changed.add(share);
    this.#timer ??= setTimeout(() => this.report(), reportAfterMs);
  }

  /** What no opening needed is given back, and forgotten where no attempt holds any of it. */
  #tick(): void {
    for (const [key, share] of this.#shares) {
      if (!share.isIdle) {
        share.isIdle = true;
        continue;
      }
      if (share.isAsking) continue;
      this.#empty(share);
      if (share.open === 0 && !this.#changed.has(share)) this.#shares.delete(key);
    }
    if (this.#shares.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}

/** An opening that reserves nothing is refused by a budget that is overdrawn, so it needs a share with room too. */
const roomFor = (reserved: bigint): bigint => (reserved > 0n ? reserved : 1n);

/** Takes what the share has to report. */
function rowOf(share: Share): ShareRow {
  const { known, limit, room, used, change, opened, needed, isAsking } = share;
  const missing = needed * keptReports - room;
  const wanted = isAsking || missing < 0n ? 0n : missing;
  share.isAsking ||= wanted > 0n;
  share.used = 0n;
  share.change = 0n;
  share.opened = 0;
  share.needed = 0n;
  const { scope, windowStartMs } = known;
  return [
    scope,
    windowStartMs,
    moneyCell(limit),
    moneyCell(used),
    moneyCell(change),
    opened,
    wanted === 0n ? 0 : moneyCell(wanted),
  ];
}
