/**
 * What `npm run bench -- --fleet` printed on 2026-11-17, as it is: 2 cores that Weir, PostgreSQL, Redis, the load generator
 * and the provider share; 256 connections. With Redis, a token with a budget has limits too.
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
| SQLite, 1 process | no budget | 6,757 | 156 | | | 45 | 0 | |
| SQLite, 1 process | one with a budget | 6,965 | 153 | | | 46 | 0 | |
| SQLite, 1 process | 64 with budgets | 8,183 | 133 | | | 43 | 0 | |
| SQLite, 2 workers | no budget | 9,811 | 140 | | | 40 | 0 | |
| SQLite, 2 workers | one with a budget | 8,109 | 181 | | | 34 | 0 | |
| SQLite, 2 workers | 64 with budgets | 10,305 | 147 | | | 34 | 0 | |
| PostgreSQL, 2 workers, 0 ms | no budget | 4,565 | 131 | 193 | | 37 | 0.035 | |
| PostgreSQL, 2 workers, 0 ms | one with a budget | 5,795 | 163 | 139 | | 39 | 0.036 | |
| PostgreSQL, 2 workers, 0 ms | 64 with budgets | 5,316 | 129 | 172 | | 38 | 0.033 | |
| PostgreSQL, 1 replica, 0 ms | no budget | 5,839 | 120 | 84 | | 38 | 0.017 | |
| PostgreSQL, 1 replica, 0 ms | one with a budget | 4,995 | 122 | 109 | | 40 | 0.018 | |
| PostgreSQL, 1 replica, 0 ms | 64 with budgets | 4,791 | 140 | 115 | | 41 | 0.017 | |
| PostgreSQL + Redis, 1 replica, 0 ms | no budget | 6,071 | 126 | 73 | 0 | 39 | 0.017 | 0.000 |
| PostgreSQL + Redis, 1 replica, 0 ms | one with a budget | 3,308 | 171 | 164 | 28 | 45 | 0.020 | 0.031 |
| PostgreSQL + Redis, 1 replica, 0 ms | 64 with budgets | 2,026 | 179 | 379 | 58 | 51 | 0.020 | 0.032 |
| PostgreSQL, 1 replica, 2 ms | no budget | 3,158 | 124 | 208 | | 43 | 0.018 | |
| PostgreSQL, 1 replica, 2 ms | one with a budget | 4,852 | 131 | 107 | | 42 | 0.017 | |
| PostgreSQL, 1 replica, 2 ms | 64 with budgets | 4,257 | 141 | 123 | | 45 | 0.018 | |
| PostgreSQL + Redis, 1 replica, 2 ms | no budget | 5,079 | 133 | 82 | 0 | 42 | 0.017 | 0.001 |
| PostgreSQL + Redis, 1 replica, 2 ms | one with a budget | 3,253 | 175 | 153 | 29 | 49 | 0.021 | 0.028 |
| PostgreSQL + Redis, 1 replica, 2 ms | 64 with budgets | 2,441 | 186 | 273 | 57 | 49 | 0.021 | 0.028 |
| PostgreSQL, 4 replicas, 0 ms | no budget | 3,548 | 170 | 304 | | 43 | 0.063 | |
| PostgreSQL, 4 replicas, 0 ms | one with a budget | 3,657 | 170 | 252 | | 43 | 0.065 | |
| PostgreSQL, 4 replicas, 0 ms | 64 with budgets | 2,443 | 173 | 522 | | 48 | 0.069 | |
| PostgreSQL + Redis, 4 replicas, 0 ms | no budget | 3,628 | 176 | 287 | 1 | 42 | 0.066 | 0.002 |
| PostgreSQL + Redis, 4 replicas, 0 ms | one with a budget | 1,509 | 261 | 813 | 41 | 57 | 0.075 | 0.118 |
| PostgreSQL + Redis, 4 replicas, 0 ms | 64 with budgets | 2,516 | 219 | 415 | 47 | 43 | 0.070 | 0.099 |
| PostgreSQL, 4 replicas, 2 ms | no budget | 3,028 | 190 | 384 | | 47 | 0.066 | |
| PostgreSQL, 4 replicas, 2 ms | one with a budget | 3,148 | 211 | 299 | | 49 | 0.070 | |
| PostgreSQL, 4 replicas, 2 ms | 64 with budgets | 3,184 | 195 | 339 | | 43 | 0.070 | |
| PostgreSQL + Redis, 4 replicas, 2 ms | no budget | 3,907 | 187 | 209 | 1 | 44 | 0.063 | 0.002 |
| PostgreSQL + Redis, 4 replicas, 2 ms | one with a budget | 2,050 | 273 | 468 | 36 | 47 | 0.079 | 0.110 |
| PostgreSQL + Redis, 4 replicas, 2 ms | 64 with budgets | 2,184 | 257 | 436 | 62 | 49 | 0.080 | 0.107 |
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
