/** Damaged journals: whatever happened to the file, every whole record is found and what is lost is counted, or said to be unknown. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { fileHeaderBytes, halfHeaderBytes, recordHeadBytes } from './journal-records.ts';
import { recoverJournal } from './journal-recovery.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-recovery-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const records = 40;
const texts = Array.from({ length: records }, (_, index) => JSON.stringify([0, `id-${index}`, 'é'.repeat(index % 7)]));

/** A journal with records of generation 7 in its first half. */
function journalBytes(): Buffer {
  const path = join(folder, 'journal');
  const journal = Journal.open(path, 7, () => new Promise(() => undefined));
  for (const text of texts) journal?.append(0, (JSON.parse(text) as unknown[]).slice(1));
  return readFileSync(path);
}

/** The same with small halves, as another version might have made it. */
function smallJournalBytes(): Buffer {
  const halfBytes = 65_536;
  const small = Buffer.alloc(fileHeaderBytes + 2 * halfBytes);
  journalBytes().copy(small, 0, 0, fileHeaderBytes + halfBytes);
  small.writeUInt32LE(halfBytes, 8);
  return small;
}

const endOfRecords = (bytes: Buffer): number => {
  let at = fileHeaderBytes + halfHeaderBytes;
  for (let length = bytes.readUInt32LE(at); length > 0; length = bytes.readUInt32LE(at)) at += recordHeadBytes + length;
  return at;
};

const found = (bytes: Buffer | undefined, done = 6) => {
  const { generations, damage } = recoverJournal(bytes, done);
  return { texts: generations.flatMap((each) => each.texts), damage };
};

test('an intact journal has all of them and no damage; what is in the tables already is left out', () => {
  const bytes = journalBytes();
  expect(found(bytes)).toEqual({ texts, damage: undefined });
  expect(recoverJournal(bytes, 7)).toEqual({ generations: [], damage: undefined });
});

test('one flipped byte, wherever it is, costs at most the record that it is in, and is reported', () => {
  const whole = smallJournalBytes();
  const end = endOfRecords(whole);
  for (let at = 0; at < end; at += 1) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 0x41;
    const { texts: kept, damage } = found(bytes);
    const lost = texts.length - kept.length;
    expect(kept.every((text) => texts.includes(text))).toBe(true);
    if (at < fileHeaderBytes) {
      // The size of a half is here: a wrong one is reported, and the first half is found all the same.
      if (damage !== undefined) expect(damage.lost).toBeUndefined();
      else expect(lost).toBe(0);
      continue;
    }
    expect(lost).toBeLessThanOrEqual(1);
    if (lost === 0) expect(damage?.lost ?? 0).toBe(0);
    else expect(damage?.lost ?? 1).toBe(1);
    expect(damage === undefined).toBe(lost === 0);
  }
});

test('a hole of zeros in the middle is no end', () => {
  const bytes = journalBytes();
  const from = fileHeaderBytes + halfHeaderBytes + 200;
  bytes.fill(0, from, from + 300);
  const { texts: kept, damage } = found(bytes);
  expect(kept).toContain(texts.at(-1) ?? '');
  expect(kept.length).toBeLessThan(records);
  expect(damage).toEqual({ what: 'has damaged records', lost: undefined });
});

test('truncated, garbage, another size, missing: reported, with what can be read', () => {
  const bytes = journalBytes();
  const cut = found(bytes.subarray(0, endOfRecords(bytes) - 10));
  expect(cut.texts).toEqual(texts.slice(0, -1));
  expect(cut.damage).toEqual({ what: 'has not the size that it had', lost: undefined });
  expect(found(Buffer.alloc(0)).damage).toEqual({ what: 'cannot be read', lost: undefined });
  expect(found(Buffer.alloc(bytes.length, 0xa7)).damage).toEqual({ what: 'cannot be read', lost: undefined });
  expect(found(undefined).damage).toEqual({ what: 'is missing', lost: undefined });
});

test('halves of another size are read as their header says', () => {
  expect(found(smallJournalBytes())).toEqual({ texts, damage: undefined });
});

test('what an older Weir left, without checksums, is found', () => {
  const bytes = Buffer.alloc(16_777_216);
  let at = 8;
  bytes.writeDoubleLE(3, 0);
  for (const text of texts) {
    const length = bytes.write(text, at + 4);
    bytes.writeUInt32LE(length, at);
    at += 4 + length;
  }
  expect(found(bytes, 2)).toEqual({ texts, damage: undefined });
  expect(found(bytes, 3).texts).toEqual([]);
});
