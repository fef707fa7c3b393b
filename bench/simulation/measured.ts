/**
 * What the first run of `npm run bench -- --fleet` on 2026-11-18 printed, without its ratios: 2 cores that Weir,
 * PostgreSQL, Redis, the load generator and the provider share; 256 connections. With Redis, a token with a budget has
 * limits too.
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
| SQLite, 1 process | no budget | 16,693 | 66 | | | 24 | 0 | |
| SQLite, 1 process | one with a budget | 16,112 | 76 | | | 24 | 0 | |
| SQLite, 1 process | 64 with budgets | 16,602 | 68 | | | 24 | 0 | |
| SQLite, 1 process, limits | one with a budget | 13,263 | 84 | | | 28 | 0 | |
| SQLite, 1 process, limits | 64 with budgets | 14,868 | 78 | | | 24 | 0 | |
| SQLite, 2 workers | no budget | 16,404 | 87 | | | 24 | 0 | |
| SQLite, 2 workers | one with a budget | 10,394 | 140 | | | 28 | 0 | |
| SQLite, 2 workers | 64 with budgets | 12,258 | 118 | | | 28 | 0 | |
| PostgreSQL, 2 workers, 0 ms | no budget | 11,133 | 78 | 51 | | 27 | 0.032 | |
| PostgreSQL, 2 workers, 0 ms | one with a budget | 7,878 | 102 | 95 | | 30 | 0.033 | |
| PostgreSQL, 2 workers, 0 ms | 64 with budgets | 7,768 | 97 | 104 | | 30 | 0.033 | |
| PostgreSQL, 1 replica, 0 ms | no budget | 9,955 | 67 | 47 | | 28 | 0.016 | |
| PostgreSQL, 1 replica, 0 ms | one with a budget | 7,751 | 82 | 79 | | 28 | 0.016 | |
| PostgreSQL, 1 replica, 0 ms | 64 with budgets | 7,246 | 88 | 72 | | 30 | 0.017 | |
| PostgreSQL + Redis, 1 replica, 0 ms | no budget | 8,260 | 81 | 52 | 0 | 28 | 0.017 | 0.000 |
| PostgreSQL + Redis, 1 replica, 0 ms | one with a budget | 6,490 | 97 | 97 | 14 | 29 | 0.019 | 0.028 |
| PostgreSQL + Redis, 1 replica, 0 ms | 64 with budgets | 5,806 | 111 | 70 | 27 | 29 | 0.021 | 0.028 |
| PostgreSQL, 1 replica, 2 ms | no budget | 8,039 | 81 | 61 | | 28 | 0.017 | |
| PostgreSQL, 1 replica, 2 ms | one with a budget | 6,858 | 84 | 73 | | 28 | 0.017 | |
| PostgreSQL, 1 replica, 2 ms | 64 with budgets | 6,405 | 77 | 68 | | 28 | 0.017 | |
| PostgreSQL + Redis, 1 replica, 2 ms | no budget | 8,250 | 73 | 38 | 0 | 26 | 0.016 | 0.000 |
| PostgreSQL + Redis, 1 replica, 2 ms | one with a budget | 5,445 | 106 | 64 | 15 | 31 | 0.021 | 0.028 |
| PostgreSQL + Redis, 1 replica, 2 ms | 64 with budgets | 4,400 | 127 | 90 | 38 | 34 | 0.022 | 0.028 |
| PostgreSQL, 4 replicas, 0 ms | no budget | 7,524 | 140 | 64 | | 31 | 0.049 | |
| PostgreSQL, 4 replicas, 0 ms | one with a budget | 7,079 | 126 | 89 | | 29 | 0.055 | |
| PostgreSQL, 4 replicas, 0 ms | 64 with budgets | 6,099 | 126 | 120 | | 30 | 0.052 | |
| PostgreSQL + Redis, 4 replicas, 0 ms | no budget | 8,022 | 127 | 61 | 0 | 29 | 0.046 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 0 ms | one with a budget | 5,427 | 159 | 109 | 18 | 31 | 0.066 | 0.077 |
| PostgreSQL + Redis, 4 replicas, 0 ms | 64 with budgets | 5,197 | 160 | 106 | 29 | 32 | 0.069 | 0.078 |
| PostgreSQL, 4 replicas, 2 ms | no budget | 6,501 | 142 | 76 | | 33 | 0.053 | |
| PostgreSQL, 4 replicas, 2 ms | one with a budget | 5,384 | 137 | 130 | | 33 | 0.061 | |
| PostgreSQL, 4 replicas, 2 ms | 64 with budgets | 5,696 | 137 | 111 | | 33 | 0.060 | |
| PostgreSQL + Redis, 4 replicas, 2 ms | no budget | 7,171 | 125 | 73 | 0 | 30 | 0.053 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 2 ms | one with a budget | 5,316 | 161 | 100 | 19 | 32 | 0.071 | 0.081 |
| PostgreSQL + Redis, 4 replicas, 2 ms | 64 with budgets | 4,750 | 176 | 134 | 29 | 31 | 0.076 | 0.081 |
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
