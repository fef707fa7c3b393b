/**
 * Four replicas on one PostgreSQL during outages and pauses: what they charge in the end is what the provider invoiced.
 */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptOpening } from '../../src/ledger/ledger.ts';
import { openLedger, type RunningLedger } from '../../src/ledger/open-ledger.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Door, makeDoor } from '../harness/door.ts';
import { needing } from '../harness/needs.ts';
import {
  anOpening,
  aScope,
  aUsageRow,
  checkMoney,
  engines,
  reached,
  type StorePlace,
} from '../harness/store-places.ts';
import { until } from '../harness/until.ts';

const { afterEach, beforeEach, test } = needing('postgres');

const scope = 'token:token-1';
const leaseMs = 15_000;
const heartbeatMs = 5_000;

interface Replica {
  readonly store: Store;
  readonly ledger: RunningLedger;
}

let place: StorePlace;
let door: Door;
let folder: string;
let replicas: Replica[] = [];
let now = 0;
/** What the provider billed, by attempt. */
let invoice: Map<string, bigint>;

beforeEach(async () => {
  now = Date.now();
  invoice = new Map();
  folder = mkdtempSync(join(tmpdir(), 'weir-replicas-'));
  place = await engines[1].place();
  const { databaseUrl, pgbouncer } = await reached(place.databaseUrl ?? '');
  const target = new URL(databaseUrl);
  door = makeDoor(new URL(target));
  target.port = String(door.port);
  replicas = await Promise.all(Array.from({ length: 4 }, () => startReplica(target.href, pgbouncer)));
});
afterEach(async () => {
  await Promise.all(replicas.map(({ store }) => store.close().catch(() => undefined)));
  door.shut();
  await place.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function startReplica(databaseUrl: string, pgbouncer: boolean): Promise<Replica> {
  const store = await openStore({
    databaseUrl,
    pgbouncer,
    databaseTimeoutMs: 60_000,
    dataFolder: folder,
    synchronous: 'normal',
    nowMs: () => now,
  });
  const never = 2_000_000_000;
  const timers = { heartbeatMs: never, sweepMs: never, checkpointMs: never };
  const ledger = openLedger({ store, nowMs: () => now, leaseMs, ...timers });
  await ledger.start();
  return { store, ledger };
}

const failed = (): 'failed' => 'failed';

/** Time passes for these replicas: each writes its heartbeat and sweeps, as far as it can. Returns what was swept. */
async function pass(durationMs: number, living: readonly Replica[]): Promise<number> {
  let swept = 0;
  for (let passedMs = 0; passedMs < durationMs; passedMs += heartbeatMs) {
    now += heartbeatMs;
    const rounds = living.map(async ({ ledger }) => {
      await ledger.heartbeat().catch(failed);
      return ledger.sweepOnce().catch(failed);
    });
    for (const count of await Promise.all(rounds)) if (count !== 'failed') swept += count;
  }
  return swept;
}

async function openEach(each: number): Promise<{ ledger: RunningLedger; opening: AttemptOpening; costNano: bigint }[]> {
  const calls = replicas.flatMap(({ ledger }, index) =>
    Array.from({ length: each }, (_, at) => {
      const requestId = `request-${index}-${at}-${invoice.size}`;
      const scopes = [aScope(100_000_000n)];
      const opening = anOpening({ requestId, attemptId: `${requestId}.1`, scopes, estimateNano: 1n, atMs: now });
      return { ledger, opening, costNano: BigInt(500 + index * 10 + at) };
    }),
  );
  await Promise.all(calls.map(({ ledger, opening }) => ledger.open(opening)));
  for (const { opening, costNano } of calls) invoice.set(opening.attemptId, costNano);
  return calls;
}

type Call = Awaited<ReturnType<typeof openEach>>[number];

const close = ({ ledger, opening, costNano }: Call) =>
  ledger.close({
    attemptId: opening.attemptId,
    costNano,
    estimated: false,
    atMs: now,
    verdict: '',
    row: aUsageRow({ requestId: opening.requestId, costNano, atMs: now }),
  });

const answers = () =>
  replicas[0]?.store.ping().then(
    () => true,
    () => false,
  ) ?? false;

async function expectInvoiced(): Promise<void> {
  const billed = [...invoice.values()].reduce((sum, each) => sum + each, 0n);
  const charged = new Map(
    (await place.query('SELECT id, cost_nano FROM attempts')).map(([id, cost]) => [String(id), BigInt(String(cost))]),
  );
  expect(charged).toEqual(invoice);
  expect(await place.query("SELECT COUNT(*), COUNT(*) FILTER (WHERE code = 'swept') FROM usage_rows")).toEqual([
    [BigInt(invoice.size), 0n],
  ]);
  const [[rows] = []] = await place.query('SELECT CAST(SUM(cost_nano) AS BIGINT) FROM usage_rows');
  expect(rows).toBe(billed);
  const spent = await place.query(`SELECT spent_nano, held_nano FROM budgets WHERE scope = '${scope}'`);
  expect(spent).toEqual([[billed, 0n]]);
  expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
}

test('an outage of 30 s makes no replica look dead, and every reply that ended meanwhile is charged exactly', async () => {
  const calls = await openEach(5);
  await pass(heartbeatMs, replicas);
  door.shut();
  await Promise.all(calls.map(close));
  expect(await pass(30_000, replicas)).toBe(0);
  door.reopen();
  await until(answers, 60_000, 'PostgreSQL answers');
  // The first replica to return: its own silence was as long as that of the others.
  expect(await pass(heartbeatMs, replicas.slice(0, 1))).toBe(0);
  expect(await pass(2 * heartbeatMs, replicas)).toBe(0);
  await expectInvoiced();
}, 300_000);

test('a replica that stood still is swept, comes back by itself, and what it knew corrects the estimates', async () => {
  const [frozen, ...others] = replicas;
  if (frozen === undefined) throw new Error('no replica');
  const calls = await openEach(5);
  await pass(heartbeatMs, replicas);
  expect(await pass(28_000, others)).toBe(5);
  // It wakes: its sweep comes before its heartbeat, and it sweeps no other replica.
  expect(await frozen.ledger.sweepOnce()).toBe(0);
  await frozen.ledger.heartbeat();
  const known = (await others[0]?.store.instances.others())?.map(({ id }) => id);
  expect(known).toContain(frozen.store.instanceId);
  await Promise.all(calls.map(close));
  await Promise.all(calls.map(close));
  expect(await pass(leaseMs + 2 * heartbeatMs, replicas)).toBe(0);
  await expectInvoiced();
}, 300_000);

test('a replica that died is still swept after an outage, one lease after it ended', async () => {
  const calls = await openEach(2);
  const [dead, ...living] = replicas;
  await pass(heartbeatMs, replicas);
  door.shut();
  await pass(20_000, living);
  door.reopen();
  await until(answers, 60_000, 'PostgreSQL answers');
  expect(await pass(leaseMs + 4 * heartbeatMs, living)).toBe(2);
  await Promise.all(calls.filter(({ ledger }) => ledger !== dead?.ledger).map(close));
  expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
}, 300_000);
