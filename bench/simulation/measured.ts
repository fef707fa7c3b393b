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
}

const table = `
| setup | tokens | requests/s | CPU µs: Weir | PostgreSQL | Redis | load | SQL round trips | Redis round trips |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |
| SQLite, 1 process | no budget | 7,823 | 147 | | | 47 | 0 | |
| SQLite, 1 process | one with a budget | 8,237 | 138 | | | 48 | 0 | |
| SQLite, 1 process | 64 with budgets | 8,534 | 136 | | | 46 | 0 | |
| SQLite, 1 process, limits | one with a budget | 6,842 | 155 | | | 50 | 0 | |
| SQLite, 1 process, limits | 64 with budgets | 6,531 | 155 | | | 56 | 0 | |
| SQLite, 2 workers | no budget | 10,897 | 130 | | | 46 | 0 | |
| SQLite, 2 workers | one with a budget | 7,739 | 166 | | | 48 | 0 | |
| SQLite, 2 workers | 64 with budgets | 8,440 | 161 | | | 43 | 0 | |
| PostgreSQL, 2 workers, 0 ms | no budget | 6,636 | 138 | 66 | | 46 | 0.025 | |
| PostgreSQL, 2 workers, 0 ms | one with a budget | 5,824 | 147 | 90 | | 52 | 0.029 | |
| PostgreSQL, 2 workers, 0 ms | 64 with budgets | 6,134 | 130 | 103 | | 47 | 0.028 | |
| PostgreSQL, 1 replica, 0 ms | no budget | 5,352 | 129 | 63 | | 49 | 0.015 | |
| PostgreSQL, 1 replica, 0 ms | one with a budget | 5,243 | 136 | 106 | | 50 | 0.015 | |
| PostgreSQL, 1 replica, 0 ms | 64 with budgets | 5,236 | 129 | 86 | | 51 | 0.016 | |
| PostgreSQL + Redis, 1 replica, 0 ms | no budget | 4,394 | 147 | 123 | 1 | 54 | 0.016 | 0.001 |
| PostgreSQL + Redis, 1 replica, 0 ms | one with a budget | 3,815 | 206 | 95 | 4 | 57 | 0.017 | 0.004 |
| PostgreSQL + Redis, 1 replica, 0 ms | 64 with budgets | 2,965 | 197 | 116 | 15 | 62 | 0.018 | 0.005 |
| PostgreSQL, 1 replica, 2 ms | no budget | 3,584 | 156 | 105 | | 61 | 0.017 | |
| PostgreSQL, 1 replica, 2 ms | one with a budget | 4,605 | 137 | 75 | | 56 | 0.017 | |
| PostgreSQL, 1 replica, 2 ms | 64 with budgets | 4,276 | 143 | 86 | | 52 | 0.017 | |
| PostgreSQL + Redis, 1 replica, 2 ms | no budget | 5,218 | 130 | 60 | 1 | 47 | 0.016 | 0.000 |
| PostgreSQL + Redis, 1 replica, 2 ms | one with a budget | 4,351 | 174 | 75 | 4 | 54 | 0.017 | 0.003 |
| PostgreSQL + Redis, 1 replica, 2 ms | 64 with budgets | 3,963 | 169 | 102 | 14 | 54 | 0.017 | 0.005 |
| PostgreSQL, 4 replicas, 0 ms | no budget | 5,533 | 155 | 93 | | 48 | 0.055 | |
| PostgreSQL, 4 replicas, 0 ms | one with a budget | 4,644 | 186 | 162 | | 56 | 0.064 | |
| PostgreSQL, 4 replicas, 0 ms | 64 with budgets | 4,602 | 194 | 138 | | 54 | 0.060 | |
| PostgreSQL + Redis, 4 replicas, 0 ms | no budget | 5,522 | 166 | 92 | 1 | 51 | 0.053 | 0.002 |
| PostgreSQL + Redis, 4 replicas, 0 ms | one with a budget | 4,278 | 250 | 117 | 6 | 52 | 0.059 | 0.011 |
| PostgreSQL + Redis, 4 replicas, 0 ms | 64 with budgets | 3,809 | 258 | 152 | 15 | 56 | 0.062 | 0.015 |
| PostgreSQL, 4 replicas, 2 ms | no budget | 5,111 | 181 | 97 | | 54 | 0.058 | |
| PostgreSQL, 4 replicas, 2 ms | one with a budget | 4,423 | 205 | 120 | | 53 | 0.065 | |
| PostgreSQL, 4 replicas, 2 ms | 64 with budgets | 3,858 | 204 | 143 | | 58 | 0.064 | |
| PostgreSQL + Redis, 4 replicas, 2 ms | no budget | 5,519 | 155 | 92 | 1 | 50 | 0.055 | 0.002 |
| PostgreSQL + Redis, 4 replicas, 2 ms | one with a budget | 4,726 | 206 | 112 | 8 | 52 | 0.061 | 0.010 |
| PostgreSQL + Redis, 4 replicas, 2 ms | 64 with budgets | 4,017 | 222 | 133 | 24 | 54 | 0.066 | 0.015 |
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
  const [, setup = '', tokens = '', perSecond, weir, postgres, redis, , sqlTrips] = cells;
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
  };
}

export const measured: readonly Measured[] = table.trim().split('\n').slice(2).map(lineOf);
