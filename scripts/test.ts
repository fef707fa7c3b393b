/** The whole test run: checks, services, every suite; its last line is `N passed, N failed` and its exit code agrees. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../test/harness/redis.ts';
import {
  bunTest,
  endChildrenOnSignals,
  type Outcome,
  run,
  seconds,
  startServices,
  type Totals,
  wasInterrupted,
} from './bun-test.ts';

const root = join(import.meta.dir, '..');
const runTimeoutMs = 40 * 60_000;
const slowFilesShown = 15;
/** Most suites wait more than they work, so several parts run beside each other, the longest first. */
const parts: readonly (readonly string[])[] = [
  ['./test/contract/'],
  ['./test/end-to-end/', './test/architecture.test.ts', './test/supply-chain.test.ts'],
  ['./test/console/'],
  ['./src/', './test/matrix/', './test/refusing/', './test/agents/', './test/fake-upstream/', './test/adversary/'],
];
/** More would only make them wait for each other: all together they work for more than half of what two cores have. */
const partsAtOnce = 3;
/** More than this is not a crowd's doing. */
const crowdedFilesMax = 2;

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
  const results: PartResult[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !wasInterrupted(); next = waiting.shift())
      results.push(await runPart(next[1], next[0], env));
  };
  await Promise.all(Array.from({ length: partsAtOnce }, work));
  for (const { passed, failed } of results) {
    totals.passed += passed;
    totals.failed += failed;
  }
  showDurations(results.flatMap(({ suites }) => suites));
  if (totals.failed === 0) return;
  for (const { story } of results) if (story !== '') console.log(`\nWhat failed:\n${story}`);
  await tryAlone(results, env, totals);
}

interface PartResult extends Outcome {
  readonly suites: readonly Suite[];
}

async function runPart(places: readonly string[], index: number, env: Record<string, string>): Promise<PartResult> {
  const report = join(folder, `report-${index}.xml`);
  const options = ['--reporter=junit', `--reporter-outfile=${report}`];
  // Some suites stop and empty their Redis, so each part has one of its own.
  const own = index === 0 ? env : { ...env, TEST_REDIS_URL: (await startRedis()).url };
  console.log(`started: ${places.join(' ')}`);
  const startedAt = performance.now();
  const outcome = await bunTest([...options, ...places], own, runTimeoutMs);
  const { passed, failed } = outcome;
  const duration = seconds(performance.now() - startedAt);
  console.log(
    `${failed === 0 ? 'ok' : 'FAILED'}: ${places.join(' ')} (${passed} passed, ${failed} failed, ${duration})`,
  );
  const xml = await Bun.file(report)
    .text()
    .catch(() => '');
  return { ...outcome, suites: suitesOf(xml) };
}

/**
 * A test that times something may fail because others crowd it. A file or two that failed so are run once more, alone:
 * what is broken fails again. Both outcomes are shown, so that a test which needs this is seen, and mended.
 */
async function tryAlone(results: readonly PartResult[], env: Record<string, string>, totals: Totals): Promise<void> {
  const crowded = results.flatMap(({ suites }) => suites).filter(({ failed }) => failed > 0);
  const known = crowded.reduce((sum, { failed }) => sum + failed, 0);
  const unknown = totals.failed - known;
  if (crowded.length === 0 || crowded.length > crowdedFilesMax || unknown > 0 || wasInterrupted()) return;
  const files = crowded.map(({ file }) => file);
  console.log(`\nOnce more, alone: ${files.join(' ')}`);
  const { failed } = await bunTest(
    files.map((file) => `./${file}`),
    env,
    runTimeoutMs,
  );
  if (failed > 0) return;
  totals.passed += known;
  totals.failed = 0;
  console.log(`Failed beside the others and passed alone, to be mended: ${files.join(' ')}`);
}

interface Suite {
  readonly file: string;
  readonly failed: number;
  readonly durationMs: number;
}

/** The report nests a suite per `describe` in a suite per file; only the latter have a duration of their own. */
function suitesOf(xml: string): Suite[] {
  return [...xml.matchAll(/<testsuite name="([^"]*)" file="([^"]*)"[^>]* failures="(\d+)"[^>]* time="([^"]*)"/g)]
    .filter(([, name, file]) => name === file)
    .map(([, , file = '', failures, time]) => ({ file, failed: Number(failures), durationMs: Number(time) * 1000 }));
}

function showDurations(suites: readonly Suite[]): void {
  const slowest = suites.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowFilesShown);
  console.log('\nSlowest files:');
  for (const suite of slowest) console.log(`  ${seconds(suite.durationMs).padStart(8)}  ${suite.file}`);
}
