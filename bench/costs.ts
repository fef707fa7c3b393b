/** The rows of work: what requests, streamed chunks and large bodies cost, and how long requests take. */

import { type LargeFigures, largeBodies } from './large-bodies.ts';
import {
  addedTo,
  busyStreams,
  chunkCost,
  concurrentRequests,
  lightStreams,
  type Rounds,
  requestCost,
  type Scale,
  steadyCost,
  translatedCost,
  warmUp,
} from './measure.ts';
import { type Goal, type Row, row, rowOfRounds } from './report.ts';
import { startBareProxy, startNginx, startUpstream, startWeir, type Target } from './targets.ts';
import { withBudgetAndLimits } from './tokens.ts';

const budgeted = 'Weir with budget and limits';
const ratio = (max: number): Goal => ({ max, of: 'ratio' });
const figure = (max: number): Goal => ({ max, of: 'figure' });

interface Targets {
  readonly upstream: Target;
  readonly nginx: Target;
  readonly weir: Target;
  /** The process of `weir`, asked with another token. */
  readonly limited: Target;
  readonly bare: Target;
}

/** Starts all targets, measures every row and ends them. */
export async function measureCosts(scale: Scale, say: (text: string) => void): Promise<Row[]> {
  const upstream = await startUpstream();
  const nginx = await startNginx(upstream.port);
  const weir = await startWeir(upstream.port);
  const bare = await startBareProxy(upstream.port);
  const limited = await withBudgetAndLimits(weir, budgeted);
  const targets: Targets = { upstream, nginx, weir, limited, bare };
  say('warming up');
  await warmUp([nginx, weir, limited, bare], scale);
  const rows = [
    ...(await requestRows(targets, scale, say)),
    ...(await chunkRows(targets, scale, say)),
    ...(await translatedRows(targets, scale, say)),
  ];
  say('large bodies');
  rows.push(...largeRows(await largeBodies(nginx, weir, scale.rounds)));
  await Promise.all([nginx, weir, bare].map((target) => target.stop()));
  await upstream.stop();
  return rows;
}

async function requestRows(targets: Targets, scale: Scale, say: (text: string) => void): Promise<Row[]> {
  const { upstream, nginx, weir, limited, bare } = targets;
  say('CPU per request');
  const full = await requestCost([nginx, weir, limited, bare], scale);
  say('300 requests/s');
  const slow = await steadyCost([upstream, nginx, weir, limited, bare], 300, scale);
  say('1,000 requests/s');
  const steady = await steadyCost([upstream, nginx, weir, limited], 1_000, scale);
  const withBudget = { of: budgeted };
  const direct = { to: upstream.name, base: 'no gateway' };
  const saturated = `latency at saturation (${concurrentRequests} in flight), p99`;
  return [
    rowOfRounds('CPU per request', 'µs', full.cpu, ratio(4)),
    rowOfRounds('CPU per request, budget and limits', 'µs', full.cpu, ratio(4.8), withBudget),
    rowOfRounds('CPU per request at 300/s', 'µs', slow.cpu, ratio(4)),
    rowOfRounds('CPU per request at 300/s, budget and limits', 'µs', slow.cpu, ratio(4), withBudget),
    rowOfRounds('CPU per request at 300/s, budget and limits over plain', 'µs', slow.cpu, ratio(1.2), {
      ...withBudget,
      to: weir.name,
      base: 'plain Weir',
    }),
    rowOfRounds('added latency at 300 requests/s, p50', 'ms', addedTo(upstream.name, slow.p50)),
    rowOfRounds('added latency at 300 requests/s, p99', 'ms', addedTo(upstream.name, slow.p99)),
    rowOfRounds('latency at 1,000 requests/s, p99', 'ms', steady.p99, figure(2), direct),
    rowOfRounds('latency at 1,000 requests/s, p99, budget and limits', 'ms', steady.p99, figure(2), {
      ...withBudget,
      ...direct,
    }),
    rowOfRounds(saturated, 'ms', full.p99, figure(12)),
    rowOfRounds(`${saturated}, budget and limits`, 'ms', full.p99, figure(12), withBudget),
  ];
}

async function chunkRows(targets: Targets, scale: Scale, say: (text: string) => void): Promise<Row[]> {
  const { nginx, weir, bare } = targets;
  say('CPU per streamed chunk');
  const busy = await chunkCost([nginx, weir, bare], scale, busyStreams);
  const light = await chunkCost([nginx, weir, bare], scale, lightStreams);
  return [
    rowOfRounds('CPU per streamed chunk, 5,000 chunks/s', 'µs', busy, ratio(1.8)),
    rowOfRounds('CPU per streamed chunk, 1,000 chunks/s', 'µs', light, ratio(2)),
  ];
}

const translatedNames: Readonly<Record<string, string>> = {
  'chat-messages': 'chat → messages',
  'responses-generate': 'responses → content generation',
};

async function translatedRows(targets: Targets, scale: Scale, say: (text: string) => void): Promise<Row[]> {
  const { nginx, weir } = targets;
  say('CPU per translated chunk');
  const busy = await translatedCost(nginx, weir, scale, busyStreams);
  const light = await translatedCost(nginx, weir, scale, lightStreams);
  const rows = (figures: ReadonlyMap<string, Rounds>, load: string) =>
    [...figures].map(([name, rounds]) => {
      const what = `CPU per translated chunk, ${translatedNames[name] ?? name}, ${load}`;
      return rowOfRounds(what, 'µs', rounds, ratio(2.2));
    });
  return [...rows(busy, '5,000 chunks/s'), ...rows(light, '1,000 chunks/s')];
}

function largeRows({ upload, speech, uploadGrowth, speechGrowth }: LargeFigures): Row[] {
  const growth = (what: string, megabytes: number) =>
    row(what, 'MB', { weir: megabytes, nginx: 0, bare: undefined, ratio: 0, goal: figure(32), base: 'none' });
  return [
    rowOfRounds('CPU per 10 MB transcription upload', 'ms', upload, ratio(1.5)),
    rowOfRounds('CPU per 5 MB speech', 'ms', speech, ratio(2)),
    growth('memory grown by the upload', uploadGrowth),
    growth('memory grown by the speech', speechGrowth),
  ];
}
