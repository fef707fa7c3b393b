/** Replies that end while PostgreSQL is unavailable: however the process ends, the ledger equals the invoice. */

import { expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { costNanoOf } from '../fake-upstream/invoice.ts';
import { dataOf, post, scripted } from '../harness/chat.ts';
import { type Door, makeDoor } from '../harness/door.ts';
import { expectBalanced, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, beforeEach, describe, test } = needing('postgres');

let upstream: RunningUpstream;
let door: Door;
let weir: RunningWeir;
let databaseUrl: string;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

async function start(drainMs: number): Promise<void> {
  databaseUrl = await postgresUrl();
  const url = new URL(databaseUrl);
  door = makeDoor(new URL(databaseUrl));
  url.port = String(door.port);
  weir = await startWeir({
    env: { DATABASE_URL: url.href },
    yaml: {
      providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
      prices: { 'gpt-4.1': { input: 2, output: 8 } },
      clocks: { drain_ms: drainMs },
    },
  });
}
async function end(): Promise<void> {
  await weir.remove();
  door.shut();
}
beforeEach(() => upstream.reset());

const ledger = () => settledLedger({ ...weir, databaseUrl }, tokenId);
const spills = () => readdirSync(weir.dataFolder).filter((name) => name.includes('.spill'));

let tokenId: string;

/** Streams that end, for their clients, while the database is unavailable. */
async function streamsWhileAway(count: number): Promise<void> {
  const token = await createToken(weir, '--budget-usd', '100', '--budget-period', 'total');
  const options = { stream: true, stream_options: { include_usage: true } };
  const body = (nonce: string) => scripted({ deltas: 40, paceMs: 160, nonce }, options);
  const replies = Array.from({ length: count }, async (_, index) => (await post(token, body(`n${index}`))).text());
  tokenId = token.id;
  const own = () => readLedger({ ...weir, databaseUrl }, token.id);
  await until(async () => (await own()).attempts.length === count, 60_000, 'all attempts');
  door.shut();
  for (const text of await Promise.all(replies)) expect(dataOf(text).at(-1)).toBe('[DONE]');
}

async function expectInvoiced(count: number): Promise<void> {
  const found = await ledger();
  expectBalanced(found);
  const invoice = await upstream.invoice();
  expect(invoice).toHaveLength(count);
  expect(found.attempts.map(({ estimated }) => estimated)).toEqual(Array.from({ length: count }, () => false));
  const billed = invoice.reduce(
    (sum, entry) => sum + costNanoOf(entry.reported ?? { promptTokens: 0, completionTokens: 0 }),
    0n,
  );
  expect(totalCostNano(found.usage)).toBe(billed);
  expect(found.usage.filter(({ code }) => code !== '')).toEqual([]);
}

describe('a database that stays away', () => {
  beforeAll(() => start(1_000));
  afterAll(end);

  test('SIGTERM: the exit code and the last line report them, and the next start writes them', async () => {
    await streamsWhileAway(10);
    expect(await weir.stop()).toBe(1);
    expect(spills()).toHaveLength(1);
    expect(weir.output()).toContain(
      `10 settlements could not be written to the database. They are in ${weir.dataFolder}`,
    );
    door.reopen();
    await weir.restart();
    await expectInvoiced(10);
  }, 300_000);

  test('SIGKILL: nothing is lost if its client saw the end', async () => {
    await streamsWhileAway(10);
    await weir.kill();
    door.reopen();
    await weir.restart();
    await expectInvoiced(10);
  }, 300_000);
});

describe('a database that comes back', () => {
  beforeAll(() => start(30_000));
  afterAll(end);

  test('SIGTERM waits for a database that comes back, and exits with 0', async () => {
    await streamsWhileAway(4);
    const before = weir.output().length;
    const refused = await Promise.all(Array.from({ length: 200 }, () => post(weir, scripted({}))));
    expect(refused.filter(({ status }) => status !== 503)).toEqual([]);
    // Each kind of log line is written once and then counted.
    const lines = weir.output().slice(before).split('\n');
    expect(lines.filter((line) => / (error|warn) /.test(line)).length).toBeLessThan(40);
    door.reopen();
    expect(await weir.stop()).toBe(0);
    expect(spills()).toEqual([]);
    await expectInvoiced(4);
  }, 300_000);
});
