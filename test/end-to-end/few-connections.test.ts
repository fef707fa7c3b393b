/** Six replicas on a PostgreSQL server with 30 connections, each with the default number of its own: all serve, exactly. */

import { expect } from 'bun:test';
import { post, scripted } from '../harness/chat.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postgresWith } from '../harness/postgres.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { createToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';

const { afterAll, beforeAll, beforeEach, test } = needing('postgres');

const count = 6;
const crowd = 200;
const served = 37;
let upstream: RunningUpstream;
let replicas: Replicas;

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] };
  // Ten tokens cost one cent.
  const prices = { 'up/gpt-4.1': { input: 0, output: 1_000 } };
  const databaseUrl = await postgresWith('max_connections=30');
  replicas = await startReplicas(count, { databaseUrl, yaml: { providers: { up }, prices } });
}, 300_000);
afterAll(async () => {
  await replicas?.remove();
  await upstream?.stop();
});
beforeEach(() => upstream.reset());

/** How often each status was returned, over all replicas in turn. */
async function statuses(requests: number, token: string): Promise<Readonly<Record<number, number>>> {
  const seen: Record<number, number> = {};
  const ask = async (_: unknown, index: number): Promise<void> => {
    const target = { base: replicas.at(index % count).base, token };
    const reply = await post(target, scripted({ deltas: 10 }, { max_tokens: 10 }));
    await reply.text();
    seen[reply.status] = (seen[reply.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: requests }, ask));
  return seen;
}

test('the server has as few as that', async () => {
  expect(await replicas.query('SHOW max_connections')).toEqual([{ max_connections: '30' }]);
});

test('all of them serve at once', async () => {
  expect(await statuses(crowd, replicas.at(0).token)).toEqual({ 200: crowd });
  for (const replica of replicas.all) expect(replica.output()).not.toContain('too many clients');
}, 300_000);

test(`a budget for ${served} serves ${served} of ${crowd} at once over all of them`, async () => {
  const token = await createToken(replicas.at(0), '--budget-usd', '0.37', '--budget-period', 'total');
  expect(await statuses(crowd, token.token)).toEqual({ 200: served, 402: crowd - served });
  expect(await upstream.invoice()).toHaveLength(served);
  const ledger = await settledLedger(replicas.place, token.id);
  expectBalanced(ledger);
  expect(ledger.budgets).toEqual([{ scope: `token:${token.id}`, spentNano: 370_000_000n, heldNano: 0n }]);
}, 300_000);
