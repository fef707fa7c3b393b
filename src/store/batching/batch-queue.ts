/**
 * Work of many requests that travels together: one batch at a time, and the next one gathers while it is in flight. The
 * busier the process, the longer a batch gathers, so that round trips do not grow with requests.
 */

interface BatchQueueOptions<Item, Result> {
  /** One round trip: a result for each item, or a promise of it. */
  send(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
}

interface BatchQueue<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Resolves when everything that was added has been answered. */
  finish(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** The bench's simulation of a fleet has the same. */
export const batchLimits = {
  /** At 2,000 items a second, which are 1,000 requests, a batch of 20 leaves every 10 ms. */
  gatherMsMax: 10,
  gatherMsPerRate: 5,
  /** Timers are not more exact than this. */
  soonMs: 0.5,
  /** A batch of this many leaves at once. With 32, four replicas sent a quarter more batches. */
  fullAt: 128,
  /** The most that one round trip carries; what is beyond waits for the next. */
  itemsMax: 512,
} as const;
const { gatherMsMax, gatherMsPerRate, soonMs, fullAt, itemsMax } = batchLimits;

export function createBatchQueue<Item, Result>({ send }: BatchQueueOptions<Item, Result>): BatchQueue<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const finished: (() => void)[] = [];
  let inFlight = false;
  let isLeaving = false;
  let timer: Timer | undefined;
  let leftAtMs = 0;
  /** Items per millisecond between the last two batches. */
  let rate = 0;

  function schedule(): void {
    if (inFlight || isLeaving) return;
    const waitMs = leftAtMs + Math.min(gatherMsMax, rate * gatherMsPerRate) - performance.now();
    if (waitMs > soonMs && waiting.length < fullAt) {
      timer ??= setTimeout(leave, waitMs);
      return;
    }
    isLeaving = true;
    // What arrives in the same turn of the event loop goes along.
    setImmediate(leave);
  }

  function leave(): void {
    clearTimeout(timer);
    timer = undefined;
    isLeaving = false;
    if (inFlight || waiting.length === 0) return;
    const nowMs = performance.now();
    rate = waiting.length / Math.max(1, nowMs - leftAtMs);
    leftAtMs = nowMs;
    inFlight = true;
    void run(waiting.splice(0, itemsMax));
  }

  async function run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await send(batch.map(({ item }) => item));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result | Promise<Result>);
    } catch (error) {
      // Those that waited behind it would wait as long again and then fail too.
      const behind = waiting;
      waiting = [];
      for (const { reject } of [...batch, ...behind]) reject(error);
    }
    inFlight = false;
    if (waiting.length > 0) schedule();
    else for (const resolve of finished.splice(0)) resolve();
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      }),
    finish: () =>
      !inFlight && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => finished.push(resolve)),
  };
}
