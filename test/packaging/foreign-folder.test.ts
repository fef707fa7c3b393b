/** Weir in an untrusted folder, from its sources as npm installs them; the bundle and the executable have tests of their own. */

import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { commandNames, hostileFolder } from './hostile-folder.ts';

const launcher = [Bun.which('node') ?? 'node', join(import.meta.dir, '../../bin/weir.js')];
const folder = hostileFolder();
afterAll(() => folder.remove());

describe('nothing of the folder is run or read', () => {
  test.each(commandNames)('by weir %s', async (command) => {
    const { output, traces } = await folder.run(launcher, command);
    expect({ traces, output }).toEqual({ traces: [], output: expect.not.stringContaining('of-the-file') });
    const isQuiet = ['login', 'logout', 'explain', 'health'].includes(command);
    expect(output.includes('The file .env of this folder is not read. To read it, add: --env-file .env')).toBe(
      !isQuiet,
    );
  });
});

test('the folder does harm to a runtime that is started in it without care', async () => {
  const { traces } = await folder.run([process.execPath, join(import.meta.dir, '../../src/main.ts')], 'login');
  expect(traces).toContain('ran tsconfig.json');
});

test('nor by workers, which are processes of their own', async () => {
  const { output, traces } = await folder.run(launcher, 'serve', { env: { WEIR_SERVER_WORKERS: '2' } });
  expect(traces).toEqual([]);
  expect(output).toContain('GET /v1/models');
});

test('--env-file reads it, with every command', async () => {
  const { output } = await folder.run(launcher, 'token', { more: ['--env-file', '.env'] });
  expect(output).toContain('of-the-file');
});
