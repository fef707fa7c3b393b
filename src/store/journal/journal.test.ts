import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { readRecords } from './journal-records.ts';
import { recoverJournal } from './journal-recovery.ts';

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

/** What a start would find, as it was appended. */
const left = (doneGeneration = 0) =>
  recoverJournal(readFileSync(path()), doneGeneration).generations.map(({ generation, texts }) => ({
    generation,
    calls: texts.map((text) => JSON.parse(text) as unknown),
  }));

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
    const found = left();
    expect(found.map(({ calls }) => calls)).toEqual([[[0, 'first half']], [[1, 'second half']]]);
    expect(delivered).toEqual([]);
    const [first, second] = found;
    expect(left(first?.generation)).toEqual(second === undefined ? [] : [second]);
    expect(left(second?.generation)).toEqual([]);
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
    expect(left()).toHaveLength(1);
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

  test('has every block of its file before it is mapped, and makes a new file where one lacks some', () => {
    const allocated = () => {
      const { size, blocks } = statSync(path());
      return size > 16_000_000 && blocks * 512 >= size;
    };
    open();
    expect(allocated()).toBe(true);
    truncateSync(path(), 0);
    truncateSync(path(), 16_777_280);
    expect(allocated()).toBe(false);
    open();
    expect(allocated()).toBe(true);
  });

  test('is readable by its owner only', () => {
    open();
    expect(statSync(path()).mode & 0o077).toBe(0);
  });
});
