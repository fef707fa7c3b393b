/** Two replicas that reach PostgreSQL through PgBouncer in transaction mode: replies, exact budgets, the invoice, revocation. */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf } from '../harness/chat.ts';
import { ConsoleClient } from '../harness/console-client.ts';
import { type InvoicingProvider, startInvoicingProvider } from '../harness/invoicing-provider.ts';
import { expectBalanced, type LedgerRows, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postTo } from '../harness/operation-calls.ts';
import { throughPgbouncer } from '../harness/pgbouncer.ts';
import { freePort } from '../harness/ports.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { runWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('postgres', 'pgbouncer');

const crowd = 200;
const served = 37;
const password = 'a password that is long enough';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** In nano-USD: ten tokens, and an image. */
const nano = { talk: 10_000_000n, draw: 40_000_000n };

const usage = { prompt_tokens: 7, completion_tokens: 10, total_tokens: 17 };
const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'talk' };
const whole = {
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      logprobs: null,
      message: { role: 'assistant', content: 'It rains.', refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage,
};
const chunk = { ...head, object: 'chat.completion.chunk' };
const events = [
  { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'It rains.' }, finish_reason: null }] },
  { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...chunk, choices: [], usage },
];

const question = { model: 'talk', messages: [{ role: 'user', content: 'How is the weather?' }], max_tokens: 10 };
const kinds = [
  { name: 'chat', path: '/chat/completions', body: question, nano: nano.talk, reply: 'It rains.' },
  {
    name: 'a stream',
    path: '/chat/completions',
    body: { ...question, stream: true },
    nano: nano.talk,
    reply: 'data: [DONE]',
  },
  {
    name: 'an image',
    path: '/images/generations',
    body: { model: 'draw', prompt: 'a boat' },
    nano: nano.draw,
    reply: pixel,
  },
] as const;

let provider: InvoicingProvider;
let replicas: Replicas;
/** Their database through PgBouncer. */
let pooledUrl: string;

beforeAll(async () => {
  provider = startInvoicingProvider();
  provider.put('talk', { whole, events, nano: nano.talk });
  provider.put('draw', { whole: { created: 1, data: [{ b64_json: pixel }] }, nano: nano.draw });
  const databaseUrl = await postgresUrl();
  pooledUrl = await throughPgbouncer(databaseUrl);
  replicas = await startReplicas(2, {
    databaseUrl,
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: `${provider.origin}/v1`, key: 'sk-up', models: ['talk', 'draw'] },
      },
      prices: { talk: { input: 0, output: 1_000 }, draw: { image: 0.04 } },
      database: { pgbouncer: true },
    },
    env: { DATABASE_URL: pooledUrl, WEIR_ADMIN_PASSWORD: password },
  });
}, 300_000);
afterAll(async () => {
  await replicas?.remove();
  await provider?.stop();
});

/** The token at another replica. */
const at = (index: number, { token }: MadeToken) => ({ base: replicas.at(index % 2).base, token });

/** What was written of this token once so many requests were. */
async function ledgerOf(token: MadeToken, requests: number): Promise<LedgerRows> {
  let ledger = await settledLedger(replicas.place, token.id);
  const isWritten = async (): Promise<boolean> => {
    if (ledger.usage.length < requests) ledger = await settledLedger(replicas.place, token.id);
    return ledger.usage.length >= requests;
  };
  await until(isWritten, 60_000, `${requests} usage rows`);
  return ledger;
}

test.each(kinds)('both replicas serve $name', async ({ path, body, reply }) => {
  const token = await createToken(replicas.at(0));
  for (const index of [0, 1]) {
    const answer = await postTo(at(index, token), path, body);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(reply)]);
  }
}, 300_000);

test.each(kinds)(`a budget for ${served} serves ${served} of ${crowd} at once: $name`, async (kind) => {
  const invoicedBefore = provider.totalNano;
  const costNano = BigInt(served) * kind.nano;
  const budget = ['--budget-usd', (Number(costNano) / 1e9).toFixed(2), '--budget-period', 'total'];
  const token = await createToken(replicas.at(0), ...budget);
  const ask = async (_: unknown, index: number): Promise<number> => {
    const reply = await postTo(at(index, token), kind.path, kind.body);
    await reply.text();
    return reply.status;
  };
  const statuses = await Promise.all(Array.from({ length: crowd }, ask));
  const count = (status: number): number => statuses.filter((each) => each === status).length;
  expect([count(200), count(402)]).toEqual([served, crowd - served]);
  expect(provider.totalNano - invoicedBefore).toBe(costNano);
  const ledger = await ledgerOf(token, crowd);
  expect(totalCostNano(ledger.usage)).toBe(costNano);
  expect(ledger.budgets).toEqual([{ scope: `token:${token.id}`, spentNano: costNano, heldNano: 0n }]);
}, 300_000);

test('the ledger of all of it is the invoice', async () => {
  const ledger = await settledLedger(replicas.place);
  expectBalanced(ledger);
  expect(totalCostNano(ledger.usage)).toBe(provider.totalNano);
  expect(ledger.usage.filter(({ estimated }) => estimated)).toEqual([]);
}, 300_000);

test('a token that is revoked at one replica is refused at the other', async () => {
  const token = await createToken(replicas.at(0));
  const ask = (): Promise<Response> => postTo(at(1, token), '/chat/completions', question);
  expect((await ask()).status).toBe(200);
  const owner = new ConsoleClient(replicas.at(0));
  await owner.signIn('admin', password);
  expect((await owner.call('DELETE', `/tokens/${token.id}`)).status).toBeLessThan(300);
  await until(async () => (await ask()).status === 401, 60_000, 'the revocation at the other replica');
  expect((await errorOf(await ask())).code).toBe('token_disabled');
}, 300_000);

test('without the setting a start fails and names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-pooled-'));
  try {
    const environment = { WEIR_DATA: folder, WEIR_PORT: `${await freePort()}`, DATABASE_URL: pooledUrl };
    const { code, stderr, stdout } = await runWeir(['serve'], environment);
    expect(code).not.toBe(0);
    expect(stderr + stdout).toContain('set database.pgbouncer to true (WEIR_DATABASE_PGBOUNCER)');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
