/**
 * The measured figures, here and in `measured.ts`: the simulation computes with them, its test compares with them, and
 * `docs/scale.md` refers to them.
 *
 * To refresh them, on an idle machine: `npm run bench -- --fleet` prints the table of `measured.ts`, and
 * `npm run bench -- --batches` the lines whose constants are `batchCosts`. Then copy into `docs/scale.md` the output of
 * `npm run bench -- --simulate --check` and of
 * `npm run bench -- --simulate --replicas 10,100,1000 --round-trip-ms 0.5,2,20 --budgets 1,64,10000 --seconds 12`.
 */

export interface BatchCost {
  /** For a batch of any size. */
  readonly fixedMicros: number;
  /** An item is an opening or a closing: a request has two. */
  readonly itemMicros: number;
}

/** The machine of `measured`, and what its load generator and its provider take of it for a request. */
export const measuringMachine = {
  cores: 2,
  connections: 256,
  /** Both together are the column *load* of the table, 41 to 62. */
  clientMicros: 28,
  providerMicros: 22,
} as const;

/**
 * CPU time that a batch costs before its first item, the lines that `npm run bench -- --batches` fitted on 2026-11-18,
 * in the middle of three runs; Weir's is the mean of its three lines (266 to 393).
 */
export const batchCosts = {
  weirMicros: 331,
  postgresMicros: { 'no budget': 369, 'one budgeted token': 499, '64 budgeted tokens': 461 },
  /**
   * Estimates: the batches of Redis are not measured alone. Three operations of a request took 34 to 46 µs in an earlier
   * table, on a machine that was faster by half.
   */
  redisMicros: 40,
  redisOperationMicros: 20,
} as const;

/** Shares of a SQLite process that are not its event loop: the database's thread; with workers also the supervisor. */
export const offLoopShares = {
  /**
   * Measured on 2026-11-15: 0.10 of 0.86 cores. The main thread alone had 0.63, so that 0.27 is the other reading; it
   * predicts 10 to 14 % more requests, and both are within a tenth of the measured ones.
   */
  oneProcess: 0.12,
  /** An estimate. */
  workers: 0.25,
} as const;

/** Of a batch's CPU time in PostgreSQL, while its budgets are locked. An estimate: ending attempts comes before it. */
export const lockedShare = 0.75;

/** What a replica without requests asks PostgreSQL: measured statements, and CPU time of one. */
export const idle = { statementsPerSecond: 0.9, statementMicros: 210 } as const;
