/** Several replicas on one database and one Redis: budgets, rates and concurrency hold for all of them together. */

import { expect } from 'bun:test';
import { post, scripted } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { stopRedis } from '../../harness/redis.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { sized } from '../../harness/size.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';

const { afterAll, beforeAll, test } = needing('postgres', 'redis');

const crowd = sized(74, 128);
const count = sized(2, 4);
let upstream: RunningUpstream;
let replicas: Replicas;

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  // Ten tokens cost one cent.
  const prices = { 'up/gpt-4.1': { input: 0, output: 1_000 } };
  replicas = await startReplicas(count, { yaml: { providers: { up }, prices }, redis: true });
}, 300_000);
afterAll(async () => {
  await replicas.remove();
  await upstream.stop();
  await stopRedis();
});

const tokenWith = async (...flags: string[]): Promise<string> => (await createToken(replicas.at(0), ...flags)).token;

/** How often each status was returned, over all replicas in turn. */
async function statuses(requests: number, token: string, body: object): Promise<Readonly<Record<number, number>>> {
  const seen: Record<number, number> = {};
  const ask = async (index: number): Promise<void> => {
    const reply = await post({ base: replicas.at(index % count).base, token }, body);
    await reply.text();
    seen[reply.status] = (seen[reply.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: requests }, (_, index) => ask(index)));
  return seen;
}

test.each([false, true])(`a budget for 37 requests serves 37 of ${crowd} at once (stream: %p)`, async (stream) => {
  await upstream.reset();
  const token = await tokenWith('--budget-usd', '0.37');
  const usage = stream ? { stream_options: { include_usage: true } } : {};
  const body = scripted({ deltas: 10 }, { stream, max_tokens: 10, ...usage });
  expect(await statuses(crowd, token, body)).toEqual({ 200: 37, 402: crowd - 37 });
  expect(await upstream.invoice()).toHaveLength(37);
  const budgets = () => replicas.query('SELECT spent_nano, held_nano FROM budgets');
  await until(async () => (await budgets()).every(({ held_nano: held }) => String(held) === '0'), 60_000);
  for (const { spent_nano: spent } of await budgets()) expect(String(spent)).toBe('370000000');
}, 300_000);

test('a rate limit is shared by all replicas', async () => {
  expect(await statuses(120, await tokenWith('--rpm', '40'), scripted({ deltas: 1 }))).toEqual({ 200: 40, 429: 80 });
}, 300_000);
