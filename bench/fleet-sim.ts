/**
 * Predicts throughput, waiting and refusals of a fleet from measured costs: for any number of replicas, distance to the
 * database and number of budgets. `npm run bench -- --simulate`.
 */

import {
  type BatchCost,
  type Budgets,
  batchCosts,
  lockedShare,
  type Measured,
  measured,
  measuringMachine,
  offLoopShares,
} from './simulation/costs.ts';
import { type FleetResult, type RequestCosts, simulateFleet } from './simulation/fleet.ts';

const budgetCounts: Readonly<Record<Budgets, number>> = {
  'no budget': 0,
  'one budgeted token': 1,
  '64 budgeted tokens': 64,
};

/** A request is two items; what a batch costs before its items is the same in all setups. */
function perItem(requestMicros: number, trips: number, fixedMicros: number): BatchCost {
  return { fixedMicros, itemMicros: Math.max(1, (requestMicros - trips * fixedMicros) / 2) };
}

/** Costs of the measured setup that is nearest: the same one, or the one with a single replica. */
function nearest(setup: Measured): Measured {
  const isComplete = ({ weirMicros, postgresMicros, database }: Measured): boolean =>
    weirMicros !== undefined && (database === 'SQLite' || postgresMicros !== undefined);
  if (isComplete(setup)) return setup;
  const alike = measured.filter((one) => isComplete(one) && one.database === setup.database);
  const distance = ({ replicas, workers, delayMs, budgets }: Measured): number =>
    (budgets === setup.budgets ? 0 : budgets === 'no budget' ? 200 : 100) + replicas + workers + delayMs;
  const [found] = alike.sort((left, right) => distance(left) - distance(right));
  if (found === undefined) throw new Error(`no costs are known for ${nameOf(setup)}`);
  return found;
}

export function costsOf(setup: Measured): RequestCosts {
  const {
    database,
    weirMicros = 0,
    postgresMicros = 0,
    redisMicros,
    sqlTrips = 0.017,
    redisTrips = 0.03,
  } = nearest(setup);
  if (database === 'SQLite') {
    const offLoopShare = setup.workers > 1 ? offLoopShares.workers : offLoopShares.oneProcess;
    return { weirMicros, offLoopShare, weirBatchMicros: 0 };
  }
  return {
    weirMicros: weirMicros - sqlTrips * batchCosts.weirMicros,
    offLoopShare: 0,
    weirBatchMicros: batchCosts.weirMicros,
    postgres: perItem(postgresMicros, sqlTrips, batchCosts.postgresMicros[setup.budgets]),
    redis: redisMicros === undefined ? undefined : perItem(redisMicros, redisTrips, batchCosts.redisMicros),
  };
}

export const nameOf = ({ database, replicas, workers, delayMs, budgets }: Measured): string => {
  const processes = workers > 1 ? `${workers} workers` : `${replicas} replica${replicas === 1 ? '' : 's'}`;
  return `${database}, ${processes}${database === 'SQLite' ? '' : `, ${delayMs} ms`}, ${budgets}`;
};

const common = { timeoutMs: 5_000, lockedShare, seed: 1 } as const;

/** A measured setup, on the machine where it was measured. PostgreSQL had `fsync` off there. */
export function predictMeasured(setup: Measured, durationMs = 2_000): FleetResult {
  return simulateFleet({
    ...common,
    processes: setup.replicas * setup.workers,
    roundTripMs: setup.delayMs,
    budgets: budgetCounts[setup.budgets],
    load: { clients: measuringMachine.connections },
    costs: costsOf(setup),
    spread: 'by turns',
    machine: measuringMachine,
    databaseCores: measuringMachine.cores,
    connections: 200,
    flushMs: 0,
    durationMs,
  });
}

/** Two figures are a range, of which the nearer end counts. */
const ratioOf = (predicted: number, figure: number | readonly [number, number]): number => {
  const [least, most] = typeof figure === 'number' ? [figure, figure] : figure;
  return predicted < least ? predicted / least : predicted > most ? predicted / most : 1;
};

export interface Comparison {
  readonly setup: string;
  readonly what: 'requests/s' | 'SQL round trips' | 'Redis round trips';
  readonly measured: string;
  readonly predicted: string;
  readonly ratio: number;
  /** The CPU time of this very setup is known; otherwise it is that of a smaller one. */
  readonly isOwnCost: boolean;
}

/** Every measured figure beside its prediction. */
export function compareAll(): readonly Comparison[] {
  return measured.flatMap((setup) => {
    const { perSecond, sqlTrips, redisTrips } = predictMeasured(setup);
    const isOwnCost = nearest(setup) === setup;
    const compare = (
      what: Comparison['what'],
      figure: number | readonly [number, number] | undefined,
      predicted: number,
      digits: number,
    ): readonly Comparison[] => {
      if (figure === undefined) return [];
      const text = [figure]
        .flat()
        .map((each) => Number(each).toFixed(digits))
        .join(' to ');
      const ratio = ratioOf(predicted, figure);
      return [{ setup: nameOf(setup), what, measured: text, predicted: predicted.toFixed(digits), ratio, isOwnCost }];
    };
    return [
      ...compare('requests/s', setup.perSecond, perSecond, 0),
      ...compare('SQL round trips', setup.sqlTrips, sqlTrips, 3),
      ...compare('Redis round trips', setup.redisTrips, redisTrips, 3),
    ];
  });
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  return [
    '| setup | figure | measured | predicted | difference |',
    '| --- | --- | --: | --: | --: |',
    ...comparisons.map(({ setup, what, measured: figure, predicted, ratio, isOwnCost }) => {
      const difference = `${ratio < 1 ? '−' : '+'}${Math.abs((ratio - 1) * 100).toFixed(0)} %${isOwnCost ? '' : ' (costs of 1 replica)'}`;
      return `| ${setup} | ${what} | ${figure} | ${predicted} | ${difference} |`;
    }),
  ].join('\n');
}

export interface Scenario {
  readonly replicas: number;
  readonly roundTripMs: number;
  readonly budgets: number;
  /** Of each replica: clients in a closed loop, or requests a second. */
  readonly load: { readonly clients: number } | { readonly perSecond: number };
  /** Whether requests have limits in Redis. */
  readonly limits: boolean;
  /** Whether the load balancer sends all requests of a token to one replica. */
  readonly sticky: boolean;
  readonly databaseCores: number;
  /** Of the server or of PgBouncer. */
  readonly connections: number;
  readonly seconds: number;
}

/** How long a commit waits for the disk: an estimate for a network disk. */
const flushMs = 1;

export function predict(scenario: Scenario): FleetResult {
  const { replicas, budgets, load, limits, sticky, seconds, ...given } = scenario;
  const kind: Budgets = budgets === 0 ? 'no budget' : budgets === 1 ? 'one budgeted token' : '64 budgeted tokens';
  const database = limits ? 'PostgreSQL + Redis' : 'PostgreSQL';
  return simulateFleet({
    ...common,
    ...given,
    processes: replicas,
    budgets,
    spread: sticky ? 'by budget' : 'at random',
    load: 'clients' in load ? { clients: load.clients * replicas } : { perSecond: load.perSecond * replicas },
    costs: costsOf({ database, replicas, workers: 1, delayMs: given.roundTripMs, budgets: kind }),
    flushMs,
    durationMs: seconds * 1_000,
  });
}

const listOf = (text: string): readonly number[] =>
  text.split(',').map((word) => {
    const number = Number(word);
    if (word.trim() === '' || !(number >= 0)) throw new Error(`${JSON.stringify(word)} is not a number`);
    return number;
  });

const whole = (value: number): string => (Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en-US'));

function cellsOf({ replicas, roundTripMs, budgets }: Scenario, result: FleetResult): readonly string[] {
  const { perSecond, waitMs, coresUsed, statementsPerSecond, itemsPerBatch, started, refused, used } = result;
  const [name, share] = Object.entries(used).reduce((most, each) => (each[1] > most[1] ? each : most));
  return [
    ...[replicas, roundTripMs, budgets].map((value) => value.toLocaleString('en-US')),
    whole(perSecond),
    whole(waitMs.p50),
    whole(waitMs.p99),
    coresUsed.weir.toFixed(1),
    coresUsed.postgres.toFixed(1),
    coresUsed.redis.toFixed(1),
    whole(statementsPerSecond),
    itemsPerBatch.toFixed(0),
    `${((refused / Math.max(1, started)) * 100).toFixed(0)} %`,
    result.bottleneck === 'none' ? `none (${name} ${(share * 100).toFixed(0)} %)` : result.bottleneck,
  ];
}

/** What the command line says; lists are separated by commas. */
export interface SimulationWords {
  readonly check: boolean;
  readonly replicas: string;
  readonly 'round-trip-ms': string;
  readonly budgets: string;
  readonly rate: string;
  readonly clients?: string | undefined;
  readonly limits: boolean;
  readonly sticky: boolean;
  readonly 'database-cores': string;
  readonly 'database-connections': string;
  readonly seconds: string;
}

/** A line for each combination. */
export function simulationReport(words: SimulationWords): string {
  if (words.check) return comparisonTable(compareAll());
  const lines = [
    '| replicas | round trip ms | budgets | requests/s | wait p50 ms | p99 | cores: Weir | PostgreSQL | Redis | SQL statements/s | items per batch | refused | bottleneck |',
    '| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |',
  ];
  const [perSecond = 0] = listOf(words.rate);
  const load = words.clients === undefined ? { perSecond } : { clients: Number(words.clients) };
  for (const replicas of listOf(words.replicas))
    for (const roundTripMs of listOf(words['round-trip-ms']))
      for (const budgets of listOf(words.budgets)) {
        const scenario: Scenario = {
          ...{ replicas, roundTripMs, budgets, load, limits: words.limits, sticky: words.sticky },
          databaseCores: Number(words['database-cores']),
          connections: Number(words['database-connections']),
          seconds: Number(words.seconds),
        };
        lines.push(`| ${cellsOf(scenario, predict(scenario)).join(' | ')} |`);
      }
  return lines.join('\n');
}
