/** The background pass that sums usage and removes old rows: in one replica at a time, in small steps. */

import type { RollupStore } from './ledger-store.ts';

interface RollupOptions {
  readonly store: RollupStore;
  /** A time that is plausible: rows are summed and removed by it. */
  readonly nowMs: () => number;
  /** The time of day, where that may be later. */
  readonly wallMs?: () => number;
  /** Absent: rows are kept forever. Their sums always are. */
  readonly retentionDays: number | undefined;
  /** Beyond so many rows the oldest are removed, in whole hours; absent: there is no bound. */
  readonly rowsMax?: number;
  readonly onFault: (error: unknown) => void;
  readonly periodMs?: number;
}

interface PassReport {
  /** Steps: slices of hours, days and weeks that were summed. */
  readonly summed: number;
  readonly removed: number;
  readonly attemptsRemoved: number;
}

interface Rollups {
  /** One pass, where this replica's turn has come; undefined where another one does it. */
  pass(): Promise<PassReport | undefined>;
  start(): void;
  /** Resolves after the step that is running. */
  stop(): Promise<void>;
}

const dayMs = 86_400_000;
/** So small that other users of the database do not notice. */
const rowsPerRemoval = 500;
/** Work of one pass; what is left waits for the next. */
const removalsPerPass = 2_000;
/** Pages of attempts without any to remove; a table of a million is walked through within the hour. */
const idlePagesPerPass = 40;

export function createRollups(options: RollupOptions): Rollups {
  const { store, nowMs, onFault, periodMs = 60_000 } = options;
  let timer: Timer | undefined;
  let running: Promise<unknown> | undefined;
  let stopped = false;
  /** The attempt after which the next pass continues. */
  let afterAttempt = '';
  /** The bound of rows is looked at once an hour, when another one is summed. */
  let isCounted = false;
  let removesByCount = false;
  let heldUntilMs = 0;

  const claim = async (fromMs: number): Promise<boolean> => {
    // Somewhat before the next tick, so that a timer that is early by a moment still finds its turn.
    const untilMs = nowMs() + periodMs * 0.9;
    const isClaimed = await store.claim(fromMs, untilMs);
    if (isClaimed) heldUntilMs = untilMs;
    return isClaimed;
  };

  /**
   * A pass over years of rows, or over an hour of millions, takes longer than one period. Only the holder of the claim prolongs it; no
   * other replica can have taken it in between.
   */
  async function keepClaim(): Promise<void> {
    if (nowMs() > heldUntilMs - periodMs / 2) await claim(Number.MAX_SAFE_INTEGER);
  }

  async function sum(): Promise<number> {
    let steps = 0;
    while (!stopped && (await store.step(nowMs()))) {
      steps += 1;
      await keepClaim();
    }
    return steps;
  }

  /** Read each time: the settings may change while Weir runs. */
  async function keptFrom(hasSummed: boolean): Promise<number | undefined> {
    const { retentionDays, rowsMax } = options;
    const byAge = retentionDays === undefined ? undefined : nowMs() - retentionDays * dayMs;
    if (rowsMax === undefined || (isCounted && !hasSummed)) return byAge;
    isCounted = true;
    const byCount = await store.hourOfNewest(rowsMax);
    removesByCount ||= byCount !== undefined;
    return byCount === undefined ? byAge : Math.max(byCount, byAge ?? 0);
  }

  async function remove(hasSummed: boolean): Promise<number> {
    const fromMs = await keptFrom(hasSummed);
    if (fromMs !== undefined) await store.retainFrom(fromMs);
    else if (!removesByCount) return 0;
    const removed = await removeAll((limit) => store.removeRows(limit));
    await removeAll((limit) => store.removeErrors(limit));
    return removed;
  }

  /** Rows, or the errors that belong to them. */
  async function removeAll(removeSome: (limit: number) => Promise<number>): Promise<number> {
    let removed = 0;
    for (let round = 0; round < removalsPerPass && !stopped; round += 1) {
      const gone = await removeSome(rowsPerRemoval);
      removed += gone;
      if (gone < rowsPerRemoval) break;
      await keepClaim();
    }
    return removed;
  }

  async function removeAttempts(): Promise<number> {
    if (options.retentionDays === undefined && !removesByCount) return 0;
    let removed = 0;
    for (let round = 0, idle = 0; round < removalsPerPass && idle < idlePagesPerPass && !stopped; round += 1) {
      const page = await store.removeAttempts(afterAttempt, rowsPerRemoval);
      removed += page.removed;
      if (page.removed === 0) idle += 1;
      afterAttempt = page.nextId ?? '';
      if (page.nextId === undefined) break;
      await keepClaim();
    }
    return removed;
  }

  async function pass(): Promise<PassReport | undefined> {
    if (!(await claim(nowMs()))) return undefined;
    await store.bringBack((options.wallMs ?? nowMs)());
    const summed = await sum();
    return { summed, removed: await remove(summed > 0), attemptsRemoved: await removeAttempts() };
  }

  function tick(): void {
    running ??= pass()
      .catch(onFault)
      .finally(() => {
        running = undefined;
      });
  }

  return {
    pass,
    start() {
      timer ??= setInterval(tick, periodMs);
      tick();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
