/** The executable without a launcher: the runtime gets its settings, whatever the environment. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeVariables } from '../../bin/runtime-variables.js';
import { executableIn } from './executable.ts';
import { commandNames, hostileFolder } from './hostile-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-executable-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the runtime reported last; a process that replaces itself reports twice. */
function heapSizeOf(
  executable: string,
  variables: Readonly<Record<string, string>>,
): { heapSize: string | undefined; starts: number } {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable, 'version'], {
    stdin: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', BUN_JSC_dumpOptions: '2', ...variables },
  });
  expect(exitCode).toBe(0);
  expect(stdout.toString()).toMatch(/\d+\.\d+\.\d+\n$/);
  const reported = [...`${stdout}${stderr}`.matchAll(/largeHeapSize=(\d+)/g)].map(([, size]) => size);
  return { heapSize: reported.at(-1), starts: reported.length };
}

test('replaces itself once with what the runtime reads at its start, and not where that is set', () => {
  const executable = executableIn(folder);
  const heapSize = runtimeVariables.BUN_JSC_largeHeapSize;
  expect(heapSizeOf(executable, {})).toEqual({ heapSize, starts: 2 });
  expect(heapSizeOf(executable, runtimeVariables)).toEqual({ heapSize, starts: 1 });
  expect(heapSizeOf(executable, { BUN_JSC_largeHeapSize: '16777216' })).toEqual({ heapSize: '16777216', starts: 2 });
}, 120_000);

test('runs and reads nothing of the folder where it is called, with any command', async () => {
  const executable = executableIn(folder);
  const foreign = hostileFolder();
  for (const command of commandNames) {
    expect([command, (await foreign.run([executable], command)).traces]).toEqual([command, []]);
  }
  const { output } = await foreign.run([executable], 'token', { more: ['--env-file', '.env'] });
  expect(output).toContain('of-the-file');
  foreign.remove();
}, 120_000);
