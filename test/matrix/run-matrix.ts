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
  /** Replies and events that were checked against the published schemas. */
  readonly validated: number;
  /** What the providers found wrong with requests, model first. */
  readonly refused: readonly string[];
  readonly requests: number;
  /** Of them, those that the provider was asked to stream. */
  readonly streamed: number;
}

/** Enough to keep two processors busy, few enough to read a log. */
const concurrentCells = 6;

/** `only` is a part of a cell's name, to look at one corner. */
export async function runMatrix(only = ''): Promise<MatrixRun> {
  const all = cellsOf().filter((cell) => nameOf(cell).includes(only));
  const providers = await startProviders(all.flatMap((cell) => namesakeOf(cell) ?? []));
  // A provider that is overloaded is not waited for: every cell is one request, or two where a tool is called.
  const weir = await startWeir({ yaml: { ...providers.yaml, clocks: { patience_ms: 0 } } });
  try {
    const waiting = [...all];
    const cells: CellResult[] = [];
    let validated = 0;
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
        const watch = watchReplies();
        const place = { url: weir.url, token: weir.token, model: modelOfCell(cell), fetch: watch.fetch };
        try {
          await runCell(cell, cell.caller.open(place));
          validated += await watch.validated();
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
    return { cells, validated, refused, requests: verdicts.length, streamed };
  } finally {
    await weir.remove();
    providers.stop();
  }
}

export function nameOf({ caller, provider, scene, stream }: Cell): string {
  return `${caller.name} (${caller.format}) → ${provider}, ${scene}, ${stream ? 'stream' : 'whole'}`;
}

function cellsOf(): Cell[] {
  return callers.flatMap((caller) =>
    providerNames.flatMap((provider) =>
      caller.scenes.flatMap((scene) => [false, true].map((stream): Cell => ({ caller, provider, scene, stream }))),
    ),
  );
}
