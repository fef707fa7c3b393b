/**
 * The measurements: each puts the same load on every target in turn, round after round, so that all have the same
 * conditions.
 */

import { join } from 'node:path';
import type { LoadResult } from './load.ts';
import { cpuMicros, end, firstLine, residentMegabytes, startScript } from './processes.ts';
import { median, percentile } from './statistics.ts';
import { benchToken, coldStartMs, type Target } from './targets.ts';
import { translatedRequests } from './wire-bytes.ts';

/** Figures of every target, one per round, in the order of the rounds. */
export type Rounds = Map<string, number[]>;

/** How much work one run does; `quick` is for machines that only check that the bench works. */
export interface Scale {
  readonly rounds: number;
  /** Until the compiler has settled: its threads' work on a fresh process would count as cost of requests. */
  readonly warmUpRequests: number;
  readonly requests: number;
  readonly frames: number;
  readonly rateSeconds: number;
  readonly idleStreams: number;
  readonly coldStarts: number;
}

export const fullScale: Scale = {
  rounds: 5,
  warmUpRequests: 120_000,
  requests: 10_000,
  frames: 200,
  rateSeconds: 3,
  idleStreams: 1_000,
  coldStarts: 5,
};
export const quickScale: Scale = {
  rounds: 2,
  warmUpRequests: 15_000,
  requests: 5_000,
  frames: 60,
  rateSeconds: 1,
  idleStreams: 1_000,
  coldStarts: 3,
};

const loadScript = join(import.meta.dir, 'load.ts');
/** Work that a proxy does after its reply (a ledger's commit) belongs to the request and is waited for. */
const afterworkMs = 300;
/** How many requests are in flight at full speed. */
export const concurrentRequests = 32;
/** At a steady rate: enough that a pause of some 30 ms opens no further connection. */
const steadyConnections = 32;
const warmUpTurns = 3;
const streamWarmUpRuns = 5;
const restingPaceMs = 90_000;

/** How many streams run at once, and how long each pauses between two frames. */
export interface StreamLoad {
  readonly concurrency: number;
  readonly 'pace-ms': number;
}

/** 5,000 chunks a second: a read often finds several of them. */
export const busyStreams: StreamLoad = { concurrency: 50, 'pace-ms': 10 };
/** 1,000 chunks a second: each is paid with a wake-up of its own. */
export const lightStreams: StreamLoad = { concurrency: 10, 'pace-ms': 10 };

type LoadOptions = Readonly<Record<string, number | string>>;

/** Runs one load to its end; a wrong or truncated reply fails the whole bench. */
export async function runLoad(kind: string, target: Target, options: LoadOptions): Promise<LoadResult> {
  const child = startScript(loadScript, loadWords(kind, target, options));
  const result = await firstLine<LoadResult>(child);
  await child.exited;
  if (result.failures > 0) {
    throw new Error(
      `${target.name}: ${result.failures} of ${result.units} replies of the ${kind} load were wrong or cut`,
    );
  }
  return result;
}

function loadWords(kind: string, target: Target, options: LoadOptions): string[] {
  const words = [kind, '--port', `${target.port}`, '--token', target.token ?? benchToken];
  if (target.model !== undefined) words.push('--model', target.model);
  if (target.headers !== undefined) words.push('--headers', JSON.stringify(target.headers));
  if (target.rewrites === true) words.push('--rewritten');
  for (const [name, value] of Object.entries(options)) words.push(`--${name}`, `${value}`);
  return words;
}

/** CPU µs of a target per unit of a load, with the work that it does after its last reply. */
export async function cpuPerUnit(target: Target, load: () => Promise<LoadResult>): Promise<number> {
  const beforeMicros = cpuMicros(target.pids);
  const { units } = await load();
  await Bun.sleep(afterworkMs);
  return (cpuMicros(target.pids) - beforeMicros) / units;
}

const noRounds = (targets: readonly Target[]): Rounds => new Map(targets.map((target) => [target.name, []]));

/** Every other round runs in reverse: of two equal targets the first one cost some 10 % more. */
export async function alternate(
  targets: readonly Target[],
  rounds: number,
  measure: (target: Target) => Promise<number>,
): Promise<Rounds> {
  const figures = noRounds(targets);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of inTurn(targets, round)) figures.get(target.name)?.push(await measure(target));
  }
  return figures;
}

export function inTurn<Item>(items: readonly Item[], round: number): readonly Item[] {
  return round % 2 === 0 ? items : items.toReversed();
}

/**
 * Warms up every target's compiled code and connections. Requests and streams alternate, because code that was
 * compiled for one of them is compiled again for the other: an operator's server has seen both.
 */
export async function warmUp(targets: readonly Target[], scale: Scale): Promise<void> {
  const requests = Math.ceil(scale.warmUpRequests / warmUpTurns);
  for (const target of targets) {
    for (let turn = 0; turn < warmUpTurns; turn += 1) {
      await runLoad('requests', target, { concurrency: concurrentRequests, requests });
      const streams = { ...busyStreams, frames: scale.frames };
      if (turn < warmUpTurns - 1) await runLoad('streams', target, streams);
    }
  }
}

/** CPU µs per non-streamed request at full speed, and the latency that 99 of 100 requests do not exceed. */
export async function requestCost(targets: readonly Target[], scale: Scale): Promise<{ cpu: Rounds; p99: Rounds }> {
  const options = { concurrency: concurrentRequests, requests: scale.requests };
  const p99 = noRounds(targets);
  const load = async (target: Target): Promise<LoadResult> => {
    const result = await runLoad('requests', target, options);
    p99.get(target.name)?.push(percentile(result.latenciesMs, 99));
    return result;
  };
  return { cpu: await alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => load(target))), p99 };
}

/** CPU µs per request and latencies in ms at a steady rate, which leaves targets idle between requests. */
export async function steadyCost(
  targets: readonly Target[],
  perSecond: number,
  scale: Scale,
): Promise<{ cpu: Rounds; p50: Rounds; p99: Rounds }> {
  const options = { concurrency: steadyConnections, rate: perSecond, seconds: scale.rateSeconds };
  const p50 = noRounds(targets);
  const p99 = noRounds(targets);
  const load = async (target: Target): Promise<LoadResult> => {
    const result = await runLoad('rate', target, options);
    p50.get(target.name)?.push(percentile(result.latenciesMs, 50));
    p99.get(target.name)?.push(percentile(result.latenciesMs, 99));
    return result;
  };
  return { cpu: await alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => load(target))), p50, p99 };
}

/** What every target adds to the figures of one of them, round by round. */
export function addedTo(base: string, figures: Rounds): Rounds {
  const own = figures.get(base) ?? [];
  return new Map(
    [...figures].map(([name, each]) => [name, each.map((figure, round) => figure - (own[round] ?? Number.NaN))]),
  );
}

/** CPU µs per agent's request that is translated, its whole reply too. */
export async function translatedRequestCost(targets: readonly Target[], scale: Scale): Promise<Rounds> {
  const options = { concurrency: concurrentRequests, requests: scale.requests / 5, translated: 'agent' };
  for (const target of targets) await runLoad('requests', target, { ...options, requests: scale.requests });
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('requests', target, options)));
}

/** As many runs as it takes until nearly nothing is compiled any more, as on a server that had such streams for half a minute. */
async function warmUpStreams(targets: readonly Target[], options: LoadOptions): Promise<void> {
  for (const target of targets) {
    for (let run = 0; run < streamWarmUpRuns; run += 1) await runLoad('streams', target, options);
  }
}

/** CPU µs per event of a stream whose events travel one by one; each stream's own request is spread over its events. */
export async function chunkCost(targets: readonly Target[], scale: Scale, streams: StreamLoad): Promise<Rounds> {
  const options = { ...streams, frames: scale.frames };
  await warmUpStreams(targets, options);
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('streams', target, options)));
}

/** CPU µs per event of streams that the targets translate. */
export async function translatedChunkCost(
  targets: readonly Target[],
  name: string,
  scale: Scale,
  streams: StreamLoad,
): Promise<Rounds> {
  const options = { ...streams, frames: scale.frames, translated: name };
  await warmUpStreams(targets, options);
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('streams', target, options)));
}

/** The same of Weir alone, each beside nginx's forwarded chat event of the same round. */
export async function translatedCost(
  nginx: Target,
  weir: Target,
  scale: Scale,
  streams: StreamLoad,
): Promise<Map<string, Rounds>> {
  const plain = { ...streams, frames: scale.frames };
  const names = Object.keys(translatedRequests);
  const figures = new Map(
    names.map((name): [string, Rounds] => [
      name,
      new Map([
        ['Weir', []],
        ['nginx', []],
      ]),
    ]),
  );
  for (const name of names) await warmUpStreams([weir], { ...plain, translated: name });
  for (let round = 0; round < scale.rounds; round += 1) {
    const forwarded = await cpuPerUnit(nginx, () => runLoad('streams', nginx, plain));
    for (const name of names) {
      const spent = await cpuPerUnit(weir, () => runLoad('streams', weir, { ...plain, translated: name }));
      figures.get(name)?.get('Weir')?.push(spent);
      figures.get(name)?.get('nginx')?.push(forwarded);
    }
  }
  return figures;
}

/** Resident MB of a freshly started target while it holds streams that have begun and are now idle. */
export async function idleMemory(begin: () => Promise<Target>, scale: Scale): Promise<number> {
  const target = await begin();
  const options = { concurrency: scale.idleStreams, frames: 10, 'pace-ms': restingPaceMs };
  const child = startScript(loadScript, loadWords('idle', target, options));
  try {
    const { failures } = await firstLine<LoadResult>(child);
    if (failures > 0) throw new Error(`${target.name}: ${failures} of ${scale.idleStreams} idle streams did not begin`);
    await Bun.sleep(1_000);
    return residentMegabytes(target.pids);
  } finally {
    await end(child);
    await target.stop();
  }
}

/** Median milliseconds from spawning to the first 200 of `/healthz`, with an empty data folder each time. */
export async function coldStart(begin: () => Promise<Target>, scale: Scale): Promise<number> {
  const samples: number[] = [];
  for (let index = 0; index < scale.coldStarts; index += 1) samples.push(await coldStartMs(begin));
  return median(samples);
}
