/** Runs `bun test` over sets of files, several at a time, and counts what each reports: the whole run and the soak share it. */

import { join } from 'node:path';
import { postgresUrl } from '../test/harness/postgres.ts';
import { startRedis } from '../test/harness/redis.ts';
import { missingPrograms, type ProgramName } from './services.ts';

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Outcome extends Totals {
  /** Everything the run printed, where a test failed; empty otherwise. */
  readonly output: string;
  readonly durationMs: number;
  /** Processor time of the process and of everything it started and waited for. */
  readonly cpuMs: number;
}

export type Environment = Readonly<Record<string, string>>;

const root = join(import.meta.dir, '..');
const preload = join(root, 'test/harness/referenced-timer.ts');
/** For one test. It only ends what hangs: tests judge states, so that a slow machine fails none. */
const testTimeoutMs = 300_000;
/** Characters of an error beside the name of the test that it failed. */
const thrownShown = 400;

const running = new Set<Bun.Subprocess>();
let interrupted = false;

/** An interrupted run ends its children, says so and fails. */
export function endChildrenOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      interrupted = true;
      endChildren();
    });
}

export function endChildren(): void {
  for (const child of running) child.kill('SIGTERM');
}

export function wasInterrupted(): boolean {
  return interrupted;
}

/** The environment variables by which tests find the services. The servers end with this process. */
export async function startServices(missing: readonly ProgramName[] = missingPrograms()): Promise<Environment> {
  return {
    WEIR_TEST_WITHOUT: missing.join(','),
    ...(!missing.includes('postgres') && { TEST_DATABASE_URL: await postgresUrl() }),
  };
}

/** Some suites stop and empty their Redis, so processes that run at the same time must not share one. */
export async function ownRedis(missing: readonly ProgramName[]): Promise<Environment> {
  return missing.includes('redis') ? {} : { TEST_REDIS_URL: (await startRedis()).url };
}

/** `words` are options and paths, as on the command line. `onOutput` is given all that was printed, whatever the outcome. */
export async function bunTest(
  words: readonly string[],
  env: Environment,
  timeoutMs: number,
  onOutput: (output: string) => void = () => {},
): Promise<Outcome> {
  const options = ['--only-failures', '--timeout', `${testTimeoutMs}`, '--preload', preload];
  const command = [process.execPath, 'test', ...options, ...words];
  const { code, output, durationMs, cpuMs } = await run(command, env, timeoutMs);
  onOutput(output);
  const count = (word: string) => Number([...output.matchAll(new RegExp(`^ (\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  const counted = { passed: count('pass'), skipped: count('skip') + count('todo'), durationMs, cpuMs };
  // A run that was cut off prints no summary, and its exit code may still be that of a success.
  if (!/^Ran \d+ tests? across/m.test(output)) {
    const ending = `The run of ${words.join(' ')} did not end by itself (exit code ${code}, bound ${seconds(timeoutMs)}).`;
    return { ...counted, failed: count('fail') + 1, output: `${output.trim()}\n${ending}` };
  }
  const failed = count('fail') > 0 || code === 0 ? count('fail') : 1;
  return { ...counted, failed, output: failed > 0 ? output.trim() : '' };
}

/** One line for each test that failed, with what it threw and where: a log that is cut off early still says what failed. */
export function failedTests(output: string): string[] {
  const failed: string[] = [];
  let thrown: string[] = [];
  for (const line of output.split('\n')) {
    const name = /^\(fail\) (.*)$/.exec(line)?.[1];
    if (name !== undefined) {
      failed.push(`${name}: ${thrown.join(' ').slice(0, thrownShown)}`);
      thrown = [];
    } else if (thrown.length > 0 || /^(error|[A-Z]\w*): /.test(line)) thrown.push(line.trim().replace(root, ''));
  }
  return failed;
}

export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

interface Ended {
  readonly code: number;
  /** Standard output and standard error as they came. */
  readonly output: string;
  readonly durationMs: number;
  readonly cpuMs: number;
}

export async function run(words: readonly string[], env: Environment, timeoutMs: number): Promise<Ended> {
  const startedAt = performance.now();
  const child = Bun.spawn([...words], {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  const seen: string[] = [];
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) seen.push(decoder.decode(bytes, { stream: true }));
  };
  // A stray grandchild may hold the pipe open; the run does not wait for it.
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  await Promise.race([collected, child.exited.then(() => Bun.sleep(2_000))]);
  const code = await child.exited;
  running.delete(child);
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
  return { code, output: seen.join(''), durationMs: performance.now() - startedAt, cpuMs };
}
