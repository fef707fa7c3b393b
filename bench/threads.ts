/** Prints the CPU time of each of Weir's threads: event loop, HTTP client, database, compiler and garbage collector. */

import { readdirSync, readFileSync } from 'node:fs';
import { fullScale, runLoad, warmUp } from './measure.ts';
import { endAll } from './processes.ts';
import { startUpstream, startWeir, type Target } from './targets.ts';

const shownMicrosMin = 0.3;
const afterworkMs = 300;

/** CPU µs by thread; a thread without a name of its own carries the program's, which is the event loop. */
function threadMicros({ pids }: Target): Map<string, number> {
  const micros = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const name =
        Number(thread) === pid ? 'event loop' : readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim();
      const nanos = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
      micros.set(name, (micros.get(name) ?? 0) + nanos / 1_000);
    }
  }
  return micros;
}

async function show(kind: 'requests' | 'streams', weir: Target, options: Record<string, number>): Promise<void> {
  const before = threadMicros(weir);
  const { units } = await runLoad(kind, weir, options);
  await Bun.sleep(afterworkMs);
  console.log(`\nCPU µs per ${kind === 'requests' ? 'request' : 'streamed chunk'} (${units} of them)`);
  const spent = [...threadMicros(weir)].map(
    ([name, micros]) => [name, (micros - (before.get(name) ?? 0)) / units] as const,
  );
  for (const [name, micros] of spent.sort((left, right) => right[1] - left[1])) {
    if (micros >= shownMicrosMin) console.log(`  ${name.padEnd(16)} ${micros.toFixed(1).padStart(7)}`);
  }
}

try {
  const upstream = await startUpstream();
  const weir = await startWeir(upstream.port);
  await warmUp([weir], fullScale);
  await show('requests', weir, { concurrency: 32, requests: 20_000 });
  await show('streams', weir, { concurrency: 64, frames: 200, 'pace-ms': 10 });
} finally {
  await endAll();
}
process.exit(0);
