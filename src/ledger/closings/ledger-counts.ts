/** What the ledger could not write, and what it wrote after a failover of the database: counted, logged together, and shown as a condition. */

/** Why a settlement is in no row and no budget. */
type LossReason = 'unknown' | 'refused' | 'no-room';

const explained: Readonly<Record<LossReason, string>> = {
  unknown: 'the database knows no such attempt and this process has no record of its opening',
  refused: 'the database refuses it',
  'no-room': 'neither memory nor the data folder had room',
};

export interface LedgerFigures {
  /** Settlements that were written again with their openings. */
  readonly recovered: number;
  /** Attempts that the database had open and their process did not run: ended as estimated. */
  readonly ended: number;
  readonly lost: Readonly<Record<LossReason, number>>;
}

interface LedgerCountsOptions {
  readonly nowMs: () => number;
  /** A line of the log, for the operator. */
  readonly tell: (level: 'error' | 'warn', message: string, details: Readonly<Record<string, unknown>>) => void;
  /** What is wrong, or undefined once it is over. */
  readonly condition: (text: string | undefined) => void;
}

/** Nothing repairs what was lost: it is shown for so long after the last of it. */
const shownMs = 3_600_000;
/** So many requests a line of the log names. */
const namedMax = 5;

export class LedgerCounts {
  readonly #options: LedgerCountsOptions;
  readonly #lost: Record<LossReason, number> = { unknown: 0, refused: 0, 'no-room': 0 };
  #recovered = 0;
  #ended = 0;
  /** Not logged yet. */
  #newlyRecovered = 0;
  #newlyLost = new Map<LossReason, { count: number; readonly attempts: string[] }>();
  #lostAtMs: number | undefined;
  /** Since nothing was wrong. */
  #lostSince = 0;

  constructor(options: LedgerCountsOptions) {
    this.#options = options;
  }

  recovered(): void {
    this.#recovered += 1;
    this.#newlyRecovered += 1;
  }

  lost(reason: LossReason, attemptId: string): void {
    this.#lost[reason] += 1;
    this.#lostSince += 1;
    this.#lostAtMs = this.#options.nowMs();
    const known = this.#newlyLost.get(reason) ?? { count: 0, attempts: [] };
    known.count += 1;
    if (known.attempts.length < namedMax) known.attempts.push(attemptId);
    this.#newlyLost.set(reason, known);
  }

  ended(count: number): void {
    this.#ended += count;
    if (count === 0) return;
    const message = `${attempts(count)} of this process stayed open in the database though it does not run them: their end was lost. They are charged as estimated.`;
    this.#options.tell('warn', message, { count });
  }

  /** Logs what came since the last time, and brings the condition up to date. */
  report(): void {
    const { tell, condition, nowMs } = this.#options;
    if (this.#newlyRecovered > 0) {
      const message = `${attempts(this.#newlyRecovered)} that the database had lost were written again with their cost; budgets were not checked for them.`;
      tell('warn', message, { count: this.#newlyRecovered });
      this.#newlyRecovered = 0;
    }
    for (const [reason, { count, attempts }] of this.#newlyLost) {
      const message = `${settlements(count)} could not be written, and ${count === 1 ? 'is' : 'are'} given up: ${explained[reason]}.`;
      tell('error', message, { count, reason, attempts });
    }
    this.#newlyLost.clear();
    if (this.#lostAtMs === undefined) return;
    if (Math.abs(nowMs() - this.#lostAtMs) < shownMs) {
      condition(
        `${settlements(this.#lostSince)} could not be written: what they cost is in no row and no budget. The log names them.`,
      );
      return;
    }
    this.#lostAtMs = undefined;
    this.#lostSince = 0;
    condition(undefined);
  }

  get figures(): LedgerFigures {
    return { recovered: this.#recovered, ended: this.#ended, lost: { ...this.#lost } };
  }
}

const attempts = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);
const settlements = (count: number): string => (count === 1 ? '1 settlement' : `${count} settlements`);
