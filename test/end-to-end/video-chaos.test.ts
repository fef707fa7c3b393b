/**
 * Replicas are killed while a thousand videos are made: every task ends once, with its provider's state, charged once, and
 * polled no more often than configured. CI runs a small one; `npm run soak` sets WEIR_CHAOS_TASKS=1000 and
 * WEIR_CHAOS_KILL_MS=10000.
 */

import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProviderTask, startVideoProvider, type VideoProvider } from '../fake-upstream/videos/video-provider.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { Random } from '../harness/random.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const tasksCount = Number(process.env['WEIR_CHAOS_TASKS'] ?? 40);
const killEveryMs = Number(process.env['WEIR_CHAOS_KILL_MS'] ?? 1_500);
const askEveryMs = 300;
const leaseMs = 2_000;
/** Far longer than any video takes: it ends only tasks that no replica can poll. */
const deadlineMs = Math.max(120_000, killEveryMs * 8);
const nanoPerSecond = 1_000_000n;
const seconds = 4;
const killsMin = 2;
/** A start takes more than all of a few videos, and later kills of the small one come when most have ended. */
const killsMax = process.env['WEIR_CHAOS_TASKS'] === undefined ? killsMin : Number.POSITIVE_INFINITY;
const testTimeoutMs = 8 * 60_000;
const ended: (() => Promise<void> | void)[] = [];

afterAll(async () => {
  for (const end of ended.reverse()) await end();
});

const numberOf = (prompt: string): number => Number(prompt.split(' ')[1]);
const isFailing = (prompt: string): boolean => numberOf(prompt) % 7 === 0;

function scriptedProvider(random: Random): VideoProvider {
  const provider = startVideoProvider({
    workMs: () => random.int(500, Math.max(6_000, 2 * killEveryMs)),
    outcome: (prompt) => (isFailing(prompt) ? 'failed' : 'completed'),
    trouble: () => (random.chance(0.05) ? random.pick([429, 500, 503, 404]) : undefined),
  });
  ended.push(() => provider.stop());
  return provider;
}

function yamlFor(provider: VideoProvider): object {
  return {
    providers: {
      up: { kind: 'litellm', base_url: `${provider.url}/v1`, key: 'provider-key-0123456789', models: ['sora-test'] },
    },
    prices: { 'sora-test': { video_second: Number(nanoPerSecond) / 1e9 } },
  };
}

const settings = {
  WEIR_TASKS_ASK_EVERY_MS: String(askEveryMs),
  WEIR_TASKS_LEASE_MS: String(leaseMs),
  WEIR_TASKS_DEADLINE_MS: String(deadlineMs),
  WEIR_CLOCKS_HEAD_TIMEOUT_MS: '10000',
  WEIR_LOG_LEVEL: 'error',
};

/** Orders at any replica that answers; the idempotency key makes retries one order. */
async function order(replicas: readonly RunningWeir[], index: number): Promise<void> {
  let key = crypto.randomUUID();
  for (let tries = 0; tries < 200; tries++) {
    const weir = replicas[(index + tries) % replicas.length];
    const reply = await fetch(`${weir?.url}/v1/videos`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${weir?.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ model: 'sora-test', prompt: `video ${index}`, seconds: String(seconds) }),
    }).catch(() => undefined);
    if (reply?.status === 200) return void (await reply.text());
    // The key's first request died before its task was created: it stays claimed, and nothing was ordered.
    if (reply?.status === 409) key = crypto.randomUUID();
    await Bun.sleep(200);
  }
  throw new Error(`video ${index} was never ordered`);
}

async function orderAll(replicas: readonly RunningWeir[]): Promise<void> {
  const waiting = Array.from({ length: tasksCount }, (_, index) => index);
  const lane = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      await order(replicas, index);
      // Spread, so that replicas die in the middle of orders too.
      await Bun.sleep(killEveryMs / 3);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly ticket: string | null;
  readonly error: string | null;
  readonly attempt: string;
}

const columns = 'id, state, ticket, error, attempt_id AS attempt';

async function taskRows({ databaseUrl, dataFolder }: RunningWeir): Promise<Row[]> {
  if (databaseUrl === undefined) {
    const database = new Database(join(dataFolder, 'weir.db'), { readonly: true });
    database.run('PRAGMA busy_timeout = 60000');
    try {
      return database.query<Row, []>(`SELECT ${columns} FROM tasks`).all();
    } finally {
      database.close();
    }
  }
  const sql = new Bun.SQL(databaseUrl, { max: 1 });
  try {
    return (await sql.unsafe(`SELECT ${columns} FROM tasks`)) as Row[];
  } finally {
    await sql.close();
  }
}

async function untilEnded(weir: RunningWeir): Promise<Row[]> {
  let rows: Row[] = [];
  const done = async (): Promise<boolean> => {
    rows = await taskRows(weir).catch(() => []);
    return rows.length > 0 && rows.every(({ state }) => state === 'completed' || state === 'failed');
  };
  await until(done, 2 * deadlineMs + 60_000, 'every task has ended');
  return rows;
}

/** The row of one of the provider's tasks, by the ticket that Weir stored. */
function rowOf(rows: readonly Row[], task: ProviderTask): Row | undefined {
  return rows.find(({ ticket }) => ticket?.includes(task.id) === true);
}

async function check(weir: RunningWeir, provider: VideoProvider): Promise<void> {
  const rows = await untilEnded(weir);
  const orphans = rows.filter(({ ticket }) => ticket === null);
  const providerTasks = [...provider.tasks.values()];
  let asks = 0;
  for (const task of providerTasks) {
    const row = rowOf(rows, task);
    // Its process died before it got the ticket: such a row has none, and the provider was never polled.
    if (row === undefined) {
      expect(task.asked).toEqual([]);
      continue;
    }
    expect([task.prompt, row.state]).toEqual([task.prompt, task.outcome]);
    asks += task.asked.length;
    const gaps = task.asked.slice(1).map((at, index) => at - (task.asked[index] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThan(askEveryMs - 20);
  }
  for (const { state, error } of orphans) {
    expect(state).toBe('failed');
    expect(error).toContain('1207');
  }
  expect(rows.length).toBeGreaterThanOrEqual(tasksCount);
  const ledger = await readLedger(weir);
  const completed = rows.filter(({ state }) => state === 'completed').length;
  const charged = BigInt(completed + orphans.length) * BigInt(seconds) * nanoPerSecond;
  const settled = ledger.attempts.filter(({ state, costNano }) => state === 'settled' && costNano !== 0n);
  expect(settled.reduce((sum, { costNano = 0n }) => sum + costNano, 0n)).toBe(charged);
  expect(ledger.attempts.filter(({ state }) => state !== 'settled')).toEqual([]);
  expect(new Set(rows.map(({ attempt }) => attempt)).size).toBe(rows.length);
  // One row for each task; orders that were refused while a replica stopped cost nothing.
  const paid = ledger.usage.filter(({ costNano }) => costNano > 0n);
  expect(paid.length).toBe(completed + orphans.length);
  expect(paid.filter(({ estimated }) => estimated).length).toBe(orphans.length);
  console.log(
    `${rows.length} tasks, ${completed} completed, ${orphans.length} of unknown outcome, ${asks} polls, ${providerTasks.reduce((sum, { fetched }) => sum + fetched.length, 0)} downloads`,
  );
}

needing('postgres').test(
  'on three replicas with PostgreSQL, one of which is killed repeatedly',
  async () => {
    const random = new Random(7);
    const provider = scriptedProvider(random);
    const url = await postgresUrl();
    // Results are in one folder that all replicas see, and one key signs for all.
    const folders = await Promise.all(Array.from({ length: 3 }, () => mkdtemp(join(tmpdir(), 'weir-chaos-'))));
    ended.push(() =>
      Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))).then(() => undefined),
    );
    const token = `test-token-${crypto.randomUUID()}`;
    const env = { ...settings, DATABASE_URL: url, WEIR_SECRET_KEY: 'one-key-for-all-replicas-0123456789abcdef' };
    const replicas: RunningWeir[] = [];
    for (const dataFolder of folders) {
      const weir = await startWeir({ yaml: yamlFor(provider), env, dataFolder, token });
      ended.push(() => weir.remove());
      replicas.push(weir);
    }
    let over = false;
    let kills = 0;
    const killing = (async () => {
      for (let turn = 0; kills < killsMax && (!over || kills < killsMin); turn++) {
        await Bun.sleep(killEveryMs);
        const victim = replicas[turn % replicas.length];
        await victim?.kill();
        kills++;
        await victim?.restart();
      }
    })();
    await orderAll(replicas);
    const first = { ...replicas[0], databaseUrl: url } as RunningWeir;
    const checking = check(first, provider).finally(() => {
      over = true;
    });
    await Promise.all([checking, killing]);
    console.log(`${kills} kills`);
  },
  testTimeoutMs,
);

test(
  'on SQLite, with a process that is killed and started again',
  async () => {
    const random = new Random(11);
    const provider = scriptedProvider(random);
    const weir = await startWeir({ yaml: yamlFor(provider), env: settings });
    ended.push(() => weir.remove());
    let over = false;
    let kills = 0;
    const killing = (async () => {
      while (kills < killsMax && (!over || kills < killsMin)) {
        await Bun.sleep(killEveryMs);
        await weir.kill();
        kills++;
        await weir.restart();
      }
    })();
    await orderAll([weir]);
    const checking = check(weir, provider).finally(() => {
      over = true;
    });
    await Promise.all([checking, killing]);
    console.log(`${kills} kills`);
  },
  testTimeoutMs,
);
