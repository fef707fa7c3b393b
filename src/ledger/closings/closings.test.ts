import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClosingSpillFile } from '../../store/journal/closing-spill.ts';
import type { AttemptClosing } from '../ledger.ts';
import { type LedgerStore, StoreUnavailableError } from '../ledger-store.ts';
import { type ClosingsOptions, makeClosings } from './closings.ts';

let folder: string;
let away: boolean;
let written: Map<string, bigint>;
let living: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-closings-'));
  away = false;
  written = new Map();
  living = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const store = {
  attempts: {
    async close({ attemptId, costNano }: AttemptClosing) {
      if (away) throw new StoreUnavailableError('away');
      const isNew = !written.has(attemptId);
      if (isNew) written.set(attemptId, costNano);
      return isNew;
    },
    recover: async () => 'repeated',
  },
  instances: { alone: () => false, others: async () => living.map((id) => ({ id })) },
} as unknown as LedgerStore;

function closingsOf(instanceId: string, given: Partial<ClosingsOptions> = {}) {
  const spill = new ClosingSpillFile({ folder, instanceId });
  const counts = { lost: () => undefined, recovered: () => undefined };
  return makeClosings({
    ...{ store, onFault: () => undefined, onDoubt: () => undefined, nowMs: () => 0, counts, spill },
    ...given,
  });
}

const closing = (attemptId: string, costNano = 5n): AttemptClosing => ({
  attemptId,
  costNano,
  estimated: false,
  atMs: 1,
});

test('while the database answers no file is made', async () => {
  const closings = closingsOf('one');
  await closings.close(closing('a.1'));
  await closings.retry(0);
  expect(await closings.finish(0)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('a closing is in the file before its reply ends; a process that is killed then loses nothing', async () => {
  away = true;
  await closingsOf('killed').close(closing('a.1', 700n));
  expect(readdirSync(folder)).toEqual(['closings-killed.spill']);
  away = false;
  await closingsOf('next').recover();
  expect(written).toEqual(new Map([['a.1', 700n]]));
  expect(readdirSync(folder)).toEqual([]);
});

test('the file goes when the database has taken everything', async () => {
  const closings = closingsOf('one');
  away = true;
  await closings.close(closing('a.1'));
  await closings.close(closing('b.1'));
  expect(await closings.retry(0).catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
  away = false;
  await closings.retry(0);
  expect(written.size).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
});

test('what memory has no room for waits in the file alone', async () => {
  const closings = closingsOf('one', { closingsMax: 2 });
  away = true;
  for (const id of ['a.1', 'b.1', 'c.1', 'd.1']) await closings.close(closing(id));
  away = false;
  await closings.retry(0);
  expect([...written.keys()].sort()).toEqual(['a.1', 'b.1', 'c.1', 'd.1']);
  expect(readdirSync(folder)).toEqual([]);
});

test('a process that ends says how many are left and where, and the next one writes them with its releases', async () => {
  const closings = closingsOf('one');
  away = true;
  await closings.close(closing('a.1', 9n));
  closings.releaseLater('unsure.1', 0);
  expect(await closings.finish(0)).toEqual({ count: 1, path: join(folder, 'closings-one.spill') });
  away = false;
  // Its row is still there: the file is written at once and removed once the process no longer counts as alive.
  living = ['one'];
  const next = closingsOf('two');
  await next.recover();
  expect(written).toEqual(
    new Map([
      ['a.1', 9n],
      ['unsure.1', 0n],
    ]),
  );
  expect(readdirSync(folder)).toHaveLength(1);
  living = [];
  await next.retry(0);
  expect(readdirSync(folder)).toEqual([]);
});

test('where no file can be written either, it says that they are lost', async () => {
  const spill = new ClosingSpillFile({ folder: '/dev/null/nowhere', instanceId: 'one' });
  const closings = closingsOf('one', { spill });
  away = true;
  await closings.close(closing('a.1'));
  expect(await closings.finish(0)).toEqual({ count: 1, path: undefined });
});
