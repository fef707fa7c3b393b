/**
 * Predicts throughput, waiting and refusals of a fleet from measured costs: for any number of replicas, distance to the
 * database and number of budgets. `npm run bench -- --simulate`.
 */

import { type BatchCost, batchCosts, lockedShare, measuringMachine, offLoopShares } from './simulation/costs.ts';
import { type FleetResult, type RequestCosts, simulateFleet } from './simulation/fleet.ts';
import { type Budgets, type Measured, measured } from './simulation/measured.ts';

const budgetCounts: Readonly<Record<Budgets, number>> = {
  'no budget': 0,
  'one budgeted token': 1,
  '64 budgeted tokens': 64,
};

/** A request is two items; what a batch costs before its items is the same in all setups. */
function perItem(requestMicros: number, trips: number, fixedMicros: number): BatchCost {
  return { fixedMicros, itemMicros: Math.max(1, (requestMicros - trips * fixedMicros) / 2) };
}

const redisCost: BatchCost = { fixedMicros: batchCosts.redisMicros, itemMicros: batchCosts.redisOperationMicros };

export function costsOf(setup: Measured): RequestCosts {
  const { database, weirMicros, postgresMicros = 0, sqlTrips = 0 } = setup;
  if (database === 'SQLite') {
    const offLoopShare = setup.workers > 1 ? offLoopShares.workers : offLoopShares.oneProcess;
    return { weirMicros, offLoopShare, weirBatchMicros: 0 };
  }
  return {
    weirMicros: weirMicros - sqlTrips * batchCosts.weirMicros,
    offLoopShare: 0,
    weirBatchMicros: batchCosts.weirMicros,
    postgres: perItem(postgresMicros, sqlTrips, batchCosts.postgresMicros[setup.budgets]),
    redis: setup.redisMicros === undefined ? undefined : redisCost,
  };
}

/** A replica whose machine is not exhausted: the costs of larger setups include that the measuring machine was. */
function oneReplica(database: Measured['database'], budgets: Budgets): Measured {
  const isIt = (one: Measured): boolean =>
    one.database === database && one.budgets === budgets && one.replicas * one.workers === 1 && one.delayMs === 0;
  const found = measured.find(isIt);
  if (found === undefined) throw new Error(`no costs are known for ${database} with ${budgets}`);
  return found;
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

export interface Comparison {
  readonly setup: string;
  readonly what: 'requests/s' | 'SQL round trips';
  readonly measured: string;
  readonly predicted: string;
  readonly ratio: number;
}

/** Every measured figure beside its prediction. */
export function compareAll(): readonly Comparison[] {
  return measured.flatMap((setup) => {
    const { perSecond, sqlTrips } = predictMeasured(setup);
    const compare = (
      what: Comparison['what'],
      figure: number | undefined,
      predicted: number,
      digits: number,
    ): readonly Comparison[] => {
      if (figure === undefined) return [];
      const texts = { measured: figure.toFixed(digits), predicted: predicted.toFixed(digits) };
      return [{ setup: nameOf(setup), what, ...texts, ratio: predicted / figure }];
    };
    return [
      ...compare('requests/s', setup.perSecond, perSecond, 0),
      ...compare('SQL round trips', setup.sqlTrips, sqlTrips, 3),
    ];
  });
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  return [
    '| setup | figure | measured | predicted | difference |',
    '| --- | --- | --: | --: | --: |',
    ...comparisons.map(({ setup, what, measured: figure, predicted, ratio }) => {
      const difference = `${ratio < 1 ? '−' : '+'}${Math.abs((ratio - 1) * 100).toFixed(0)} %`;
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
    costs: costsOf(oneReplica(database, kind)),
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
