/**
 * The whole test run: types, lint and every suite, several processes at a time. Its last line is
 * `N passed, N failed, N skipped` and its exit code agrees. `--quick` runs what needs no service.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { missingSummary } from '../test/harness/skipped.ts';
import {
  bunTest,
  type Environment,
  endChildren,
  endChildrenOnSignals,
  failedTests,
  type Outcome,
  ownRedis,
  run,
  seconds,
  startServices,
  wasInterrupted,
} from './bun-test.ts';
import { installPrograms, missingPrograms, type ProgramName, programNames } from './services.ts';

/** Files that one process runs, one after the other. */
interface Batch {
  readonly files: readonly string[];
  /** It opens a browser, which is a crowd of processes of its own. */
  readonly browser: boolean;
}

const root = join(import.meta.dir, '..');
/** For one batch. It only ends what hangs. */
const batchTimeoutMs = 40 * 60_000;
const buildTimeoutMs = 10 * 60_000;
/** Suites wait more than they compute, so more of them run at a time than there are cores. */
const batchesAtOnce = Math.max(4, 5 * availableParallelism());
/** A page is waited for more than it computes. */
const browsersAtOnce = 1 + availableParallelism();
/** So many files share a process, which then loads what they share once. */
const unitFilesPerBatch = 60;
const suiteFilesPerBatch = 7;
const progressEveryMs = 60_000;
const slowFilesShown = 10;

const folder = mkdtempSync(join(tmpdir(), 'weir-run-'));
endChildrenOnSignals();
let exitCode = 1;
try {
  exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed, 0 skipped');
  endChildren();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// The services' own exit hooks end them.
process.exit(exitCode);

async function main(words: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const quick = words.includes('--quick');
  const paths = words.filter((word) => word !== '--quick');
  const missing = quick ? programNames : servicesMissing();
  const skippedFile = join(folder, 'skipped');
  const env = prepare(missing, paths.length === 0).then((found) => ({ ...found, WEIR_TEST_SKIPPED_FILE: skippedFile }));
  const jobs = [
    ...(paths.length === 0 ? checks(quick) : []),
    ...batches(quick, paths).map((batch) => batchJob(batch, env)),
  ];
  const outcomes = await runJobs(jobs, missing);
  const failed = outcomes.filter((outcome) => outcome.failed > 0);
  for (const { label, output } of failed) console.log(`\nFAILED: ${label}\n${output}`);
  showSlowest(outcomes);
  const sum = (pick: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  const passed = sum((outcome) => outcome.passed);
  for (const line of missingSummary(skippedFile, missing)) console.log(line);
  for (const { label, output } of failed) console.log([`failed: ${label}`, ...failedTests(output)].join('\n  '));
  if (wasInterrupted()) console.log('Interrupted.');
  console.log(`in ${seconds(performance.now() - startedAt)}`);
  console.log(`${passed} passed, ${sum((one) => one.failed)} failed, ${sum((one) => one.skipped)} skipped`);
  return failed.length === 0 && passed > 0 && !wasInterrupted() ? 0 : 1;
}

/** As root on Debian the missing programs are installed. Elsewhere their tests are skipped, and in CI that is a failure. */
function servicesMissing(): readonly ProgramName[] {
  installPrograms();
  const missing = missingPrograms();
  if (missing.length > 0 && process.env['CI'] === 'true')
    throw new Error(`CI=true and this machine lacks ${missing.join(', ')}: nothing may be skipped here.`);
  return missing;
}

/** Takes seconds, in which types and lint are checked. A file that is run alone starts Weir from its sources, so that a stack trace names their lines. */
async function prepare(missing: readonly ProgramName[], isBuilt: boolean): Promise<Environment> {
  const [services, executable] = await Promise.all([startServices(missing), isBuilt ? buildExecutable() : undefined]);
  return { ...services, ...(executable !== undefined && { WEIR_TEST_EXECUTABLE: executable }) };
}

/** What most suites start: it needs a third of the processor time that a start from the sources takes. */
async function buildExecutable(): Promise<string> {
  const file = join(folder, 'weir');
  const words = [process.execPath, join(root, 'scripts/build.ts'), file, '--for-tests'];
  const { code, output } = await run(words, {}, buildTimeoutMs);
  if (code !== 0) throw new Error(`The executable could not be built (exit code ${code}):\n${output}`);
  return file;
}

interface Job {
  readonly label: string;
  readonly browser: boolean;
  start(redis: Environment): Promise<Outcome>;
}

/** Checks count like tests: a type error is a failure of the run. */
function checks(quick: boolean): Job[] {
  const tool = (name: string) => join(root, 'node_modules/.bin', name);
  const check = (label: string, command: readonly string[], env: Environment = {}): Job => ({
    label,
    browser: false,
    async start() {
      const { code, output, ...spent } = await run(command, env, batchTimeoutMs);
      const failed = code === 0 ? 0 : 1;
      return { passed: 1 - failed, failed, skipped: 0, output: failed > 0 ? output : '', ...spent };
    },
  });
  // Four checkers look at shared types four times, and the suites use the other cores. Without a garbage collector it
  // needs 2 GB. What the next check could start from is written where one is likely: in the daily loop.
  const again = quick || existsSync(join(root, 'node_modules/.cache/types.json'));
  const words = ['--noEmit', '--checkers', '1', ...(again ? [] : ['--incremental', 'false'])];
  const types = check('types', [tool('tsc'), ...words], { GOGC: 'off' });
  return [types, check('lint and format', [tool('biome'), 'check'])];
}

function batchJob({ files, browser }: Batch, env: Promise<Environment>): Job {
  const [first = ''] = files;
  const label = files.length === 1 ? first : `${first} and ${files.length - 1} more`;
  const paths = files.map((file) => `./${file}`);
  const words = browser ? ['--preload', './test/harness/shared-browser.ts', ...paths] : paths;
  return { label, browser, start: async (redis) => bunTest(words, { ...(await env), ...redis }, batchTimeoutMs) };
}

/** The suites with the longest texts begin first, so that none is alone at the end. Units, which compute and never wait, end it. */
function batches(quick: boolean, paths: readonly string[]): Batch[] {
  const all = (
    paths.length > 0 ? paths : quick ? ['bin', 'bench', 'src', 'test/contract'] : ['bin', 'bench', 'src', 'test']
  ).flatMap(testFiles);
  const wanted = paths.length > 0 ? all : all.filter((file) => !isForSoak(file));
  const [browsers, others] = split(wanted, isBrowsers);
  const [units, suites] = split(others, (file) => !file.startsWith('test/'));
  const one = paths.length > 0;
  return [
    ...(one ? grouped(browsers, 1) : dealt(browsers, browsersAtOnce)).map((files) => ({ files, browser: true })),
    ...grouped(
      suites.toSorted((a, b) => bytesOf(b) - bytesOf(a)),
      one ? 1 : suiteFilesPerBatch,
    ).map((files) => ({ files, browser: false })),
    ...grouped(units, one ? 1 : unitFilesPerBatch).map((files) => ({ files, browser: false })),
  ];
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function grouped(files: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));
}

/** So many groups of about the same length of text, which is about the same work. A group shares one browser. */
function dealt(files: readonly string[], count: number): string[][] {
  const groups = Array.from({ length: count }, () => ({ bytes: 0, files: [] as string[] }));
  for (const file of files.toSorted((a, b) => bytesOf(b) - bytesOf(a))) {
    const [least] = groups.toSorted((a, b) => a.bytes - b.bytes);
    least?.files.push(file);
    if (least !== undefined) least.bytes += bytesOf(file);
  }
  return groups.filter((group) => group.files.length > 0).map((group) => group.files);
}

function bytesOf(file: string): number {
  return statSync(join(root, file)).size;
}

/** Judges time, memory or frames, or takes minutes: that is for `npm run soak`. */
function isForSoak(file: string): boolean {
  return file.startsWith('test/measures/') || file.startsWith('test/soak/');
}

function isBrowsers(file: string): boolean {
  return /launchBrowser|openConsole/.test(readFileSync(join(root, file), 'utf8'));
}

function testFiles(path: string): string[] {
  const whole = join(root, path);
  if (!existsSync(whole)) throw new Error(`There is no ${path} here.`);
  if (!statSync(whole).isDirectory()) return [relative(root, whole)];
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => relative(root, join(whole, name)))
    .sort();
}

interface Done extends Outcome {
  readonly label: string;
}

async function runJobs(jobs: readonly Job[], missing: readonly ProgramName[]): Promise<readonly Done[]> {
  const waiting = [...jobs];
  const done: Done[] = [];
  let browsers = 0;
  const next = (): Job | undefined => {
    const index = waiting.findIndex(({ browser }) => !browser || browsers < browsersAtOnce);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  const work = async (): Promise<void> => {
    const redis = await ownRedis(missing);
    while (waiting.length > 0 && !wasInterrupted()) {
      const job = next();
      if (job === undefined) return;
      if (job.browser) browsers++;
      const outcome = await job.start(redis);
      if (job.browser) browsers--;
      done.push({ label: job.label, ...outcome });
      if (outcome.failed > 0) console.log(`FAILED: ${job.label} (${outcome.failed} failed)`);
      for (const line of failedTests(outcome.output)) console.log(`  ${line}`);
    }
  };
  const progress = setInterval(() => {
    const passed = done.reduce((sum, outcome) => sum + outcome.passed, 0);
    console.log(`${done.length} of ${jobs.length} batches, ${passed} passed`);
  }, progressEveryMs);
  try {
    await Promise.all(Array.from({ length: Math.min(batchesAtOnce, jobs.length) }, work));
  } finally {
    clearInterval(progress);
  }
  return done;
}

function showSlowest(outcomes: readonly Done[]): void {
  console.log('\nSlowest, with the processor time that each took:');
  const slowest = outcomes.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowFilesShown);
  for (const { label, durationMs, cpuMs } of slowest)
    console.log(`  ${seconds(durationMs).padStart(8)} ${seconds(cpuMs).padStart(8)}  ${label}`);
}
