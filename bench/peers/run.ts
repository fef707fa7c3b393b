/**
 * Weir beside other gateways: `npm run bench:peers -- --litellm PATH`. All targets take turns within one run, and a gateway
 * that is not installed, does not start or answers wrongly is named in the report.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LoadResult } from '../load.ts';
import {
  alternate,
  busyStreams,
  concurrentRequests,
  cpuPerUnit,
  fullScale,
  quickScale,
  type Rounds,
  runLoad,
  warmUp,
} from '../measure.ts';
import { endAll } from '../processes.ts';
import { machine } from '../report.ts';
import { median } from '../statistics.ts';
import { nginxVersion, startNginx, startUpstream, startWeir, type Target } from '../targets.ts';
import { withBudgetAndLimits } from '../tokens.ts';
import { bifrost } from './bifrost.ts';
import { litellm } from './litellm.ts';
import { newApi } from './new-api.ts';
import type { Peer } from './peer.ts';
import { portkey } from './portkey.ts';
import { type PeerRow, peersMarkdown, peersTable } from './report.ts';

const peers: readonly Peer[] = [bifrost, newApi, litellm, portkey];
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    bifrost: { type: 'string' },
    'new-api': { type: 'string' },
    litellm: { type: 'string' },
    portkey: { type: 'string' },
  },
});
const scale = values.quick ? quickScale : fullScale;
/** A slow gateway gets as many requests as it answers within these times, but never fewer than the least. */
const warmUpSeconds = values.quick ? 2 : 15;
const roundSeconds = values.quick ? 1 : 3;
const requestsMin = 200;
const slowRate = 300;
/** A load that took so many times nginx's time did not run at its rate. */
const lateFactor = 1.2;

const say = (text: string): void => console.error(text);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

interface Started {
  readonly targets: Target[];
  readonly versions: Map<string, string>;
  /** What a reader must know beside the figures, each said once. */
  readonly remarks: Set<string>;
}

async function startPeers(upstreamPort: number): Promise<Started> {
  const started: Started = { targets: [], versions: new Map(), remarks: new Set() };
  for (const peer of peers) {
    const path = values[peer.option as keyof typeof values] ?? peer.find();
    if (typeof path !== 'string') {
      started.remarks.add(`${peer.name}: not found; \`--${peer.option} PATH\` gives its path.`);
      continue;
    }
    say(`starting ${peer.name}`);
    try {
      const { target, version } = await peer.start(path, upstreamPort);
      started.targets.push(target);
      started.versions.set(target.name, version);
    } catch (error) {
      say(`${peer.name} was not started: ${messageOf(error)}`);
      started.remarks.add(`${peer.name}: installed, but did not start.`);
    }
  }
  return started;
}

/** How many requests a target answers in a second, after some to begin with. */
async function speedOf(target: Target): Promise<number> {
  const load = { concurrency: concurrentRequests, requests: requestsMin };
  await runLoad('requests', target, load);
  const { elapsedMs, units } = await runLoad('requests', target, load);
  return (units / elapsedMs) * 1_000;
}

const within = (seconds: number, perSecond: number, most: number): number =>
  Math.round(Math.min(most, Math.max(requestsMin, seconds * perSecond)));

/** Returns how many requests a round has, by target; a target that does not answer requests is left out. */
async function warmUpPeers(started: Started): Promise<ReadonlyMap<string, number>> {
  const requests = new Map<string, number>();
  for (const target of started.targets) {
    say(`warming up ${target.name}`);
    try {
      const warmUpRequests = within(warmUpSeconds, await speedOf(target), scale.warmUpRequests);
      // A target whose streams fail shows that in its row.
      await warmUp([target], { ...scale, warmUpRequests }).catch(() => undefined);
      requests.set(target.name, within(roundSeconds, await speedOf(target), scale.requests));
    } catch (error) {
      started.remarks.add(`${messageOf(error)}.`);
      await target.stop();
    }
  }
  return requests;
}

interface Load {
  readonly what: string;
  /** Whether it has a timetable, which a slow target does not keep. */
  readonly isPaced: boolean;
  run(target: Target): Promise<LoadResult>;
}

async function measureRow(load: Load, targets: readonly Target[], remarks: Set<string>): Promise<PeerRow> {
  say(load.what);
  const elapsedMs: Rounds = new Map(targets.map(({ name }) => [name, []]));
  const timed = async (target: Target): Promise<LoadResult> => {
    const result = await load.run(target);
    elapsedMs.get(target.name)?.push(result.elapsedMs);
    return result;
  };
  const rounds = await alternate(targets, scale.rounds, async (target) => {
    try {
      return await cpuPerUnit(target, () => timed(target));
    } catch (error) {
      remarks.add(`${messageOf(error)}.`);
      return Number.NaN;
    }
  });
  // A busy machine delays nginx too.
  const plannedMs = median(elapsedMs.get('nginx') ?? []);
  for (const [name, each] of load.isPaced ? elapsedMs : [])
    if (median(each) > plannedMs * lateFactor)
      remarks.add(`${name}: did not keep up in “${load.what}”; its figure is that of a saturated process.`);
  return { what: load.what, rounds };
}

function loads(requests: ReadonlyMap<string, number>): readonly Load[] {
  const steady = { concurrency: concurrentRequests, rate: slowRate, seconds: scale.rateSeconds };
  const streams = { ...busyStreams, frames: scale.frames };
  return [
    {
      what: 'CPU per request',
      isPaced: false,
      run: (target) =>
        runLoad('requests', target, {
          concurrency: concurrentRequests,
          requests: requests.get(target.name) ?? requestsMin,
        }),
    },
    {
      what: 'CPU per streamed chunk, 5,000 chunks/s',
      isPaced: true,
      run: (target) => runLoad('streams', target, streams),
    },
    {
      what: `CPU per request at ${slowRate}/s`,
      isPaced: true,
      run: (target) => runLoad('rate', target, steady),
    },
  ];
}

async function main(): Promise<void> {
  const upstream = await startUpstream();
  const nginx = await startNginx(upstream.port);
  const weir = await startWeir(upstream.port);
  const limited = await withBudgetAndLimits(weir, 'Weir with budget and limits');
  const others = await startPeers(upstream.port);
  const started: Started = { ...others, targets: [nginx, weir, limited, ...others.targets] };
  const requests = await warmUpPeers(started);
  const targets = started.targets.filter(({ name }) => requests.has(name));
  const rows: PeerRow[] = [];
  for (const load of loads(requests)) rows.push(await measureRow(load, targets, started.remarks));
  const report = { rows, names: targets.map(({ name }) => name), versions: started.versions, remarks: started.remarks };
  console.log(`\n${peersTable(report)}`);
  if (values.quick) say('\nbench/PEERS.md is written by a full run only.');
  else
    writeFileSync(join(import.meta.dir, '../PEERS.md'), peersMarkdown(report, machine(nginxVersion()), scale.rounds));
  await Promise.all(others.targets.map((target) => target.stop()));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void endAll().then(() => process.exit(130)));
let exitCode = 1;
try {
  await main();
  exitCode = 0;
} catch (error) {
  console.error(`bench: ${messageOf(error)}`);
} finally {
  await endAll();
}
process.exit(exitCode);
