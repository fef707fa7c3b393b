/** The bench: starts everything, measures Weir against nginx within one run, and reports which goals were reached. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCosts } from './costs.ts';
import { coldStart, fullScale, idleMemory, quickScale } from './measure.ts';
import { endAll, firstLine, startScript } from './processes.ts';
import { machine, markdown, type Row, row, terminalTable } from './report.ts';
import type { RoutingFigures } from './routing-cost.ts';
import { median, medianRatio } from './statistics.ts';
import {
  buildExecutable,
  nginxVersion,
  startBareProxy,
  startNginx,
  startUpstream,
  startWeir,
  weirByLauncher,
  weirOfHere,
} from './targets.ts';
import type { RequestFigures } from './translate-request.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    assert: { type: 'boolean', default: false },
    against: { type: 'string' },
    /** Of processes that `against` compares; small differences need many. */
    pairs: { type: 'string' },
    /** Only the console's sums over a million requests. */
    usage: { type: 'boolean', default: false },
    /** Only databases, budgets and replicas. */
    fleet: { type: 'boolean', default: false },
    /** Of those, only setups whose name contains this; with `against`, only such rows. */
    only: { type: 'string', default: '' },
    /** Of `fleet`; 3 otherwise. */
    rounds: { type: 'string' },
    /** Only what batches of the ledger cost by their size. */
    batches: { type: 'boolean', default: false },
    /** Only what telemetry costs; `only` names one of its setups. */
    telemetry: { type: 'boolean', default: false },
    /** Only what budgets on several levels cost. */
    levels: { type: 'boolean', default: false },
    /** Only predictions for fleets; lists are separated by commas. */
    simulate: { type: 'boolean', default: false },
    /** Predictions for what was measured, beside the measured figures. */
    check: { type: 'boolean', default: false },
    replicas: { type: 'string', default: '10' },
    'round-trip-ms': { type: 'string', default: '0.5' },
    budgets: { type: 'string', default: '64' },
    /** Requests a second of each replica, or clients of each that wait for their replies. */
    rate: { type: 'string', default: '100' },
    clients: { type: 'string' },
    /** Whether limits are counted in Redis. */
    limits: { type: 'boolean', default: false },
    /** Whether all requests of a token go to one replica. */
    sticky: { type: 'boolean', default: false },
    'database-cores': { type: 'string', default: '8' },
    'database-connections': { type: 'string', default: '100' },
    seconds: { type: 'string', default: '3' },
  },
});
const scale = values.quick ? quickScale : fullScale;

function say(text: string): void {
  // Progress stays off standard output, which holds only the result.
  console.error(text);
}

/** A whole number above 0. */
function count(option: 'pairs' | 'rounds', otherwise: number): number {
  const given = values[option];
  const number = given === undefined ? otherwise : Number(given);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${option} is a whole number above 0, not "${given}".`);
  return number;
}

/** In its own process, as a gateway is: its memory holds nothing else. */
async function requestRow(): Promise<Row> {
  say('translated request');
  const child = startScript(join(import.meta.dir, 'translate-request.ts'), []);
  const { parseMicros, translateMicros, bytes } = await firstLine<RequestFigures>(child);
  const what = `translated request of ${Math.round(bytes / 1024)} KB, parsing included`;
  const figures = { weir: median(translateMicros), nginx: median(parseMicros), bare: undefined };
  const ratio = medianRatio(translateMicros, parseMicros);
  return row(what, 'µs', { ...figures, ratio, goal: { max: 3, of: 'ratio' }, base: 'JSON.parse' });
}

/** What routing adds to a request: a figure of its own, since it would vanish in the cost of the request. */
async function routingRows(): Promise<Row[]> {
  say('routing');
  const child = startScript(join(import.meta.dir, 'routing-cost.ts'), []);
  const { oneTarget, threeTargets, conversation } = await firstLine<RoutingFigures>(child);
  const alone = { nginx: 0, bare: undefined, ratio: 0, goal: undefined, base: 'none' } as const;
  return [
    row('routing, one target', 'µs', { ...alone, weir: median(oneTarget) }),
    row('routing, three targets', 'µs', { ...alone, weir: median(threeTargets) }),
    row('routing, three targets, 12 KB conversation kept to one', 'µs', { ...alone, weir: median(conversation) }),
  ];
}

async function standing(): Promise<Row[]> {
  const upstream = await startUpstream();
  const nginx = () => startNginx(upstream.port);
  const weir = () => startWeir(upstream.port);
  const bareProxy = () => startBareProxy(upstream.port);
  const launched = () => startWeir(upstream.port, weirByLauncher);
  say('building the executable');
  const built = await buildExecutable();
  const executable = () => startWeir(upstream.port, built);
  say('memory at idle streams');
  const memory = {
    weir: await idleMemory(weir, scale),
    nginx: await idleMemory(nginx, scale),
    bare: await idleMemory(bareProxy, scale),
  };
  say('cold start');
  const nginxStart = await coldStart(nginx, scale);
  const weirStart = await coldStart(weir, scale);
  const launchedStart = await coldStart(launched, scale);
  const executableStart = await coldStart(executable, scale);
  await upstream.stop();
  const against = (figure: number, nginxFigure: number) => ({
    weir: figure,
    nginx: nginxFigure,
    bare: undefined,
    ratio: figure / nginxFigure,
  });
  return [
    row(`memory at ${scale.idleStreams} idle streams`, 'MB', {
      ...against(memory.weir, memory.nginx),
      bare: memory.bare,
      goal: { max: 80, of: 'figure' },
    }),
    row('cold start', 'ms', { ...against(weirStart, nginxStart), goal: { max: 150, of: 'figure' } }),
    row('cold start of the executable', 'ms', {
      ...against(executableStart, nginxStart),
      goal: { max: 80, of: 'figure' },
    }),
    row('cold start through npm’s launcher', 'ms', { ...against(launchedStart, nginxStart), goal: undefined }),
  ];
}

async function main(): Promise<number> {
  const pairs = count('pairs', 10);
  const rounds = count('rounds', values.quick ? 1 : 3);
  say(`Weir starts from ${weirOfHere.origin}.`);
  if (values.against !== undefined) {
    const { compare } = await import('./against.ts');
    console.log(`${' '.repeat(61)}here    there\n${await compare(values.against, scale, values.only, pairs)}`);
    return 0;
  }
  if (values.usage) {
    const { measureUsage } = await import('./usage.ts');
    console.log(await measureUsage(values.quick ? 50_000 : 1_000_000, say));
    return 0;
  }
  if (values.fleet) {
    const { measureFleet } = await import('./fleet.ts');
    const requests = values.quick ? 3_000 : 10_000;
    console.log(await measureFleet({ rounds, requests, only: values.only }, say));
    return 0;
  }
  if (values.batches) {
    const { measureBatches } = await import('./batch-cost.ts');
    console.log(await measureBatches(values.quick ? 3_000 : 20_000, say));
    return 0;
  }
  if (values.telemetry) {
    const { measureTelemetry } = await import('./telemetry.ts');
    console.log(await measureTelemetry(scale, values.only, say));
    return 0;
  }
  if (values.levels) {
    const { measureLevels } = await import('./levels.ts');
    console.log(await measureLevels(scale, say));
    return 0;
  }
  if (values.simulate) {
    const { simulationReport } = await import('./fleet-sim.ts');
    console.log(simulationReport(values));
    return 0;
  }
  const rows = [
    ...(await measureCosts(scale, say)),
    await requestRow(),
    ...(await routingRows()),
    ...(await standing()),
  ];
  const about = machine(nginxVersion());
  console.log(values.json ? JSON.stringify({ machine: about, rows }, null, 2) : `\n${terminalTable(rows)}`);
  if (values.write) writeFileSync(join(import.meta.dir, 'RESULTS.md'), markdown(rows, about, scale.rounds));
  return values.assert && rows.some((entry) => entry.reached === false) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void endAll().then(() => process.exit(130)));
let exitCode = 1;
try {
  exitCode = await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
} finally {
  await endAll();
}
process.exit(exitCode);
