/**
 * The measured figures, all in this place: the simulation computes with them, its test compares with them, and
 * `docs/scale.md` shows them.
 *
 * To refresh them, on an idle machine: `npm run bench -- --fleet` writes the table whose lines are `measured`, and
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

export type Budgets = 'no budget' | 'one budgeted token' | '64 budgeted tokens';

/** A line of `npm run bench -- --fleet`; a figure that was not recorded is absent. */
export interface Measured {
  readonly database: 'SQLite' | 'PostgreSQL' | 'PostgreSQL + Redis';
  readonly replicas: number;
  readonly workers: number;
  readonly delayMs: number;
  readonly budgets: Budgets;
  /** Two figures are the lowest and the highest of several runs. */
  readonly perSecond?: number | readonly [number, number];
  readonly weirMicros?: number;
  readonly postgresMicros?: number;
  readonly redisMicros?: number;
  readonly sqlTrips?: number;
  readonly redisTrips?: number;
}

const sqlite = { database: 'SQLite', replicas: 1, delayMs: 0 } as const;
const postgres = { database: 'PostgreSQL', workers: 1 } as const;

/** 2026-11-17, 2 cores that Weir, PostgreSQL, Redis, the load generator and the provider share; 256 connections. */
export const measured: readonly Measured[] = [
  { ...sqlite, workers: 1, budgets: 'no budget', perSecond: 9_987, weirMicros: 113 },
  { ...sqlite, workers: 1, budgets: 'one budgeted token', perSecond: 7_941, weirMicros: 146 },
  { ...sqlite, workers: 1, budgets: '64 budgeted tokens', perSecond: 7_526, weirMicros: 159 },
  { ...sqlite, workers: 2, budgets: 'no budget', perSecond: 9_871, weirMicros: 161 },
  { ...sqlite, workers: 2, budgets: 'one budgeted token', perSecond: 9_484, weirMicros: 170 },
  { ...sqlite, workers: 2, budgets: '64 budgeted tokens', perSecond: 7_780, weirMicros: 204 },
  {
    ...postgres,
    ...{ replicas: 1, delayMs: 0, budgets: 'no budget' },
    ...{ weirMicros: 159, postgresMicros: 68, sqlTrips: 0.017 },
  },
  {
    ...postgres,
    ...{ replicas: 1, delayMs: 0, budgets: 'one budgeted token' },
    ...{ weirMicros: 161, postgresMicros: 110, sqlTrips: 0.017 },
  },
  {
    ...{ database: 'PostgreSQL + Redis', workers: 1, replicas: 1, delayMs: 0, budgets: 'one budgeted token' },
    ...{ weirMicros: 226, postgresMicros: 129, redisMicros: 34, redisTrips: 0.03 },
  },
  { ...postgres, replicas: 4, delayMs: 2, budgets: 'one budgeted token', perSecond: [2_326, 2_938] },
];

/** The machine of `measured`, and what its load generator and its provider take of it for a request. */
export const measuringMachine = {
  cores: 2,
  connections: 256,
  /** Not measured alone: both together are what the two workers of SQLite left of the two cores, by request. */
  clientMicros: 25,
  providerMicros: 20,
} as const;

/**
 * CPU time that a batch costs before its first item, the lines that `npm run bench -- --batches --quick` fitted. One run of
 * 2026-11-17 on a busy machine; Weir's is the mean of its three lines (396 to 491).
 */
export const batchCosts = {
  weirMicros: 444,
  postgresMicros: { 'no budget': 487, 'one budgeted token': 761, '64 budgeted tokens': 894 },
  /** An estimate: the batches of Redis are not measured alone. */
  redisMicros: 40,
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
export const idle = { statementsPerSecond: 2, statementMicros: 210 } as const;
