/**
 * Four replicas on a PostgreSQL whose primary dies and whose standby takes over, under load: what Weir had not settled yet is in the
 * ledger afterwards, nothing stays open, and budgets are what rows say. A standby that lagged loses what had ended by then.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { type Door, makeDoor } from '../harness/door.ts';
import { expectBalanced, type LedgerRows } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { type PostgresCluster, postgresCluster, standbyOf } from '../harness/postgres.ts';
import { killPostgres, promotePostgres } from '../harness/postgres-faults.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { countOf, ledgerOf, type Sent, send } from './crowd.ts';
import { chat, costNano, type Kind, type PricedProvider, startPricedProvider, stream } from './priced-provider.ts';

setDefaultTimeout(10 * 60_000);

const replicaCount = 4;
const requests = sized(300, 700);
const streams = sized(20, 40);
/** When each request is sent, the standby loses its primary, the primary dies, the standby takes over. */
const sendingMs = 18_000;
const lagsAtMs = 4_000;
const diesAtMs = 11_000;
const awayMs = 2_000;
const streamMs = 12_000;
/** A reply that ended so long after the primary died was not settled by it. */
const marginMs = 1_000;

interface Timed extends Sent {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const { afterEach, describe, test } = needing('postgres');

describe('a failover of PostgreSQL', () => {
  const doors: Door[] = [];
  let replicas: Replicas | undefined;
  let provider: PricedProvider | undefined;
  afterEach(async () => {
    await replicas?.remove();
    await provider?.stop();
    for (const door of doors.splice(0)) door.shut();
  });

  function doorTo(url: string): Door {
    const door = makeDoor(new URL(url));
    doors.push(door);
    return door;
  }

  const through = (url: string, { port }: Door): string => {
    const way = new URL(url);
    way.port = String(port);
    return way.href;
  };

  async function ask(url: string, sql: string): Promise<readonly unknown[][]> {
    const client = new Bun.SQL(url, { max: 1 });
    try {
      return (await client.unsafe(sql).values()) as unknown[][];
    } finally {
      await client.close();
    }
  }

  async function startPair(
    isSynchronous: boolean,
  ): Promise<{ primary: PostgresCluster; standby: PostgresCluster; following: Door }> {
    const primary = await postgresCluster();
    const following = doorTo(primary.url);
    const standby = await standbyOf(primary, following.port);
    const streaming = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
    await until(async () => (await ask(primary.url, streaming)).length > 0, undefined, 'the standby to follow');
    if (isSynchronous) {
      await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await ask(primary.url, 'SELECT pg_reload_conf()');
      const isSync = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
      await until(async () => (await ask(primary.url, isSync)).length > 0, undefined, 'a synchronous standby');
    }
    return { primary, standby, following };
  }

  /** Some of both kinds at any moment, over all replicas in turn. */
  function sendAll(on: Replicas, { token }: MadeToken): Promise<Timed[]> {
    const beganAtMs = performance.now();
    const one = async (kind: Kind, index: number, atMs: number): Promise<Timed> => {
      await Bun.sleep(atMs);
      const startedAtMs = performance.now() - beganAtMs;
      const { base } = on.at(index % replicaCount);
      const sent = await send({ base, token }, kind, `${kind.name}-${index}`);
      return { ...sent, startedAtMs, endedAtMs: performance.now() - beganAtMs };
    };
    const spread = (index: number, of: number): number => (index / of) * sendingMs;
    return Promise.all([
      ...Array.from({ length: requests }, (_, index) => one(chat, index, spread(index, requests))),
      // They begin before the primary dies and end after it.
      ...Array.from({ length: streams }, (_, index) =>
        one(stream, index, (spread(index, streams) / sendingMs) * 9_000),
      ),
    ]);
  }

  async function sumOf(metric: string): Promise<number> {
    const texts = await Promise.all(
      (replicas?.all ?? []).map(async ({ base, token }) => {
        const url = `${base.replace(/\/v1$/, '')}/metrics`;
        return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
      }),
    );
    const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith(metric)));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  const isWhole = (ledger: LedgerRows, { requestId }: Sent): boolean => {
    const made = ledger.attempts.filter((attempt) => attempt.requestId === requestId);
    const rows = ledger.usage.filter((row) => row.requestId === requestId);
    return (
      made.length === 1 &&
      made.every((attempt) => attempt.state === 'settled' && !attempt.estimated && attempt.costNano === costNano) &&
      rows.length === 1 &&
      rows.every((row) => row.code === '' && row.costNano === costNano)
    );
  };

  for (const isSynchronous of [false, true]) {
    test(`to ${isSynchronous ? 'a synchronous standby' : 'an asynchronous standby that lags 7 s'}`, async () => {
      const { primary, standby, following } = await startPair(isSynchronous);
      const door = doorTo(primary.url);
      provider = startPricedProvider();
      provider.replyMs = (nonce) => (nonce.startsWith('stream') ? streamMs : 100 + (Bun.hash.crc32(nonce) % 3_000));
      replicas = await startReplicas(replicaCount, {
        databaseUrl: through(primary.url, door),
        yaml: provider.yaml,
        env: { WEIR_CLOCKS_DATABASE_TIMEOUT_MS: '5000' },
      });
      const token = await createToken(replicas.at(0), '--budget-usd', '1000', '--budget-period', 'total');
      if (!isSynchronous) {
        // What it has is what it is left with; the token is there.
        const level = 'SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()';
        await until(async () => (await ask(primary.url, level)).length > 0, undefined, 'the standby to have all');
      }
      const beganAtMs = performance.now();
      const sinceMs = (): number => performance.now() - beganAtMs;
      const sending = sendAll(replicas, token);
      await Bun.sleep(lagsAtMs);
      if (!isSynchronous) following.shut();
      await Bun.sleep(diesAtMs - sinceMs());
      await killPostgres(primary);
      door.shut();
      const diedAtMs = sinceMs();
      await Bun.sleep(awayMs);
      await promotePostgres(standby);
      door.reopen(new URL(standby.url));
      const sent = await sending;
      // Sweeps, the comparison with what runs, and repeated closings come after the last reply.
      const ledger = await ledgerOf(replicas.place, token.id);

      const served = sent.filter(({ outcome }) => outcome === 'served');
      const missing = served.filter((each) => !isWhole(ledger, each));
      const inHand = served.filter(({ endedAtMs }) => endedAtMs > diedAtMs + marginMs);
      const inHandMissing = inHand.filter((each) => !isWhole(ledger, each));
      const recovered = await sumOf('weir_attempts_recovered_total');
      const ended = await sumOf('weir_attempts_ended_total');
      const figures = [
        `${served.length} whole replies`,
        `${countOf(sent, 'unavailable')} times 503`,
        `${missing.length} without their exact row`,
        `${inHand.length} ended after the primary died`,
        `${inHandMissing.length} of them without`,
        `${recovered} recovered`,
        `${ended} ended as estimated`,
      ];
      console.log(`${isSynchronous ? 'synchronous' : 'asynchronous'}: ${figures.join(', ')}`);
      expect([countOf(sent, 'unanswered'), countOf(sent, 'cut')]).toEqual([0, 0]);
      expect(inHand.length).toBeGreaterThan(streams);
      expect(inHandMissing).toEqual([]);
      expectBalanced(ledger);
      expect(ledger.attempts.filter(({ state }) => state !== 'settled')).toEqual([]);
      expect(await sumOf('weir_settlements_lost_total')).toBe(0);
      if (isSynchronous) expect([missing, ended]).toEqual([[], 0]);
      else expect(recovered).toBeGreaterThan(0);
    });
  }
});
