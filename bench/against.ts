/**
 * Compares this checkout with another one, alternating within one run: `npm run bench -- --against ../weir-before`. A
 * machine that is slow today is slow for both, so the ratio shows the cost of a change, which two runs on two days do
 * not.
 */

import {
  busyStreams,
  chunkCost,
  coldStart,
  fullScale,
  inTurn,
  lightStreams,
  type Rounds,
  requestCost,
  type Scale,
  type StreamLoad,
  steadyCost,
  translatedCost,
  translatedRequestCost,
  warmUp,
} from './measure.ts';
import { median, medianRatio, pairSums } from './statistics.ts';
import {
  programOf,
  startNginx,
  startUpstream,
  startWeir,
  type Target,
  type WeirProgram,
  weirOfHere,
} from './targets.ts';
import { withBudgetAndLimits } from './tokens.ts';

/**
 * Two processes of the same code differ by several percent for as long as they live, because each is compiled while it
 * runs. So several pairs of processes are compared, each in an even number of rounds.
 */
const manyPairs = 5;
const roundsOfPair = 4;

/** What one pair of processes took. */
interface Compared {
  readonly what: string;
  readonly here: readonly number[];
  readonly there: readonly number[];
}

export async function compare(folder: string, given: Scale): Promise<string> {
  const isFull = given === fullScale;
  const scale = { ...given, rounds: isFull ? roundsOfPair : 2 };
  const other = programOf(folder);
  const upstream = await startUpstream();
  const nginx = await startNginx(upstream.port);
  const compared: Compared[] = [];
  for (let index = 0; index < (isFull ? manyPairs : 1); index += 1)
    compared.push(...(await comparePair(upstream.port, nginx, other, scale)));
  await nginx.stop();
  compared.push(await coldStarts(upstream.port, other, scale));
  await upstream.stop();
  return [...Map.groupBy(compared, ({ what }) => what).values()].map(lineOf).join('\n');
}

async function comparePair(port: number, nginx: Target, other: WeirProgram, scale: Scale): Promise<Compared[]> {
  const here: Target = { ...(await startWeir(port, weirOfHere)), name: 'here' };
  const there: Target = { ...(await startWeir(port, other)), name: 'there' };
  const limitedHere = await withBudgetAndLimits(here, 'here');
  const limitedThere = await withBudgetAndLimits(there, 'there', other);
  const plain = [here, there];
  const limited = [limitedHere, limitedThere];
  await warmUp([...plain, ...limited], scale);
  const compared = [
    pair('CPU per request', (await requestCost(plain, scale)).cpu),
    pair('CPU per request, budget and limits', (await requestCost(limited, scale)).cpu),
    pair('CPU per request at 300/s', (await steadyCost(plain, 300, scale)).cpu),
    pair('CPU per request at 300/s, budget and limits', (await steadyCost(limited, 300, scale)).cpu),
    pair('p99 at 1,000 requests/s, ms', (await steadyCost(plain, 1_000, scale)).p99),
    pair('p99 at 1,000 requests/s, budget and limits, ms', (await steadyCost(limited, 1_000, scale)).p99),
    pair('CPU per streamed chunk, 5,000 chunks/s', await chunkCost(plain, scale, busyStreams)),
    pair('CPU per streamed chunk, 1,000 chunks/s', await chunkCost(plain, scale, lightStreams)),
    pair('CPU per translated request of an agent', await translatedRequestCost(plain, scale)),
    ...(await translated(nginx, here, there, { scale, streams: busyStreams, load: '5,000/s' })),
    ...(await translated(nginx, here, there, { scale, streams: lightStreams, load: '1,000/s' })),
  ];
  await Promise.all([here, there].map((target) => target.stop()));
  return compared;
}

const pair = (what: string, figures: Rounds): Compared => ({
  what,
  here: figures.get('here') ?? [],
  there: figures.get('there') ?? [],
});

interface TranslatedLoad {
  readonly scale: Scale;
  readonly streams: StreamLoad;
  readonly load: string;
}

async function translated(
  nginx: Target,
  here: Target,
  there: Target,
  { scale, streams, load }: TranslatedLoad,
): Promise<Compared[]> {
  const found = new Map<string, { here: number[]; there: number[] }>();
  for (let round = 0; round < Math.max(2, scale.rounds / 2); round += 1) {
    for (const target of inTurn([here, there], round)) {
      for (const [name, figures] of await translatedCost(nginx, target, { ...scale, rounds: 1 }, streams)) {
        const both = found.get(name) ?? { here: [], there: [] };
        both[target === here ? 'here' : 'there'].push(...(figures.get('Weir') ?? []));
        found.set(name, both);
      }
    }
  }
  return [...found].map(([name, both]) => ({ what: `CPU per translated chunk, ${name}, ${load}`, ...both }));
}

async function coldStarts(port: number, other: WeirProgram, scale: Scale): Promise<Compared> {
  const found = { here: [] as number[], there: [] as number[] };
  const programs = [
    [found.here, weirOfHere],
    [found.there, other],
  ] as const;
  for (let round = 0; round < 4; round += 1) {
    for (const [figures, program] of inTurn(programs, round)) {
      figures.push(await coldStart(() => startWeir(port, program), scale));
    }
  }
  return { what: 'cold start, ms', ...found };
}

/** The median of the pairs' changes, and the least and the greatest of them. */
function lineOf(pairs: readonly Compared[]): string {
  // Two rounds together hold each order once.
  const changes = pairs.map(({ here, there }) => (medianRatio(pairSums(here), pairSums(there)) - 1) * 100);
  const shown = (change: number): string => `${change < 0 ? '' : '+'}${change.toFixed(1)}`;
  const range = pairs.length > 1 ? ` (${shown(Math.min(...changes))} to ${shown(Math.max(...changes))})` : '';
  const medianOf = (side: 'here' | 'there'): string =>
    median(pairs.flatMap((one) => one[side]))
      .toFixed(1)
      .padStart(8);
  const what = pairs[0]?.what ?? '';
  return `${what.padEnd(56)} ${medianOf('here')} ${medianOf('there')}  ${shown(median(changes))} %${range}`;
}
