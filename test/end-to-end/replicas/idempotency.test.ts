/** An `Idempotency-Key` behind a load balancer: any replica returns the stored reply to a repetition. */

import { expect } from 'bun:test';
import { errorOf, post, scripted } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { stopRedis } from '../../harness/redis.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { sized } from '../../harness/size.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';
import type { RunningWeir } from '../../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('postgres', 'redis');

const count = sized(2, 4);
let upstream: RunningUpstream;
let replicas: Replicas;

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  const prices = { 'up/gpt-4.1': { input: 2, output: 8 } };
  replicas = await startReplicas(count, { yaml: { providers: { up }, prices }, redis: true });
}, 300_000);
afterAll(async () => {
  await replicas.remove();
  await upstream.stop();
  await stopRedis();
});

const send = (weir: RunningWeir, key: string, body: object): Promise<Response> =>
  post(weir, body, { headers: { 'idempotency-key': key } });

/** The parts of a reply that a client can compare. */
async function seen(reply: Response) {
  const { headers, status } = reply;
  const kept = ['content-type', 'x-weir-provider', 'x-weir-cost-usd', 'x-weir-attempts'];
  return { status, headers: kept.map((name) => headers.get(name)), text: await reply.text() };
}

async function servedTimes(nonce: string): Promise<number> {
  return (await upstream.invoice()).filter((entry) => entry.nonce === nonce).length;
}

test.each([false, true])('finished at one replica, repeated at the others (stream: %p)', async (stream) => {
  const nonce = `finished-${stream}`;
  const body = scripted({ deltas: 20, nonce, mark: 'canary-of-a-reply' }, { stream });
  const first = await send(replicas.at(0), nonce, body);
  const firstId = first.headers.get('x-request-id');
  const original = await seen(first);
  expect(original.status).toBe(200);
  for (const weir of replicas.all) {
    const again = await send(weir, nonce, body);
    expect(again.headers.get('x-weir-replayed')).toBe(firstId);
    expect(again.headers.get('x-request-id')).not.toBe(firstId);
    expect(await seen(again)).toEqual(original);
  }
  expect(await servedTimes(nonce)).toBe(1);
  const rows = await replicas.query(`SELECT cost_nano > 0 AS paid FROM usage_rows WHERE request_id = '${firstId}'`);
  expect(rows).toEqual([{ paid: true }]);
});

test('eight at once over all replicas: one runs, and all get its reply', async () => {
  const nonce = 'eight';
  const body = scripted({ deltas: 5, nonce, headDelayMs: 300 });
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => send(replicas.at(index % count), nonce, body)),
  );
  const codes = await Promise.all(
    replies.map(async (reply) => (reply.status === 200 ? 'answered' : (await errorOf(reply)).code)),
  );
  expect(codes.filter((code) => code !== 'answered' && code !== 'idempotency_in_progress')).toEqual([]);
  const texts = new Set<string>();
  for (const weir of replicas.all) {
    await until(async () => (await send(weir, nonce, body)).status === 200, 60_000);
    texts.add(await (await send(weir, nonce, body)).text());
  }
  expect(texts.size).toBe(1);
  expect(await servedTimes(nonce)).toBe(1);
});

test('another body under the same key is refused at every replica', async () => {
  await (await send(replicas.at(0), 'other', scripted({ deltas: 2 }))).text();
  const refused = await send(replicas.at(1), 'other', scripted({ deltas: 3 }));
  expect([refused.status, (await errorOf(refused)).code]).toEqual([409, 'idempotency_key_reused']);
});

test('a reply in the database cannot be read without the key', async () => {
  const rows = await replicas.query('SELECT content FROM replica_contents');
  expect(rows.length).toBeGreaterThan(0);
  for (const { content } of rows) {
    expect(String(content)).toStartWith('2.');
    expect(Buffer.from(String(content).slice(11), 'base64').toString('latin1')).not.toContain('canary');
  }
});

test('an expired reply is returned by no replica', async () => {
  const body = scripted({ deltas: 2, nonce: 'late' });
  await (await send(replicas.at(0), 'late', body)).text();
  await replicas.query("UPDATE replica_contents SET expires_at_ms = 0 WHERE kind = 'reply'");
  const late = await send(replicas.at(1), 'late', body);
  expect([late.status, (await errorOf(late)).message]).toEqual([409, expect.stringContaining('no longer kept')]);
  expect(await servedTimes('late')).toBe(1);
});
