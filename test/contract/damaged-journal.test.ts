/**
 * A start on the journal of a process that was killed, whole and damaged: what was acknowledged is
 * there, or is reported as lost.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { anOpening, aUsageRow } from '../harness/store-places.ts';

const requests = 300;
let folder: string;
let living: Store;
let opened: Store | undefined;

const storeIn = (dataFolder: string) =>
  openStore({ dataFolder, synchronous: 'normal', nowMs: () => 1_700_000_000_000 });

/** `killed` is the folder as it was when a process with 300 acknowledged requests was killed. */
const killed = () => join(folder, 'killed');
const journal = () => join(killed(), 'journal');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-damaged-'));
  living = await storeIn(join(folder, 'living'));
  await living.instances.register();
  for (let index = 0; index < requests; index += 1) {
    const requestId = `r${index}`;
    const opening = anOpening({ requestId, attemptId: `${requestId}.1` });
    expect(living.attempts.openNow(opening)).toEqual({ admitted: true });
    const row = aUsageRow({ requestId });
    const end = { attemptId: opening.attemptId, costNano: row.costNano, estimated: false, atMs: 2, row };
    expect(living.attempts.closeNow(end)).toBe(true);
  }
  // Before anything was folded: nothing ran in between.
  cpSync(join(folder, 'living'), killed(), { recursive: true });
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  await living.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<{ rows: number; notices: readonly string[] }> {
  opened = await storeIn(killed());
  await opened.instances.register();
  const [sum] = await opened.usage.summarise('model', {});
  return { rows: sum?.requests ?? 0, notices: opened.notices() };
}

const aside = () => readdirSync(killed()).filter((name) => name.startsWith('journal.damaged-'));

test('an intact one loses nothing and reports nothing', async () => {
  expect(await start()).toEqual({ rows: requests, notices: [] });
  expect(aside()).toEqual([]);
});

test('one flipped byte costs one record, which is reported; the file is kept', async () => {
  const bytes = readFileSync(journal());
  const at = bytes.indexOf('r100.1');
  bytes[at] = 0x78;
  writeFileSync(journal(), bytes);
  const { rows, notices } = await start();
  // Its opening is lost, so that its closing finds nothing to close.
  expect(rows).toBe(requests - 1);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain('has damaged records');
  expect(notices[0]).toContain('599 records were recovered, 1 is lost');
  expect(aside()).toHaveLength(2);
  expect(readFileSync(join(killed(), aside()[1] ?? ''), 'utf8').trim()).toBe(notices[0] ?? '');
});

test.each([
  ['truncated', () => truncateSync(journal(), 40_000), 'has not the size that it had'],
  ['garbage', () => writeFileSync(journal(), Buffer.alloc(16_777_280, 0x5a)), 'cannot be read'],
  ['missing', () => rmSync(journal()), 'is missing'],
])('%s: reported, with an unknown number', async (_, damage, words) => {
  damage();
  const { rows, notices } = await start();
  expect(rows).toBeLessThan(requests);
  expect(notices[0]).toContain(words);
  expect(notices[0]).toContain('an unknown number is lost');
  expect(aside().some((name) => name.endsWith('.txt'))).toBe(true);
  // Reported once: the next start has a journal of its own.
  await opened?.close();
  expect((await start()).notices).toEqual([]);
});

test('after a clean end a missing journal is no loss', async () => {
  await start();
  await opened?.close();
  rmSync(journal());
  expect(await start()).toEqual({ rows: requests, notices: [] });
});
