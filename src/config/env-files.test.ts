/** Files of variables: which words name them, and what wins. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envFilesIn, readEnvFiles } from './env-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-env-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('are named before and after the command, and not behind --', () => {
  expect(envFilesIn(['--env-file', 'a', 'serve', '--env-file=b', '--', '--env-file', 'c'])).toEqual({
    argv: ['serve', '--', '--env-file', 'c'],
    files: ['a', 'b'],
  });
  expect(envFilesIn(['serve', '--env-file'])).toEqual({ argv: ['serve'], files: [''] });
});

test('do not replace what the environment has, and the last of them counts', () => {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  writeFileSync(first, 'A=1\nexport B="two words"\n# C=3\nD=4');
  writeFileSync(second, 'D=5');
  const environment = { A: 'kept' };
  expect(readEnvFiles([first, second], environment)).toBeUndefined();
  expect(environment).toEqual({ A: 'kept', B: 'two words', D: '5' } as never);
});

test('are read together or not at all', () => {
  const environment = {};
  writeFileSync(join(folder, 'good'), 'A=1');
  expect(readEnvFiles([join(folder, 'good'), join(folder, 'absent')], environment)).toBe(join(folder, 'absent'));
  expect(environment).toEqual({});
});
