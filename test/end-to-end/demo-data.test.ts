/** The demo data as `npm run demo` makes it, of one day: what the script counted is what the instance recorded. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerName, password, tokenRows } from '../../scripts/demo/people.ts';
import type { OwnedTokenView, PageView } from '../../src/admin/contracts/account-contract.ts';
import type { OverviewView } from '../../src/admin/contracts/analytics-contract.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const runTimeoutMs = 300_000;
const script = join(import.meta.dir, '../../scripts/demo-data.ts');

let folder: string;
let weir: RunningWeir;
let owner: ConsoleClient;
let printed: string;
let code: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-demo-test-'));
  const words = [process.execPath, script, '--days', '1', '--exit', '--keep', folder];
  const child = Bun.spawn(words, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: runTimeoutMs });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  printed = stdout + stderr;
  code = await child.exited;
  weir = await startWeir({ dataFolder: folder, token: null });
  owner = new ConsoleClient(weir);
  expect((await owner.signIn(ownerName, password)).status).toBe(200);
}, runTimeoutMs);

afterAll(async () => {
  await weir?.remove();
  await rm(folder, { recursive: true, force: true });
});

const lastDays = { from: new Date(Date.now() - 2 * 86_400_000), to: new Date(Date.now() + 86_400_000) };

async function overview(words: readonly (readonly [string, string])[] = []): Promise<OverviewView> {
  const { from, to } = lastDays;
  const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  for (const [name, value] of words) query.append(name, value);
  const { status, body } = await owner.get(`/usage/overview?${query}`);
  expect(status).toBe(200);
  return body as OverviewView;
}

test('it ends by itself and prints what the instance recorded', async () => {
  expect([code, printed]).toEqual([0, expect.stringMatching(/: \d+ × 2xx, \d+ × 4xx, \d+ × 5xx\n$/)]);
  const endpoints = ['chat', 'responses', 'messages', 'generate-content', 'embeddings', 'images', 'speech'];
  const recorded = async (digit: string): Promise<number> => {
    const words = [['status', digit] as const, ...endpoints.map((name) => ['endpoint', name] as const)];
    return (await overview(words)).total.requests;
  };
  const numbers = [await recorded('2'), await recorded('4'), await recorded('5')];
  expect(printed).toContain(`: ${numbers[0]} × 2xx, ${numbers[1]} × 4xx, ${numbers[2]} × 5xx\n`);
  for (const number of numbers) expect(number).toBeGreaterThan(0);
});

test('the day has refusals of every kind, failures and costs', async () => {
  const { total, models, buckets } = await overview();
  const codes = [
    ...['field_invalid', 'token_unknown', 'token_expired', 'token_disabled', 'budget_spent'],
    ...['endpoint_not_allowed', 'model_not_found', 'rate_limited', 'content_refused'],
  ];
  for (const refusal of codes) {
    const { requests } = (await overview([['code', refusal]])).total;
    expect([refusal, requests > 0]).toEqual([refusal, true]);
  }
  expect(Number(total.costUsd)).toBeGreaterThan(0);
  expect(total.unpriced).toBe(0);
  expect(models.length).toBeGreaterThan(5);
  // The clock of the instance moved: a run of seconds has requests in most hours of a day.
  expect(buckets.filter(({ requests }) => requests > 0).length).toBeGreaterThan(12);
});

test('every token is there with its owner', async () => {
  const { items } = (await owner.get('/tokens?limit=100')).body as PageView<OwnedTokenView>;
  const owners = new Map(items.map(({ name, ownerName: of }) => [name, of]));
  for (const { name, owner: of } of tokenRows) expect([name, owners.get(name)]).toEqual([name, of]);
});
