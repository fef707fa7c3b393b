/**
 * What `npm run bench -- --fleet` printed on 2026-11-18, without its ratios and without processes that share nothing: 2
 * cores that Weir, PostgreSQL, Redis, the load generator and the provider share; 256 connections. With Redis, a token with
 * a budget has limits too.
 */

export type Budgets = 'no budget' | 'one budgeted token' | '64 budgeted tokens';

/** A line of the table. */
export interface Measured {
  readonly database: 'SQLite' | 'PostgreSQL' | 'PostgreSQL + Redis';
  readonly replicas: number;
  readonly workers: number;
  readonly delayMs: number;
  readonly budgets: Budgets;
  readonly perSecond: number;
  readonly weirMicros: number;
  readonly postgresMicros: number | undefined;
  readonly redisMicros: number | undefined;
  readonly sqlTrips: number | undefined;
  readonly redisTrips: number | undefined;
}

const table = `
| setup | tokens | requests/s | CPU µs: Weir | PostgreSQL | Redis | load | SQL round trips | Redis round trips |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |
| SQLite, 1 process | no budget | 16,215 | 75 | | | 28 | 0 | |
| SQLite, 1 process | one with a budget | 16,275 | 70 | | | 28 | 0 | |
| SQLite, 1 process | 64 with budgets | 14,684 | 73 | | | 28 | 0 | |
| SQLite, 1 process, limits | one with a budget | 11,599 | 87 | | | 28 | 0 | |
| SQLite, 1 process, limits | 64 with budgets | 14,253 | 77 | | | 26 | 0 | |
| SQLite, 2 workers | no budget | 14,424 | 97 | | | 32 | 0 | |
| SQLite, 2 workers | one with a budget | 11,988 | 118 | | | 30 | 0 | |
| SQLite, 2 workers | 64 with budgets | 12,645 | 114 | | | 30 | 0 | |
| PostgreSQL, 2 workers, 0 ms | no budget | 10,242 | 84 | 49 | | 29 | 0.021 | |
| PostgreSQL, 2 workers, 0 ms | one with a budget | 10,298 | 73 | 58 | | 26 | 0.020 | |
| PostgreSQL, 2 workers, 0 ms | 64 with budgets | 7,407 | 84 | 85 | | 28 | 0.024 | |
| PostgreSQL, 1 replica, 0 ms | no budget | 8,899 | 68 | 40 | | 27 | 0.013 | |
| PostgreSQL, 1 replica, 0 ms | one with a budget | 8,212 | 77 | 54 | | 27 | 0.013 | |
| PostgreSQL, 1 replica, 0 ms | 64 with budgets | 6,592 | 85 | 74 | | 30 | 0.015 | |
| PostgreSQL + Redis, 1 replica, 0 ms | no budget | 7,567 | 86 | 47 | 0 | 30 | 0.013 | 0.000 |
| PostgreSQL + Redis, 1 replica, 0 ms | one with a budget | 5,794 | 112 | 65 | 16 | 32 | 0.018 | 0.021 |
| PostgreSQL + Redis, 1 replica, 0 ms | 64 with budgets | 5,926 | 98 | 66 | 29 | 28 | 0.018 | 0.020 |
| PostgreSQL, 1 replica, 2 ms | no budget | 7,832 | 78 | 39 | | 28 | 0.014 | |
| PostgreSQL, 1 replica, 2 ms | one with a budget | 7,017 | 79 | 61 | | 29 | 0.015 | |
| PostgreSQL, 1 replica, 2 ms | 64 with budgets | 6,295 | 86 | 69 | | 29 | 0.016 | |
| PostgreSQL + Redis, 1 replica, 2 ms | no budget | 7,377 | 84 | 41 | 0 | 29 | 0.014 | 0.000 |
| PostgreSQL + Redis, 1 replica, 2 ms | one with a budget | 5,060 | 123 | 81 | 16 | 31 | 0.019 | 0.022 |
| PostgreSQL + Redis, 1 replica, 2 ms | 64 with budgets | 4,345 | 119 | 87 | 36 | 34 | 0.020 | 0.023 |
| PostgreSQL, 4 replicas, 0 ms | no budget | 9,064 | 98 | 72 | | 29 | 0.040 | |
| PostgreSQL, 4 replicas, 0 ms | one with a budget | 6,954 | 117 | 93 | | 32 | 0.051 | |
| PostgreSQL, 4 replicas, 0 ms | 64 with budgets | 6,054 | 137 | 113 | | 35 | 0.054 | |
| PostgreSQL + Redis, 4 replicas, 0 ms | no budget | 7,605 | 107 | 90 | 1 | 30 | 0.041 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 0 ms | one with a budget | 5,074 | 187 | 100 | 18 | 32 | 0.067 | 0.069 |
| PostgreSQL + Redis, 4 replicas, 0 ms | 64 with budgets | 5,736 | 147 | 84 | 30 | 28 | 0.064 | 0.064 |
| PostgreSQL, 4 replicas, 2 ms | no budget | 8,446 | 94 | 62 | | 29 | 0.044 | |
| PostgreSQL, 4 replicas, 2 ms | one with a budget | 6,302 | 129 | 97 | | 32 | 0.054 | |
| PostgreSQL, 4 replicas, 2 ms | 64 with budgets | 8,489 | 98 | 70 | | 24 | 0.045 | |
| PostgreSQL + Redis, 4 replicas, 2 ms | no budget | 8,925 | 98 | 59 | 0 | 27 | 0.041 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 2 ms | one with a budget | 4,070 | 198 | 120 | 25 | 39 | 0.081 | 0.084 |
| PostgreSQL + Redis, 4 replicas, 2 ms | 64 with budgets | 3,467 | 222 | 149 | 50 | 42 | 0.087 | 0.084 |
`;

const budgetNames: Readonly<Record<string, Budgets>> = {
  'no budget': 'no budget',
  'one with a budget': 'one budgeted token',
  '64 with budgets': '64 budgeted tokens',
};

/** An empty cell is a figure that does not exist, and so is what Redis did for a request without limits. */
const figure = (text = ''): number | undefined => Number(text.replaceAll(',', '')) || undefined;

function lineOf(text: string): Measured {
  const cells = text.split('|').map((cell) => cell.trim());
  const [, setup = '', tokens = '', perSecond, weir, postgres, redis, , sqlTrips, redisTrips] = cells;
  const count = (pattern: RegExp, otherwise: number): number => Number(pattern.exec(setup)?.[1] ?? otherwise);
  const usesRedis = Number(redis) > 1;
  const budgets = budgetNames[tokens];
  if (budgets === undefined) throw new Error(`no such tokens: ${text}`);
  return {
    database: (setup.split(',', 1)[0] ?? '') as Measured['database'],
    replicas: count(/(\d+) replica/, 1),
    workers: count(/(\d+) workers/, 1),
    delayMs: count(/(\d+) ms/, 0),
    budgets,
    perSecond: figure(perSecond) ?? 0,
    weirMicros: figure(weir) ?? 0,
    postgresMicros: figure(postgres),
    redisMicros: usesRedis ? figure(redis) : undefined,
    sqlTrips: figure(sqlTrips),
    redisTrips: usesRedis ? figure(redisTrips) : undefined,
  };
}

export const measured: readonly Measured[] = table.trim().split('\n').slice(2).map(lineOf);
