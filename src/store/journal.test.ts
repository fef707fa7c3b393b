import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { readRecords } from './journal-records.ts';

let folder: string;
const path = (): string => join(folder, 'journal');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Delivered {
  readonly generation: number;
  readonly calls: unknown[];
}

function open(firstGeneration = 1, gate: Promise<void> = Promise.resolve()) {
  const delivered: Delivered[] = [];
  const journal = Journal.open(path(), firstGeneration, async (generation, span) => {
    await gate;
    delivered.push({ generation, calls: [...readRecords(path(), span)] });
  });
  if (journal === undefined) throw new Error('This folder cannot be mapped.');
  return { journal, delivered };
}

describe('a journal', () => {
  test('hands over what it took, in order, with growing generations', async () => {
    const { journal, delivered } = open();
    expect(journal.append(0, ['a', 'é漢🌊'])).toBe(true);
    expect(journal.append(1, ['b'])).toBe(true);
    expect(journal.isEmpty).toBe(false);
    await journal.flush();
    expect(journal.isEmpty).toBe(true);
    journal.append(2, ['c']);
    await journal.close();
    expect(delivered.map(({ calls }) => calls)).toEqual([
      [
        [0, 'a', 'é漢🌊'],
        [1, 'b'],
      ],
      [[2, 'c']],
    ]);
    expect((delivered[0]?.generation ?? 0) < (delivered[1]?.generation ?? 0)).toBe(true);
  });

  test('delivers by itself a moment later', async () => {
    const { journal, delivered } = open();
    journal.append(0, []);
    while (delivered.length === 0) await Bun.sleep(5);
    expect(journal.isEmpty).toBe(true);
  });

  test('what was appended and not delivered is found again, and only that', async () => {
    const { journal, delivered } = open(7, new Promise(() => undefined));
    journal.append(0, ['first half']);
    void journal.flush();
    await Bun.sleep(0);
    journal.append(1, ['second half']);
    const left = Journal.leftovers(path(), 0);
    expect(left.map(({ span }) => readRecords(path(), span))).toEqual([[[0, 'first half']], [[1, 'second half']]]);
    expect(delivered).toEqual([]);
    const [first, second] = left;
    expect(Journal.leftovers(path(), first?.generation ?? 0)).toEqual(second === undefined ? [] : [second]);
    expect(Journal.leftovers(path(), second?.generation ?? 0)).toEqual([]);
  });

  test('a database that cannot take it rejects a flush at once, keeps the records, and gets them later', async () => {
    let away = true;
    const delivered: unknown[] = [];
    const journal = Journal.open(path(), 1, async (_, span) => {
      if (away) throw new Error('disk full');
      delivered.push(readRecords(path(), span));
    });
    journal?.append(0, ['kept']);
    expect(await journal?.flush().catch((error: Error) => error.message)).toBe('disk full');
    expect(Journal.leftovers(path(), 0).length).toBe(1);
    journal?.append(1, ['later']);
    expect(await journal?.flush().catch((error: Error) => error.message)).toBe('disk full');
    away = false;
    await journal?.flush();
    expect(delivered).toEqual([[[0, 'kept']], [[1, 'later']]]);
    expect(journal?.isEmpty).toBe(true);
  });

  test('refuses where there is no room, and has room again once the database caught up', async () => {
    const gate = Promise.withResolvers<void>();
    const { journal, delivered } = open(1, gate.promise);
    const text = 'x'.repeat(10_000);
    let taken = 0;
    while (journal.append(taken, [text])) taken++;
    // The first half went to the database, which does not answer; the second one fills up too.
    while (journal.append(taken, [text])) taken++;
    expect(journal.append(taken, [text])).toBe(false);
    gate.resolve();
    await journal.flush();
    expect(delivered.flatMap(({ calls }) => calls).length).toBe(taken);
    expect(journal.append(0, [])).toBe(true);
    await journal.close();
  });

  test('a file of another size or with torn records is read as far as it can be trusted', () => {
    writeFileSync(path(), 'short');
    expect(Journal.leftovers(path(), 0)).toEqual([]);
    const { journal } = open(3);
    journal.append(0, ['whole']);
    const bytes = Buffer.from(Bun.mmap(path(), { shared: true }).buffer);
    const at = 8;
    const next = at + 4 + bytes.readUInt32LE(at);
    bytes.write('{"torn', next + 4);
    bytes.writeUInt32LE(6, next);
    expect(Journal.leftovers(path(), 0).map(({ span }) => readRecords(path(), span))).toEqual([[[0, 'whole']]]);
  });

  test("is nobody else's to read", () => {
    open();
    expect(statSync(path()).mode & 0o077).toBe(0);
  });
});
