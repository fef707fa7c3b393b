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
| SQLite, 1 process | no budget | 15,575 | 77 | | | 28 | 0 | |
| SQLite, 1 process | one with a budget | 13,588 | 74 | | | 29 | 0 | |
| SQLite, 1 process | 64 with budgets | 14,182 | 77 | | | 30 | 0 | |
| SQLite, 1 process, limits | one with a budget | 12,593 | 87 | | | 29 | 0 | |
| SQLite, 1 process, limits | 64 with budgets | 9,791 | 114 | | | 35 | 0 | |
| SQLite, 2 workers | no budget | 18,211 | 77 | | | 26 | 0 | |
| SQLite, 2 workers | one with a budget | 13,461 | 108 | | | 29 | 0 | |
| SQLite, 2 workers | 64 with budgets | 11,633 | 120 | | | 31 | 0 | |
| PostgreSQL, 2 workers, 0 ms | no budget | 9,013 | 93 | 45 | | 35 | 0.021 | |
| PostgreSQL, 2 workers, 0 ms | one with a budget | 9,103 | 89 | 48 | | 30 | 0.021 | |
| PostgreSQL, 2 workers, 0 ms | 64 with budgets | 8,209 | 97 | 62 | | 34 | 0.023 | |
| PostgreSQL, 1 replica, 0 ms | no budget | 8,238 | 85 | 36 | | 30 | 0.012 | |
| PostgreSQL, 1 replica, 0 ms | one with a budget | 6,701 | 91 | 47 | | 35 | 0.014 | |
| PostgreSQL, 1 replica, 0 ms | 64 with budgets | 6,479 | 94 | 57 | | 34 | 0.014 | |
| PostgreSQL + Redis, 1 replica, 0 ms | no budget | 8,968 | 82 | 34 | 0 | 29 | 0.012 | 0.000 |
| PostgreSQL + Redis, 1 replica, 0 ms | one with a budget | 6,069 | 115 | 43 | 16 | 32 | 0.016 | 0.019 |
| PostgreSQL + Redis, 1 replica, 0 ms | 64 with budgets | 4,871 | 113 | 75 | 34 | 34 | 0.018 | 0.021 |
| PostgreSQL, 1 replica, 2 ms | no budget | 7,233 | 78 | 47 | | 30 | 0.014 | |
| PostgreSQL, 1 replica, 2 ms | one with a budget | 7,933 | 69 | 36 | | 28 | 0.014 | |
| PostgreSQL, 1 replica, 2 ms | 64 with budgets | 6,282 | 96 | 55 | | 32 | 0.016 | |
| PostgreSQL + Redis, 1 replica, 2 ms | no budget | 7,523 | 80 | 37 | 0 | 29 | 0.014 | 0.000 |
| PostgreSQL + Redis, 1 replica, 2 ms | one with a budget | 5,511 | 114 | 44 | 16 | 32 | 0.018 | 0.021 |
| PostgreSQL + Redis, 1 replica, 2 ms | 64 with budgets | 4,702 | 118 | 62 | 38 | 35 | 0.020 | 0.021 |
| PostgreSQL, 4 replicas, 0 ms | no budget | 8,939 | 101 | 53 | | 31 | 0.045 | |
| PostgreSQL, 4 replicas, 0 ms | one with a budget | 8,127 | 113 | 66 | | 31 | 0.044 | |
| PostgreSQL, 4 replicas, 0 ms | 64 with budgets | 7,678 | 117 | 73 | | 30 | 0.046 | |
| PostgreSQL + Redis, 4 replicas, 0 ms | no budget | 8,244 | 113 | 56 | 0 | 32 | 0.041 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 0 ms | one with a budget | 5,125 | 177 | 83 | 20 | 35 | 0.070 | 0.069 |
| PostgreSQL + Redis, 4 replicas, 0 ms | 64 with budgets | 4,660 | 172 | 94 | 40 | 36 | 0.073 | 0.070 |
| PostgreSQL, 4 replicas, 2 ms | no budget | 8,073 | 103 | 54 | | 31 | 0.045 | |
| PostgreSQL, 4 replicas, 2 ms | one with a budget | 7,887 | 105 | 76 | | 31 | 0.045 | |
| PostgreSQL, 4 replicas, 2 ms | 64 with budgets | 6,060 | 135 | 93 | | 36 | 0.052 | |
| PostgreSQL + Redis, 4 replicas, 2 ms | no budget | 7,359 | 127 | 59 | 1 | 35 | 0.048 | 0.001 |
| PostgreSQL + Redis, 4 replicas, 2 ms | one with a budget | 4,991 | 173 | 84 | 22 | 36 | 0.075 | 0.075 |
| PostgreSQL + Redis, 4 replicas, 2 ms | 64 with budgets | 4,305 | 190 | 98 | 46 | 36 | 0.075 | 0.073 |
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
