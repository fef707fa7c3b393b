import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLeftFiles } from './doctor-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('damaged journals and waiting settlements are reported; an ordinary folder has nothing to report', async () => {
  for (const name of ['weir.db', 'journal', 'secret.key']) writeFileSync(join(folder, name), '');
  expect(await checkLeftFiles(folder)).toEqual([]);
  expect(await checkLeftFiles(join(folder, 'absent'))).toEqual([]);
  writeFileSync(join(folder, 'journal.damaged-2026'), 'x');
  writeFileSync(join(folder, 'journal.damaged-2026.txt'), 'The journal is damaged: 1 is lost.\n');
  writeFileSync(join(folder, 'closings-a.spill'), 'x');
  const checks = await checkLeftFiles(folder);
  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['settlements', 'broken'],
    ['journal', 'broken'],
  ]);
  expect(checks[1]?.detail).toContain('1 is lost');
});
