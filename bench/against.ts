/**
 * Compares this checkout with another one, alternating within one run: `npm run bench -- --against ../weir-before`. A
 * machine that is slow today is slow for both, so the ratio shows the cost of a change, which two runs on two days do
 * not.
 */

import { resolve } from 'node:path';
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
  steadyCost,
  translatedChunkCost,
  translatedRequestCost,
  warmUp,
} from './measure.ts';
import { median, middleMean, sum } from './statistics.ts';
import { programOf, startUpstream, startWeir, type Target, type WeirProgram, weirOfHere } from './targets.ts';
import { withBudgetAndLimits } from './tokens.ts';
import { translatedRequests } from './wire-bytes.ts';

/**
 * Two processes of the same code differ by up to a tenth for as long as they live, because each is compiled while it
 * runs. So many pairs of processes are compared, each in few rounds; an even number of them holds each order equally often.
 */
const roundsOfPair = 2;
/** Of each process and token: most of what is compiled is compiled by then, and both sides have the same. */
const warmUpRequests = 75_000;
const coldStartRow = 'cold start, ms';

/** What one pair of processes took. */
interface Compared {
  readonly what: string;
  readonly here: readonly number[];
  readonly there: readonly number[];
}

/** Rows whose name contains `only`. */
export async function compare(folder: string, given: Scale, only: string, fullPairs: number): Promise<string> {
  const isFull = given === fullScale;
  const scale = isFull ? { ...given, rounds: roundsOfPair, warmUpRequests } : { ...given, rounds: roundsOfPair };
  const other = await programOf(resolve(folder));
  console.error(`The other Weir starts from ${other.origin}.`);
  const upstream = await startUpstream();
  const compared: Compared[] = [];
  const pairs = isFull ? fullPairs : 1;
  for (let index = 1; index <= pairs; index += 1) {
    compared.push(...(await comparePair(upstream.port, other, scale, only)));
    console.error(`${index} of ${pairs} pairs of processes`);
  }
  if (coldStartRow.includes(only)) compared.push(await coldStarts(upstream.port, other, scale));
  await upstream.stop();
  return [...Map.groupBy(compared, ({ what }) => what).values()].map(lineOf).join('\n');
}

interface PairRow {
  readonly what: string;
  measure(): Promise<Rounds>;
}

async function comparePair(port: number, other: WeirProgram, scale: Scale, only: string): Promise<Compared[]> {
  const here: Target = { ...(await startWeir(port, weirOfHere)), name: 'here' };
  const there: Target = { ...(await startWeir(port, other)), name: 'there' };
  const plain = [here, there];
  const limited = [await withBudgetAndLimits(here, 'here'), await withBudgetAndLimits(there, 'there', other)];
  const rows = [
    ...rowsOf(plain, '', scale),
    ...rowsOf(limited, ', budget and limits', scale),
    ...streamRows(plain, scale),
  ].filter(({ what }) => what.includes(only));
  await warmUp([...plain, ...limited], scale);
  const compared: Compared[] = [];
  for (const { what, measure } of rows) {
    const figures = await measure();
    compared.push({ what, here: figures.get('here') ?? [], there: figures.get('there') ?? [] });
  }
  await Promise.all(plain.map((target) => target.stop()));
  return compared;
}

/** Figures that vary most from round to round get more rounds. */
const more = (scale: Scale): Scale => ({ ...scale, rounds: 2 * scale.rounds });

function rowsOf(targets: readonly Target[], what: string, scale: Scale): PairRow[] {
  return [
    { what: `CPU per request${what}`, measure: async () => (await requestCost(targets, scale)).cpu },
    { what: `CPU per request at 300/s${what}`, measure: async () => (await steadyCost(targets, 300, scale)).cpu },
    {
      what: `p99 at 1,000 requests/s${what}, ms`,
      measure: async () => (await steadyCost(targets, 1_000, more(scale))).p99,
    },
  ];
}

function streamRows(targets: readonly Target[], scale: Scale): PairRow[] {
  const loads = Object.entries({ '5,000': busyStreams, '1,000': lightStreams });
  const forwarded = loads.map(([load, streams]) => ({
    what: `CPU per streamed chunk, ${load} chunks/s`,
    measure: () => chunkCost(targets, more(scale), streams),
  }));
  const translated = loads.flatMap(([load, streams]) =>
    Object.keys(translatedRequests).map((name) => ({
      what: `CPU per translated chunk, ${name}, ${load}/s`,
      measure: () => translatedChunkCost(targets, name, more(scale), streams),
    })),
  );
  const agent = {
    what: 'CPU per translated request of an agent',
    measure: () => translatedRequestCost(targets, scale),
  };
  return [...forwarded, agent, ...translated];
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
  return { what: coldStartRow, ...found };
}

/** The mean change of the middle half of the pairs of processes, and the least and the greatest change of a pair. */
function lineOf(pairs: readonly Compared[]): string {
  const changes = pairs.map(({ here, there }) => (sum(here) / sum(there) - 1) * 100);
  const shown = (change: number): string => `${change < 0 ? '' : '+'}${change.toFixed(1)}`;
  const range = pairs.length > 1 ? ` (${shown(Math.min(...changes))} to ${shown(Math.max(...changes))})` : '';
  const medianOf = (side: 'here' | 'there'): string =>
    median(pairs.flatMap((one) => one[side]))
      .toFixed(1)
      .padStart(8);
  const what = pairs[0]?.what ?? '';
  return `${what.padEnd(56)} ${medianOf('here')} ${medianOf('there')}  ${shown(middleMean(changes))} %${range}`;
}
