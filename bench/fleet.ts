/**
 * What a request costs by database, budgets, replicas and distance: requests a second, CPU time of Weir, PostgreSQL and
 * Redis, and round trips. All setups take turns within one run.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { newDatabase, postgresWith } from '../test/harness/postgres.ts';
import { startRedis } from '../test/harness/redis.ts';
import type { LoadResult } from './load.ts';
import { cpuMicros, end, familyMicros, familyOf, firstLine, moveToCore, parentOf, startScript } from './processes.ts';
import { median } from './statistics.ts';
import { benchToken, startUpstream, startWeir, type Target, weirOfHere } from './targets.ts';
import { budgetWords, createToken, limitWords } from './tokens.ts';

interface Setup {
  readonly database: 'SQLite' | 'PostgreSQL' | 'PostgreSQL + Redis';
  /** With SQLite, separate processes that share nothing: they show what so many cost on this machine. */
  readonly replicas: number;
  /** Processes of each replica that serve. */
  readonly workers: number;
  /** Whether tokens with a budget have limits of requests, tokens and concurrency too. */
  readonly limits: boolean;
  /** Of a round trip to the database. */
  readonly delayMs: number;
  /** All of Weir runs on one core, which shows what one core serves; else the kernel chooses. */
  readonly onOneCore?: boolean;
}

const sqlite: Setup = { database: 'SQLite', replicas: 1, workers: 1, limits: false, delayMs: 0 };
const setups: readonly Setup[] = [
  sqlite,
  { ...sqlite, limits: true },
  { ...sqlite, replicas: 2 },
  { ...sqlite, workers: 2 },
  { ...sqlite, workers: 2, limits: true },
  { ...sqlite, database: 'PostgreSQL', workers: 2 },
  { ...sqlite, replicas: 4 },
  { ...sqlite, replicas: 4, limits: true },
  ...([1, 4] as const).flatMap((replicas) =>
    ([0, 2] as const).flatMap((delayMs): readonly Setup[] => [
      { ...sqlite, database: 'PostgreSQL', replicas, delayMs },
      { ...sqlite, database: 'PostgreSQL + Redis', replicas, limits: true, delayMs },
    ]),
  ),
];

const budgets = ['no budget', 'one with a budget', '64 with budgets'] as const;
type Budgets = (typeof budgets)[number];
const tokenCount = 64;
/** For each process, right before it is measured: without requests the runtime discards compiled code, and compiles it again. */
const warmUpRequests = 5_000;
/** For each process and kind of token, after the start: fewer leave a part of the code to be compiled while it is measured. */
const firstRequests = 15_000;
/** For each process or replica: enough that a batch is never short of requests. */
const concurrency = 256;
const cores = availableParallelism();

const processesOf = ({ replicas, workers }: Setup): number => replicas * workers;

interface Fleet {
  readonly setup: Setup;
  readonly replicas: readonly Target[];
  readonly tokens: Readonly<Record<Budgets, readonly string[]>>;
  readonly postgresPid: number | undefined;
  readonly redisPid: number | undefined;
  roundTrips(): Promise<{ readonly sql: number; readonly redis: number }>;
  stop(): Promise<void>;
}

interface Figures {
  readonly perSecond: number;
  readonly weirMicros: number;
  readonly postgresMicros: number;
  readonly redisMicros: number;
  /** Of the load generator and the provider, which share the cores. */
  readonly loadMicros: number;
  readonly sqlTrips: number;
  readonly redisTrips: number;
  readonly toOne: Ratios;
  readonly toAsMany: Ratios;
  /** Only of workers: requests a second over those of one process on one core, as if the load ran elsewhere. */
  readonly toOneCore: number | undefined;
}

/** CPU time of Weir, alone and with PostgreSQL, over that of one process on SQLite, or as many of them, right before. */
interface Ratios {
  readonly weir: number;
  readonly both: number;
  /** Requests a second over its. */
  readonly speed: number;
}

type Measured = Omit<Figures, 'toOne' | 'toAsMany' | 'toOneCore'>;

async function startProxy(url: string, wire: 'postgres' | 'redis', delayMs: number) {
  const address = new URL(url);
  const words = ['--to', address.port, '--delay-ms', `${delayMs}`, '--wire', wire];
  const child = startScript(join(import.meta.dir, 'database-proxy.ts'), words);
  const { port, counterPort } = await firstLine<{ port: number; counterPort: number }>(child);
  address.port = `${port}`;
  const count = async (): Promise<number> =>
    ((await (await fetch(`http://127.0.0.1:${counterPort}/`)).json()) as { roundTrips: number }).roundTrips;
  return { url: address.href, count, stop: () => end(child) };
}

async function startFleet(setup: Setup, upstreamPort: number, server: string | undefined): Promise<Fleet> {
  const isShared = setup.database !== 'SQLite';
  const directUrl = isShared && server !== undefined ? await newDatabase(server) : undefined;
  const redis = setup.database === 'PostgreSQL + Redis' ? await startRedis() : undefined;
  const sql = directUrl === undefined ? undefined : await startProxy(directUrl, 'postgres', setup.delayMs);
  const limits = redis === undefined ? undefined : await startProxy(redis.url, 'redis', setup.delayMs);
  const environment = {
    WEIR_SERVER_WORKERS: `${setup.workers}`,
    WEIR_SECRET_KEY: 'bench-secret-key-bench-secret-key-0000',
    ...(sql !== undefined && { DATABASE_URL: sql.url }),
    ...(limits !== undefined && { REDIS_URL: limits.url }),
  };
  const replicas: Target[] = [];
  for (let count = 0; count < setup.replicas; count += 1)
    replicas.push(await startWeir(upstreamPort, weirOfHere, environment));
  if (setup.onOneCore === true) for (const pid of replicas.flatMap(({ pids }) => pids)) moveToCore(pid, 0);
  const limited = setup.limits ? limitWords : [];
  // Connections take servers and tokens in turn, so each meets a token of its own server where those share nothing.
  const separate = isShared ? 1 : setup.replicas;
  const create = (at: number) =>
    createToken(replicas[at % separate], ['--name', `bench-${at}`, ...budgetWords, ...limited]);
  const tokens: string[] = [];
  for (let at = 0; at < tokenCount; at += 8)
    tokens.push(...(await Promise.all(Array.from({ length: 8 }, (_, nth) => create(at + nth)))));
  return {
    setup,
    replicas,
    tokens: { 'no budget': [benchToken], 'one with a budget': tokens.slice(0, separate), '64 with budgets': tokens },
    postgresPid: directUrl === undefined ? undefined : await postmasterOf(directUrl),
    redisPid: redis?.pid,
    roundTrips: async () => ({ sql: (await sql?.count()) ?? 0, redis: (await limits?.count()) ?? 0 }),
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await Promise.all([sql?.stop(), limits?.stop()]);
      await redis?.kill();
    },
  };
}

export async function postmasterOf(url: string): Promise<number> {
  const client = new Bun.SQL(url, { max: 1 });
  try {
    const [row] = (await client.unsafe('SELECT pg_backend_pid()').values()) as [number][];
    return parentOf(row?.[0] ?? 0);
  } finally {
    await client.close();
  }
}

/** With the CPU time that the load generator took. */
async function load(
  fleet: Fleet,
  tokens: readonly string[],
  requests: number,
): Promise<LoadResult & { micros: number }> {
  const ports = fleet.replicas.map(({ port }) => port).join(',');
  const connections = concurrency * processesOf(fleet.setup);
  const words = ['requests', '--ports', ports, '--tokens', tokens.join(','), '--concurrency', `${connections}`];
  const child = startScript(join(import.meta.dir, 'load.ts'), [...words, '--requests', `${requests}`]);
  const result = await firstLine<LoadResult>(child);
  await child.exited;
  if (result.failures > 0)
    throw new Error(`${nameOf(fleet.setup)}: ${result.failures} of ${requests} replies were wrong`);
  return { ...result, micros: Number(child.resourceUsage()?.cpuTime.total ?? 0) };
}

async function measure(fleet: Fleet, upstream: Target, budget: Budgets, each: number): Promise<Measured> {
  const requests = each * processesOf(fleet.setup);
  await load(fleet, fleet.tokens[budget], warmUpRequests * processesOf(fleet.setup));
  const pids = fleet.replicas.flatMap(({ pids: own }) => own).flatMap(familyOf);
  const postgres = (): number => (fleet.postgresPid === undefined ? 0 : familyMicros(fleet.postgresPid));
  const redis = fleet.redisPid === undefined ? [] : [fleet.redisPid];
  const before = {
    weir: cpuMicros(pids),
    postgres: postgres(),
    redis: cpuMicros(redis),
    upstream: cpuMicros(upstream.pids),
    trips: await fleet.roundTrips(),
  };
  const { elapsedMs, micros } = await load(fleet, fleet.tokens[budget], requests);
  await Bun.sleep(300);
  const trips = await fleet.roundTrips();
  return {
    perSecond: (requests / elapsedMs) * 1_000,
    weirMicros: (cpuMicros(pids) - before.weir) / requests,
    postgresMicros: (postgres() - before.postgres) / requests,
    redisMicros: (cpuMicros(redis) - before.redis) / requests,
    loadMicros: (cpuMicros(upstream.pids) - before.upstream + micros) / requests,
    sqlTrips: (trips.sql - before.trips.sql) / requests,
    redisTrips: (trips.redis - before.trips.redis) / requests,
  };
}

const nameOf = ({ database, replicas, workers, limits, delayMs, onOneCore }: Setup): string => {
  const several = (one: string, many: string) => `${replicas} ${replicas === 1 ? one : many}`;
  const alone = database === 'SQLite' ? several('process', 'processes') : several('replica', 'replicas');
  const count = workers === 1 ? alone : `${workers} workers`;
  const further = database === 'SQLite' ? (limits ? ', limits' : '') : `, ${delayMs} ms`;
  return `${database}, ${count}${further}${onOneCore === true ? ', one core' : ''}`;
};

interface FleetScale {
  readonly rounds: number;
  readonly requests: number;
  /** Only setups whose name contains it. */
  readonly only: string;
}

/** A fleet, and what it is compared with: one process on SQLite, and as many processes as it has. */
interface Line {
  readonly fleet: Fleet;
  readonly one: Fleet;
  readonly many: Fleet;
  /** Of workers: one process that has one core. */
  readonly alone: Fleet | undefined;
}

/** The machine's speed changes within a round, so each figure has its own bases; `isReversed` measures them after it. */
async function measureLine(
  { fleet, one, many, alone }: Line,
  isReversed: boolean,
  measured: (fleet: Fleet) => Promise<Measured>,
): Promise<Figures> {
  const order = [...new Set([one, many, fleet, ...(alone === undefined ? [] : [alone])])];
  const results = new Map<Fleet, Measured>();
  for (const each of isReversed ? order.reverse() : order) results.set(each, await measured(each));
  const own = resultOf(results, fleet);
  const over = (base: Fleet): Ratios => {
    const { weirMicros, perSecond } = resultOf(results, base);
    return {
      weir: own.weirMicros / weirMicros,
      both: (own.weirMicros + own.postgresMicros) / weirMicros,
      speed: own.perSecond / perSecond,
    };
  };
  const toOneCore = alone && withoutLoad(own) / resultOf(results, alone).perSecond;
  return { ...own, toOne: over(one), toAsMany: over(many), toOneCore };
}

function resultOf(results: ReadonlyMap<Fleet, Measured>, fleet: Fleet): Measured {
  const result = results.get(fleet);
  if (result === undefined) throw new Error(`${nameOf(fleet.setup)} was not measured`);
  return result;
}

/** Requests a second that the same CPU time of Weir would serve, did nothing else take time from the cores. */
function withoutLoad({ perSecond, loadMicros, postgresMicros, redisMicros }: Measured): number {
  const others = ((loadMicros + postgresMicros + redisMicros) * perSecond) / 1e6;
  return (perSecond * cores) / (cores - others);
}

/** A line for each setup and kind of budget, the median of the rounds. */
export async function measureFleet(
  { rounds, requests, only }: FleetScale,
  say: (text: string) => void,
): Promise<string> {
  const upstream = await startUpstream();
  const wanted = setups.filter((setup) => nameOf(setup).includes(only));
  // With what an operator's server does beside the requests, which that of the tests does not.
  const isShared = wanted.some(({ database }) => database !== 'SQLite');
  const server = isShared ? await postgresWith('autovacuum=on') : undefined;
  const start = (setup: Setup): Promise<Fleet> => {
    say(`starting: ${nameOf(setup)}`);
    return startFleet(setup, upstream.port, server);
  };
  const running = new Map<string, Fleet>();
  const fleetOf = async (setup: Setup): Promise<Fleet> => {
    const fleet = running.get(nameOf(setup)) ?? (await start(setup));
    running.set(nameOf(setup), fleet);
    return fleet;
  };
  const lines: Line[] = [];
  for (const setup of wanted) {
    const asOne = { ...sqlite, limits: setup.limits };
    const [one, many] = [await fleetOf(asOne), await fleetOf({ ...asOne, replicas: processesOf(setup) })];
    const alone = setup.workers > 1 ? await fleetOf({ ...asOne, onOneCore: true }) : undefined;
    lines.push({ fleet: await fleetOf(setup), one, many, alone });
  }
  const figures = new Map<string, Figures[]>();
  for (const fleet of running.values())
    for (const budget of budgets) await load(fleet, fleet.tokens[budget], firstRequests * processesOf(fleet.setup));
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    for (const line of lines) {
      for (const budget of budgets) {
        const name = `${nameOf(line.fleet.setup)} | ${budget}`;
        const measured = (fleet: Fleet) => measure(fleet, upstream, budget, requests);
        figures.set(name, [...(figures.get(name) ?? []), await measureLine(line, round % 2 === 1, measured)]);
      }
    }
  }
  for (const fleet of running.values()) await fleet.stop();
  await upstream.stop();
  return tableOf(figures);
}

function tableOf(figures: ReadonlyMap<string, readonly Figures[]>): string {
  const lines: string[] = [];
  lines.push(
    '| setup | tokens | requests/s | CPU µs: Weir | PostgreSQL | Redis | load | SQL round trips | Redis round trips | requests/s ÷ one on SQLite | Weir ÷ one on SQLite | with PostgreSQL | Weir ÷ as many on SQLite | with PostgreSQL | without the load, requests/s ÷ one core’s |',
  );
  lines.push(`| --- | --- |${' --: |'.repeat(13)}`);
  for (const [name, each] of figures) {
    const of = (pick: (one: Figures) => number, digits: number): string => median(each.map(pick)).toFixed(digits);
    const cells = [
      Math.round(median(each.map((one) => one.perSecond))).toLocaleString('en'),
      of((one) => one.weirMicros, 0),
      of((one) => one.postgresMicros, 0),
      of((one) => one.redisMicros, 0),
      of((one) => one.loadMicros, 0),
      of((one) => one.sqlTrips, 3),
      of((one) => one.redisTrips, 3),
      of((one) => one.toOne.speed, 2),
      of((one) => one.toOne.weir, 2),
      of((one) => one.toOne.both, 2),
      of((one) => one.toAsMany.weir, 2),
      of((one) => one.toAsMany.both, 2),
      each[0]?.toOneCore === undefined ? '' : of((one) => one.toOneCore ?? 0, 2),
    ];
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}
