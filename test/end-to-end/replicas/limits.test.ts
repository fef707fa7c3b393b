/** Four replicas on one database and one Redis: budgets, rates and concurrency hold for all of them together. */

import { expect } from 'bun:test';
import { post, scripted } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { stopRedis } from '../../harness/redis.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';

const { afterAll, beforeAll, test } = needing('postgres', 'redis');

let upstream: RunningUpstream;
let replicas: Replicas;

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  // Ten tokens cost one cent.
  const prices = { 'up/gpt-4.1': { input: 0, output: 1_000 } };
  replicas = await startReplicas(4, { yaml: { providers: { up }, prices }, redis: true });
}, 300_000);
afterAll(async () => {
  await replicas.remove();
  await upstream.stop();
  await stopRedis();
});

async function tokenWith(...flags: string[]): Promise<string> {
  const { stdout } = await replicas.at(0).command('token', 'create', '--name', 'limited', ...flags);
  return /weir_[A-Za-z0-9_-]+/.exec(stdout)?.[0] ?? '';
}

/** How often each status was returned, over all replicas in turn. */
async function statuses(count: number, token: string, body: object): Promise<Readonly<Record<number, number>>> {
  const seen: Record<number, number> = {};
  const ask = async (index: number): Promise<void> => {
    const reply = await post({ base: replicas.at(index % 4).base, token }, body);
    await reply.text();
    seen[reply.status] = (seen[reply.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  return seen;
}

test.each([false, true])('a budget for 37 requests serves 37 of 128 at once (stream: %p)', async (stream) => {
  await upstream.reset();
  const token = await tokenWith('--budget-usd', '0.37');
  const usage = stream ? { stream_options: { include_usage: true } } : {};
  const body = scripted({ deltas: 10 }, { stream, max_tokens: 10, ...usage });
  expect(await statuses(128, token, body)).toEqual({ 200: 37, 402: 91 });
  expect(await upstream.invoice()).toHaveLength(37);
  const budgets = () => replicas.query('SELECT spent_nano, held_nano FROM budgets');
  await until(async () => (await budgets()).every(({ held_nano: held }) => String(held) === '0'), 60_000);
  for (const { spent_nano: spent } of await budgets()) expect(String(spent)).toBe('370000000');
}, 300_000);

test('a rate limit is shared by all replicas', async () => {
  expect(await statuses(120, await tokenWith('--rpm', '40'), scripted({ deltas: 1 }))).toEqual({ 200: 40, 429: 80 });
}, 300_000);
