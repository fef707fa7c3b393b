/** The whole test run: checks, services, every suite; its last line is `N passed, N failed` and its exit code agrees. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresUrl } from '../test/harness/postgres.ts';
import { redisUrl } from '../test/harness/redis.ts';
import { ensurePrograms } from './services.ts';

const root = join(import.meta.dir, '..');
const runTimeoutMs = 14 * 60_000;
const testTimeoutMs = 120_000;
const slowFilesShown = 15;

interface Totals {
  passed: number;
  failed: number;
}

const running = new Set<Bun.Subprocess>();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill('SIGTERM');
  });

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
    const code = await run(words, {});
    console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds(performance.now() - startedAt)})`);
    if (code === 0) totals.passed++;
    else totals.failed++;
  }
  ensurePrograms();
  const env = { TEST_DATABASE_URL: await postgresUrl(), TEST_REDIS_URL: await redisUrl() };
  if (!interrupted) await runSuites(paths, env, totals);
  if (interrupted) console.log('Interrupted.');
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 && !interrupted ? 0 : 1;
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
  const report = join(folder, 'report.xml');
  const options = ['--timeout', `${testTimeoutMs}`, '--reporter=junit', `--reporter-outfile=${report}`];
  const places = paths.length > 0 ? paths : ['./src/', './test/'];
  const seen: string[] = [];
  const code = await run([process.execPath, 'test', ...options, ...places], env, seen);
  // The printed summary also counts a file that could not even be loaded; the report does not.
  const summary = seen.join('');
  const count = (word: string) => Number([...summary.matchAll(new RegExp(`^ (\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  totals.passed += count('pass');
  totals.failed += count('fail') > 0 || code === 0 ? count('fail') : 1;
  showDurations(
    suitesOf(
      await Bun.file(report)
        .text()
        .catch(() => ''),
    ),
  );
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

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** Shows the child's output as it comes; what it says on standard error is also kept in `seen`. */
async function run(words: string[], env: Record<string, string>, seen: string[] = []): Promise<number> {
  const child = Bun.spawn(words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    timeout: runTimeoutMs,
  });
  running.add(child);
  const decoder = new TextDecoder();
  const show = async () => {
    for await (const bytes of child.stderr) {
      const text = decoder.decode(bytes, { stream: true });
      process.stderr.write(text);
      seen.push(text);
    }
  };
  // A stray grandchild may hold the pipe open; the run does not wait for it.
  await Promise.race([show(), child.exited.then(() => Bun.sleep(2_000))]);
  const code = await child.exited;
  running.delete(child);
  return code;
}
