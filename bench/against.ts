/**
 * Compares this checkout with another one, alternating within one run: `npm run bench -- --against ../weir-before`. A
 * machine that is slow today is slow for both, so the ratio shows the cost of a change, which two runs on two days do
 * not.
 */

import { join } from 'node:path';
import {
  chunkCost,
  coldStart,
  fullScale,
  inTurn,
  type Rounds,
  requestCost,
  type Scale,
  translatedCost,
  translatedRequestCost,
  warmUp,
} from './measure.ts';
import { median, medianRatio, pairSums } from './statistics.ts';
import { startNginx, startUpstream, startWeir, type Target, type WeirProgram, weirBySource } from './targets.ts';

/** Many rounds are more precise than long ones: the machine varies, not the program. */
const manyRounds = 20;

interface Compared {
  readonly what: string;
  readonly here: readonly number[];
  readonly there: readonly number[];
}

export async function compare(folder: string, given: Scale): Promise<string> {
  const scale = { ...given, rounds: given === fullScale ? manyRounds : given.rounds };
  const other: WeirProgram = [process.execPath, join(folder, 'src/main.ts')];
  const upstream = await startUpstream();
  const nginx = await startNginx(upstream.port);
  const here: Target = { ...(await startWeir(upstream.port, weirBySource)), name: 'here' };
  const there: Target = { ...(await startWeir(upstream.port, other)), name: 'there' };
  await warmUp([here, there], scale);
  const compared = [
    pair('CPU per request', await requestCost([here, there], scale)),
    pair('CPU per streamed chunk', await chunkCost([here, there], scale)),
    pair('CPU per translated request of an agent', await translatedRequestCost([here, there], scale)),
    ...(await translated(nginx, here, there, scale)),
  ];
  await Promise.all([nginx, here, there].map((target) => target.stop()));
  compared.push(await coldStarts(upstream.port, other, scale));
  await upstream.stop();
  return compared.map(lineOf).join('\n');
}

const pair = (what: string, figures: Rounds): Compared => ({
  what,
  here: figures.get('here') ?? [],
  there: figures.get('there') ?? [],
});

async function translated(nginx: Target, here: Target, there: Target, scale: Scale): Promise<Compared[]> {
  const found = new Map<string, { here: number[]; there: number[] }>();
  for (let round = 0; round < scale.rounds / 2; round += 1) {
    for (const target of inTurn([here, there], round)) {
      for (const [name, figures] of await translatedCost(nginx, target, { ...scale, rounds: 1 })) {
        const both = found.get(name) ?? { here: [], there: [] };
        both[target === here ? 'here' : 'there'].push(...(figures.get('Weir') ?? []));
        found.set(name, both);
      }
    }
  }
  return [...found].map(([name, both]) => ({ what: `CPU per translated chunk, ${name}`, ...both }));
}

async function coldStarts(port: number, other: WeirProgram, scale: Scale): Promise<Compared> {
  const found = { here: [] as number[], there: [] as number[] };
  const programs = [
    [found.here, weirBySource],
    [found.there, other],
  ] as const;
  for (let round = 0; round < 4; round += 1) {
    for (const [figures, program] of inTurn(programs, round)) {
      figures.push(await coldStart(() => startWeir(port, program), scale));
    }
  }
  return { what: 'cold start, ms', ...found };
}

function lineOf({ what, here, there }: Compared): string {
  // Two rounds together hold each order once.
  const change = (medianRatio(pairSums(here), pairSums(there)) - 1) * 100;
  const sign = change < 0 ? '' : '+';
  return `${what.padEnd(52)} ${median(here).toFixed(1).padStart(8)} ${median(there).toFixed(1).padStart(8)}  ${sign}${change.toFixed(1)} %`;
}
