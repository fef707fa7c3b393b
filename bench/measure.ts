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
  rounds: 3,
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
const concurrentRequests = 32;
const concurrentStreams = 64;
const framePaceMs = 10;
const warmUpTurns = 3;
const requestsPerSecond = 300;
const restingPaceMs = 90_000;

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
  const words = [kind, '--port', `${target.port}`, '--token', benchToken];
  for (const [name, value] of Object.entries(options)) words.push(`--${name}`, `${value}`);
  return words;
}

async function cpuPerUnit(target: Target, load: () => Promise<LoadResult>): Promise<number> {
  const beforeMicros = cpuMicros(target.pids);
  const { units } = await load();
  await Bun.sleep(afterworkMs);
  return (cpuMicros(target.pids) - beforeMicros) / units;
}

/** Every other round runs in reverse: of two equal targets the first one cost some 10 % more. */
async function alternate(targets: readonly Target[], rounds: number, measure: (target: Target) => Promise<number>) {
  const figures: Rounds = new Map(targets.map((target) => [target.name, []]));
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
  const requests = scale.warmUpRequests / warmUpTurns;
  for (const target of targets) {
    for (let turn = 0; turn < warmUpTurns; turn += 1) {
      await runLoad('requests', target, { concurrency: concurrentRequests, requests });
      const streams = { concurrency: concurrentStreams, frames: scale.frames, 'pace-ms': framePaceMs };
      if (turn < warmUpTurns - 1) await runLoad('streams', target, streams);
    }
  }
}

/** CPU µs per non-streamed request. */
export function requestCost(targets: readonly Target[], scale: Scale): Promise<Rounds> {
  const options = { concurrency: concurrentRequests, requests: scale.requests };
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('requests', target, options)));
}

/** CPU µs per agent's request that is translated, its whole reply too. */
export async function translatedRequestCost(targets: readonly Target[], scale: Scale): Promise<Rounds> {
  const options = { concurrency: concurrentRequests, requests: scale.requests / 5, translated: 'agent' };
  for (const target of targets) await runLoad('requests', target, { ...options, requests: scale.requests });
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('requests', target, options)));
}

/** CPU µs per event of a stream whose events travel one by one; each stream's own request is spread over its events. */
export function chunkCost(targets: readonly Target[], scale: Scale): Promise<Rounds> {
  const options = { concurrency: concurrentStreams, frames: scale.frames, 'pace-ms': framePaceMs };
  return alternate(targets, scale.rounds, (target) => cpuPerUnit(target, () => runLoad('streams', target, options)));
}

/** CPU µs per event of streams that Weir translates, each beside nginx's forwarded chat event of the same round. */
export async function translatedCost(nginx: Target, weir: Target, scale: Scale): Promise<Map<string, Rounds>> {
  const plain = { concurrency: concurrentStreams, frames: scale.frames, 'pace-ms': framePaceMs };
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
  for (const name of names) await runLoad('streams', weir, { ...plain, translated: name });
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

/** Milliseconds that a target adds to the upstream's own latency, at a rate far below their limits. */
export async function addedLatency(upstream: Target, targets: readonly Target[], scale: Scale) {
  const options = { concurrency: 16, rate: requestsPerSecond, seconds: scale.rateSeconds };
  const p50: Rounds = new Map(targets.map((target) => [target.name, []]));
  const p99: Rounds = new Map(targets.map((target) => [target.name, []]));
  for (let round = 0; round < scale.rounds; round += 1) {
    const direct = (await runLoad('rate', upstream, options)).latenciesMs;
    for (const target of targets) {
      const { latenciesMs } = await runLoad('rate', target, options);
      p50.get(target.name)?.push(percentile(latenciesMs, 50) - percentile(direct, 50));
      p99.get(target.name)?.push(percentile(latenciesMs, 99) - percentile(direct, 99));
    }
  }
  return { p50, p99 };
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
