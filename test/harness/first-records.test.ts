import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from '../../src/store/journal/journal.ts';
import { recoverJournal } from '../../src/store/journal/journal-recovery.ts';
import { firstRecords } from './first-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const generationsIn = (bytes: Buffer): number[] =>
  recoverJournal(bytes, 0, 'in use').generations.map(({ generation }) => generation);

test('the first records name the same generations as the whole journal', async () => {
  const path = join(folder, 'journal');
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const journal = Journal.open(path, 5, () => done);
  if (journal === undefined) throw new Error('The journal could not be mapped.');
  const both = () => [generationsIn(firstRecords(path)), generationsIn(readFileSync(path))];
  expect(both()).toEqual([[], []]);
  // The first record is the longest, or the shortest.
  for (const text of ['x'.repeat(100_000), 'y']) journal.append(1, [text]);
  expect(both()).toEqual([[5], [5]]);
  const flushed = journal.flush();
  for (const text of ['y', 'x'.repeat(100_000)]) journal.append(1, [text]);
  expect(both()).toEqual([
    [5, 6],
    [5, 6],
  ]);
  expect(firstRecords(path).length).toBeLessThan(readFileSync(path).length / 50);
  resolve();
  await flushed;
  await journal.close();
});

test('a file of another layout is given whole', () => {
  const path = join(folder, 'other');
  const bytes = Buffer.alloc(4_096, 7);
  writeFileSync(path, bytes);
  expect(firstRecords(path).equals(bytes)).toBe(true);
});
