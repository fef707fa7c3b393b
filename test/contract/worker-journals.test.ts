/** Workers on the embedded engine: requests without a budget are recorded in a journal of the worker's own, which the process that holds the database folds. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptClosing } from '../../src/ledger/ledger.ts';
import { type RemoteServices, storeServices } from '../../src/store/engines/remote-driver.ts';
import { openSqliteDriver, type SqliteDriver } from '../../src/store/engines/sqlite-driver.ts';
import { openStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/sql/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { anOpening, aUsageRow } from '../harness/store-places.ts';
import { aBeginning } from '../harness/task-records.ts';

const nowMs = () => 1_700_000_000_000;
let folder: string;
let holder: SqliteDriver;
/** What workers serve, by the number of their journal. */
const workers = new Map<number, RemoteServices>();
const stores: Store[] = [];

const data = (name = 'data') => join(folder, name);

async function hold(dataFolder = data()): Promise<SqliteDriver> {
  const driver = await openSqliteDriver({ folder: dataFolder, synchronous: 'normal', nowMs });
  await driver.holdAlone();
  driver.journals.flush = async () => {
    await Promise.all([...workers.values()].map((worker) => worker.flush()));
  };
  driver.journals.recall = async (journal, windows) => await workers.get(journal)?.giveBack(windows);
  return driver;
}

/** What the database answers to a worker that hands over its records; rejects where it cannot take them. */
let beforeFold = (): Promise<void> => Promise.resolve();

async function workerWith(journal: number, synchronous: 'normal' | 'full' = 'normal'): Promise<Store> {
  const services = storeServices(holder)(() => undefined);
  const remote = {
    schemaVersion: holder.schemaVersion,
    journal,
    async call(service: string, text: string) {
      const serve = services[service];
      if (serve === undefined) throw new Error(`There is no service ${service}.`);
      if (service === 'f') await beforeFold();
      return await serve(text);
    },
    serve: (own: RemoteServices) => void workers.set(journal, own),
  };
  const store = await openStore({ dataFolder: data(), synchronous, nowMs, remote });
  await store.instances.register();
  stores.push(store);
  return store;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-workers-'));
  holder = await hold();
});
afterEach(async () => {
  beforeFold = () => Promise.resolve();
  for (const store of stores.splice(0)) await store.close();
  workers.clear();
  await holder.close();
  rmSync(folder, { recursive: true, force: true });
});

function closingOf(requestId: string): AttemptClosing {
  const row = aUsageRow({ requestId });
  return { attemptId: `${requestId}.1`, costNano: row.costNano, estimated: false, atMs: 2, row };
}

function record(store: Store, requestId: string): void {
  expect(store.attempts.openNow(anOpening({ requestId, attemptId: `${requestId}.1` }))).toEqual({ admitted: true });
  expect(store.attempts.closeNow(closingOf(requestId))).toBe(true);
}

const requestsIn = async (store: Store): Promise<number> =>
  (await store.usage.summarise('model', {}))[0]?.requests ?? 0;

test('a closing that is repeated while the database takes no records is written when it does', async () => {
  const store = await workerWith(2);
  expect(store.attempts.openNow(anOpening({ requestId: 'r', attemptId: 'r.1' }))).toEqual({ admitted: true });
  beforeFold = () => Promise.reject(new StoreUnavailableError('the disk is full'));
  // Both halves of the journal, to the last byte.
  let nth = 0;
  for (const length of [500_000, 500_000, 10_000, 10])
    while (store.attempts.openNow(anOpening({ attemptId: `f${nth}.1`, model: 'm'.repeat(length) }))) {
      nth += 1;
      await Bun.sleep(0);
    }
  expect(store.attempts.closeNow(closingOf('r'))).toBe(false);
  for (let tries = 0; tries < 2; tries += 1)
    await expect(store.attempts.close(closingOf('r'))).rejects.toThrow(StoreUnavailableError);
  beforeFold = () => Promise.resolve();
  expect(await store.attempts.close(closingOf('r'))).toBe(true);
  expect(await requestsIn(store)).toBe(1);
});

describe('a request without a budget', () => {
  test('is recorded at once, and every worker reads what all have recorded', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    for (let nth = 0; nth < 20; nth += 1) record(nth % 2 === 0 ? one : two, `r${nth}`);
    expect(await requestsIn(one)).toBe(20);
    record(two, 'later');
    expect(await requestsIn(one)).toBe(21);
  });

  test('that another process takes for dead is settled once', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const opening = anOpening({ requestId: 'r', attemptId: 'r.1', estimateNano: 7n });
    expect(one.attempts.openNow(opening)).toEqual({ admitted: true });
    expect(await two.attempts.sweep(one.instanceId, 5)).toBe(1);
    await one.attempts.close(closingOf('r'));
    expect(await requestsIn(two)).toBe(1);
  });

  test('goes to the process that holds the database where a power cut must lose nothing', async () => {
    const store = await workerWith(2, 'full');
    expect(store.attempts.openNow(anOpening({ requestId: 'r', attemptId: 'r.1' }))).toBeUndefined();
    expect(existsSync(join(data(), 'journal-2'))).toBe(false);
  });
});

test('a request with a budget is decided by the process that holds the database', async () => {
  const [one, two] = [await workerWith(2), await workerWith(3)];
  const scopes = [{ scope: 'token:t', unit: 'usd' as const, windowStartMs: 0, limit: 700n }];
  const open = async (store: Store, nth: number) => {
    const opening = anOpening({
      requestId: `b${nth}`,
      attemptId: `b${nth}.1`,
      tokenId: 't',
      scopes,
      reserveNano: 100n,
    });
    return store.attempts.openNow(opening) ?? (await store.attempts.open(opening));
  };
  const verdicts = await Promise.all(Array.from({ length: 24 }, (_, nth) => open(nth % 2 === 0 ? one : two, nth)));
  expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(7);
  expect(await one.budgets.read('token:t', 0)).toEqual({ spentNano: 0n, heldNano: 700n });
});

describe('shares of a budget', () => {
  const scopesOf = (limit: bigint) => [{ scope: 'token:t', unit: 'usd' as const, windowStartMs: 0, limit }];
  let nth = 0;
  const openingOf = (scopes: ReturnType<typeof scopesOf>) => {
    nth += 1;
    return anOpening({ requestId: `s${nth}`, attemptId: `s${nth}.1`, tokenId: 't', scopes, reserveNano: 100n });
  };
  /** Opens until the worker decides by itself. */
  async function untilShared(store: Store, scopes: ReturnType<typeof scopesOf>): Promise<string[]> {
    const opened: string[] = [];
    for (;;) {
      const opening = openingOf(scopes);
      const now = store.attempts.openNow(opening);
      if (now === undefined) expect(await store.attempts.open(opening)).toEqual({ admitted: true });
      opened.push(opening.requestId);
      if (now !== undefined) return opened;
      await Bun.sleep(5);
    }
  }

  test('let workers decide by themselves, and every reader sees what they hold', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const scopes = scopesOf(1_000_000n);
    const opened = [...(await untilShared(one, scopes)), ...(await untilShared(two, scopes))];
    expect(await one.budgets.read('token:t', 0)).toEqual({ spentNano: 0n, heldNano: 100n * BigInt(opened.length) });
    for (const requestId of opened) {
      const closing = { ...closingOf(requestId), costNano: 30n };
      const isClosed = one.attempts.closeNow(closing) || two.attempts.closeNow(closing);
      expect(isClosed || (await one.attempts.close(closing))).toBe(true);
    }
    expect(await two.budgets.read('token:t', 0)).toEqual({ spentNano: 30n * BigInt(opened.length), heldNano: 0n });
    expect(await requestsIn(two)).toBe(opened.length);
  });

  test('are given back where another worker has none left, to the last unit', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const scopes = scopesOf(20_000n);
    let held = (await untilShared(one, scopes)).length + (await untilShared(two, scopes)).length;
    const open = async (store: Store): Promise<boolean> => {
      const opening = openingOf(scopes);
      return (store.attempts.openNow(opening) ?? (await store.attempts.open(opening))).admitted;
    };
    const verdicts = await Promise.all(Array.from({ length: 240 }, (_, at) => open(at % 2 === 0 ? one : two)));
    held += verdicts.filter(Boolean).length;
    expect(held).toBe(200);
    expect(await two.budgets.read('token:t', 0)).toEqual({ spentNano: 0n, heldNano: 20_000n });
  });

  const openWith = async (store: Store, opening: ReturnType<typeof openingOf>): Promise<boolean> =>
    (store.attempts.openNow(opening) ?? (await store.attempts.open(opening))).admitted;

  test('are given back before a video task is decided, and what workers recorded counts', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const scopes = scopesOf(100_000n);
    let held = (await untilShared(one, scopes)).length;
    for (; held < 60; held += 1) expect(await openWith(one, openingOf(scopes))).toBe(true);
    const video = (reserveNano: bigint) => {
      const { opening, task } = aBeginning({}, { scopes });
      return two.tasks.create({ ...opening, reserveNano }, task, 1_000);
    };
    expect(await video(100_001n - 100n * BigInt(held))).toMatchObject({ admitted: false });
    expect(await video(99_900n - 100n * BigInt(held))).toEqual({ admitted: true });
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => openWith(one, openingOf(scopes))));
    expect(verdicts.filter(Boolean)).toHaveLength(1);
    expect(await two.budgets.read('token:t', 0)).toEqual({ spentNano: 0n, heldNano: 100_000n });
  });

  test('leave a video task the room of requests that have just ended', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const scopes = scopesOf(100_000n);
    const opened = await untilShared(one, scopes);
    for (let more = 0; more < 60; more += 1) {
      const opening = { ...openingOf(scopes), reserveNano: 1_000n };
      expect(await openWith(one, opening)).toBe(true);
      opened.push(opening.requestId);
    }
    expect((await two.budgets.read('token:t', 0)).heldNano).toBeGreaterThan(60_000n);
    for (const requestId of opened) {
      const closing = { ...closingOf(requestId), costNano: 1n };
      if (!one.attempts.closeNow(closing)) await one.attempts.close(closing);
    }
    const { opening, task } = aBeginning({}, { scopes });
    expect(await two.tasks.create({ ...opening, reserveNano: 90_000n }, task, 1_000)).toEqual({ admitted: true });
  });

  test('of a budget that is overdrawn admit nothing, also where nothing is reserved', async () => {
    const one = await workerWith(2);
    for (let nth = 0; nth < 5; nth += 1) expect(await openWith(one, openingOf(scopesOf(1_000n)))).toBe(true);
    const free = { ...openingOf(scopesOf(400n)), reserveNano: 0n };
    expect(await openWith(one, free)).toBe(false);
    expect(await openWith(one, { ...openingOf(scopesOf(500n)), reserveNano: 0n })).toBe(true);
  });

  test('of a worker that is gone are free once its journal is in the tables', async () => {
    const [one, two] = [await workerWith(2), await workerWith(3)];
    const scopes = scopesOf(20_000n);
    const opened = (await untilShared(one, scopes)).length;
    await stores.shift()?.close();
    workers.delete(2);
    await holder.journals.recover(2);
    const opens = Array.from({ length: 210 }, () => two.attempts.open(openingOf(scopes)));
    const admitted = (await Promise.all(opens)).filter((verdict) => verdict.admitted);
    expect(opened + admitted.length).toBe(200);
  });
});

test('budgets of all units are decided there, for all workers, and the first without room is named', async () => {
  const workers = [await workerWith(2), await workerWith(3)] as const;
  const scopes = [
    { scope: 'team:a#r', unit: 'requests', windowStartMs: 0, limit: 9n },
    { scope: 'org:org#t', unit: 'tokens', windowStartMs: 0, limit: 10_000n },
    { scope: 'aaa:m', unit: 'usd', windowStartMs: 0, limit: 900n },
  ] as const;
  const opening = (nth: number) =>
    anOpening({ requestId: `u${nth}`, attemptId: `u${nth}.1`, scopes, reserveNano: 100n, reserveTokens: 50 });
  const open = (nth: number) => workers[nth % 2 === 0 ? 0 : 1].attempts.open(opening(nth));
  const verdicts = await Promise.all(Array.from({ length: 24 }, (_, nth) => open(nth)));
  expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(9);
  expect(verdicts.find(({ admitted }) => !admitted)).toEqual({ admitted: false, scope: 'team:a#r' });
  const taken = verdicts.flatMap(({ admitted }, nth) => (admitted ? [nth] : []));
  const ended = taken.map((nth, at) => {
    const known =
      at % 3 === 0 ? { verdict: 'refused', costNano: 0n } : { costNano: 10n, ...(at % 3 === 1 && { tokens: 7 }) };
    // Also by the worker that did not open it.
    return workers[at % 2 === 0 ? 0 : 1].attempts.close({
      attemptId: `u${nth}.1`,
      estimated: false,
      atMs: 2,
      ...known,
    });
  });
  expect(await Promise.all(ended)).not.toContain(false);
  const [one] = workers;
  expect(await one.budgets.read('team:a#r', 0)).toEqual({ spentNano: 6n, heldNano: 0n });
  expect(await one.budgets.read('org:org#t', 0)).toEqual({ spentNano: 171n, heldNano: 0n });
  expect(await one.budgets.read('aaa:m', 0)).toEqual({ spentNano: 60n, heldNano: 0n });
  // Three are left of the requests, although eight would fit into the money.
  const more = await Promise.all(Array.from({ length: 8 }, (_, nth) => open(100 + nth)));
  expect(more.filter(({ admitted }) => admitted)).toHaveLength(3);
});

describe('what a dead worker left', () => {
  test('is folded before another one takes its journal', async () => {
    const store = await workerWith(2);
    for (let nth = 0; nth < 30; nth += 1) record(store, `r${nth}`);
    // As a killed process leaves it: recorded, not folded, and no longer locked.
    cpSync(data(), data('killed'), { recursive: true });
    const next = await hold(data('killed'));
    const sums = await openStore({ dataFolder: data('killed'), synchronous: 'normal', nowMs });
    expect(await requestsIn(sums)).toBe(30);
    expect(next.notices()).toEqual([]);
    await sums.close();
    await next.close();
  });

  test('of another database is not folded into this one', async () => {
    const store = await workerWith(2);
    record(store, 'theirs');
    cpSync(join(data(), 'journal-2'), join(data(), 'journal-9'));
    const foreign = await workerWith(9);
    expect(await requestsIn(foreign)).toBe(1);
  });

  test('waits for the end of its process', async () => {
    await workerWith(2);
    let isRecovered = false;
    const recovered = holder.journals.recover(2).then(() => {
      isRecovered = true;
    });
    // One that no process holds takes as many steps.
    for (const free of [7, 8, 9]) await holder.journals.recover(free);
    expect(isRecovered).toBe(false);
    await stores.splice(0)[0]?.close();
    await recovered;
  });
});
