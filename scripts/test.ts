/** The whole test run: checks, services, every suite; its last line is `N passed, N failed` and its exit code agrees. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../test/harness/redis.ts';
import { bunTest, endChildrenOnSignals, run, seconds, startServices, type Totals, wasInterrupted } from './bun-test.ts';

const root = join(import.meta.dir, '..');
const runTimeoutMs = 14 * 60_000;
const slowFilesShown = 15;
/** Most suites wait more than they work, so several parts run beside each other, the longest first. */
const parts: readonly (readonly string[])[] = [
  ['./test/contract/'],
  ['./test/end-to-end/', './test/architecture.test.ts'],
  ['./test/console/'],
  ['./src/', './test/matrix/', './test/fake-upstream/'],
];
/** More would only make them wait for each other: all together they work for more than half of what two cores have. */
const partsAtOnce = 3;

endChildrenOnSignals();
const folder = mkdtempSync(join(tmpdir(), 'weir-run-'));
let exitCode = 1;
try {
  exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The services' own exit hooks end them.
process.exit(exitCode);

async function main(paths: readonly string[]): Promise<number> {
  const totals: Totals = { passed: 0, failed: 0 };
  for (const [name, words] of checks()) {
    const startedAt = performance.now();
    const code = await run(words, {}, runTimeoutMs);
    console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds(performance.now() - startedAt)})`);
    if (code === 0) totals.passed++;
    else totals.failed++;
  }
  const env = await startServices();
  if (!wasInterrupted()) await runSuites(paths, env, totals);
  if (wasInterrupted()) console.log('Interrupted.');
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 && !wasInterrupted() ? 0 : 1;
}

/** Checks count like tests: a type error is a failure of the run. */
function checks(): [string, string[]][] {
  const tool = (name: string) => join(root, 'node_modules/.bin', name);
  return [
    ['types', [tool('tsc'), '--noEmit']],
    ['lint and format', [tool('biome'), 'check']],
  ];
}

async function runSuites(paths: readonly string[], env: Record<string, string>, totals: Totals): Promise<void> {
  const waiting = [...(paths.length > 0 ? [paths] : parts).entries()];
  const suites: Suite[] = [];
  const runPart = async (places: readonly string[], index: number): Promise<void> => {
    const report = join(folder, `report-${index}.xml`);
    const options = ['--reporter=junit', `--reporter-outfile=${report}`];
    // Some suites stop and empty their Redis, so each part has one of its own.
    const own = index === 0 ? env : { ...env, TEST_REDIS_URL: (await startRedis()).url };
    const { passed, failed } = await bunTest([...options, ...places], own, runTimeoutMs);
    totals.passed += passed;
    totals.failed += failed;
    const text = await Bun.file(report)
      .text()
      .catch(() => '');
    suites.push(...suitesOf(text));
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runPart(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: partsAtOnce }, work));
  showDurations(suites);
}

interface Suite {
  readonly file: string;
  readonly durationMs: number;
}

/** The report nests a suite per `describe` in a suite per file; only the latter have a duration of their own. */
function suitesOf(xml: string): Suite[] {
  return [...xml.matchAll(/<testsuite name="([^"]*)" file="([^"]*)"[^>]* time="([^"]*)"/g)]
    .filter(([, name, file]) => name === file)
    .map(([, , file = '', time]) => ({ file, durationMs: Number(time) * 1000 }));
}

function showDurations(suites: readonly Suite[]): void {
  const slowest = suites.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowFilesShown);
  console.log('\nSlowest files:');
  for (const suite of slowest) console.log(`  ${seconds(suite.durationMs).padStart(8)}  ${suite.file}`);
}
