/** Runs the whole matrix against one Weir process and the four scripted providers. */

import type { SceneName } from '../fake-upstream/wire/scenes.ts';
import { type ProviderName, providerNames, startProviders } from '../fake-upstream/wire/start-all.ts';
import { startWeir } from '../harness/weir.ts';
import type { Caller } from './caller.ts';
import { type Cell, callers, modelOfCell, namesakeOf, runCell } from './cells.ts';
import { watchReplies } from './watch-replies.ts';

export interface CellResult {
  readonly caller: Caller;
  readonly provider: ProviderName;
  readonly scene: SceneName;
  readonly stream: boolean;
  /** Absent where the cell passed. */
  readonly failure?: string;
}

export interface MatrixRun {
  readonly cells: readonly CellResult[];
  /** Replies that a cell checked itself; those of a client without a `fetch` of its own are observed. */
  readonly judged: number;
  /** What the providers found wrong with requests, model first. */
  readonly refused: readonly string[];
  readonly requests: number;
  /** Of them, those that the provider was asked to stream. */
  readonly streamed: number;
}

/** Enough to keep two processors busy, few enough to read a log. */
const concurrentCells = 6;

export async function runMatrix(all: readonly Cell[]): Promise<MatrixRun> {
  const providers = await startProviders(all.flatMap((cell) => namesakeOf(cell) ?? []));
  // A provider that is overloaded is not waited for: every cell is one request, or two where a tool is called.
  const weir = await startWeir({ yaml: { ...providers.yaml, clocks: { patience_ms: 0 } }, holders: 'two' });
  try {
    const waiting = [...all];
    const cells: CellResult[] = [];
    let judged = 0;
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
        const watch = watchReplies();
        const place = { url: weir.url, token: weir.token, model: modelOfCell(cell), fetch: watch.fetch };
        try {
          await runCell(cell, cell.caller.open(place));
          judged += watch.judged();
          cells.push(cell);
        } catch (error) {
          cells.push({ ...cell, failure: error instanceof Error ? error.message : JSON.stringify(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: concurrentCells }, work));
    const verdicts = providerNames.flatMap((name) =>
      providers.byName[name].verdicts.map((verdict) => ({ ...verdict, name })),
    );
    const refused = verdicts.flatMap(({ name, model, wrong }) =>
      wrong === undefined ? [] : [`${name}/${model}: ${wrong}`],
    );
    const streamed = verdicts.filter(({ stream }) => stream).length;
    return { cells, judged, refused, requests: verdicts.length, streamed };
  } finally {
    await weir.remove();
    providers.stop();
  }
}

export function nameOf({ caller, provider, scene, stream }: Cell): string {
  return `${caller.name} (${caller.format}) → ${provider}, ${scene}, ${stream ? 'stream' : 'whole'}`;
}

/**
 * Those that are run outside the soak: each client plays each scene at each provider in one manner of reply, and those of one
 * format take turns, so that each scene is played in both between any two formats.
 */
export function usualCells(): Cell[] {
  return everyCell().filter(({ caller, provider, scene, stream }) => {
    const kin = callers.filter(({ format }) => format === caller.format);
    const turn = kin.indexOf(caller) + caller.scenes.indexOf(scene) + providerNames.indexOf(provider);
    return kin.length === 1 || stream === (turn % 2 === 0);
  });
}

export function everyCell(): Cell[] {
  return callers.flatMap((caller) =>
    providerNames.flatMap((provider) =>
      caller.scenes.flatMap((scene) => [false, true].map((stream): Cell => ({ caller, provider, scene, stream }))),
    ),
  );
}
