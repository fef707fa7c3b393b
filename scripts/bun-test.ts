/** Runs `bun test` with the services it needs, and counts what it says: the whole run and the long proofs share it. */

import { join } from 'node:path';
import { postgresUrl } from '../test/harness/postgres.ts';
import { redisUrl } from '../test/harness/redis.ts';
import { ensurePrograms } from './services.ts';

export interface Totals {
  passed: number;
  failed: number;
}

export interface Outcome extends Totals {
  /** What was said of the tests that failed; nothing when none did. */
  readonly story: string;
}

const root = join(import.meta.dir, '..');
const testTimeoutMs = 120_000;

const running = new Set<Bun.Subprocess>();
let interrupted = false;

/** An interrupted run ends its child, says so and fails. */
export function endChildrenOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      interrupted = true;
      for (const child of running) child.kill('SIGTERM');
    });
}

export function wasInterrupted(): boolean {
  return interrupted;
}

/** What tests must be told to find the services. They end with this process. */
export async function startServices(): Promise<Record<string, string>> {
  ensurePrograms();
  return { TEST_DATABASE_URL: await postgresUrl(), TEST_REDIS_URL: await redisUrl() };
}

/** `words` are options and paths, as on the command line. */
export async function bunTest(words: string[], env: Record<string, string>, timeoutMs: number): Promise<Outcome> {
  const seen: string[] = [];
  // Ten thousand lines that say "pass" would hide the one that does not.
  const command = [process.execPath, 'test', '--only-failures', '--timeout', `${testTimeoutMs}`, ...words];
  const code = await run(command, env, timeoutMs, seen);
  // The printed summary also counts a file that could not even be loaded; a report in XML does not.
  const summary = seen.join('');
  // A run that was cut off says nothing at its end, and its exit code may still be that of a success.
  if (!/^Ran \d+ tests? across/m.test(summary)) {
    const story = `The run did not come to its end (exit code ${code}, bound ${seconds(timeoutMs)}).`;
    console.log(story);
    return { passed: 0, failed: 1, story: `${summary.trim()}\n${story}` };
  }
  const count = (word: string) => Number([...summary.matchAll(new RegExp(`^ (\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  const failed = count('fail') > 0 || code === 0 ? count('fail') : 1;
  return { passed: count('pass'), failed, story: failed > 0 ? summary.trim() : '' };
}

export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** Shows the child's output as it comes; what it says on standard error is also kept in `seen`. */
export async function run(
  words: string[],
  env: Record<string, string>,
  timeoutMs: number,
  seen: string[] = [],
): Promise<number> {
  const child = Bun.spawn(words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    timeout: timeoutMs,
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
