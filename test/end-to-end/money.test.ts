/** The provider's invoice against Weir's ledger, on both stores. */

import { describe, expect, test } from 'bun:test';
import { costNanoOf } from '../fake-upstream/invoice.ts';
import type { Script } from '../fake-upstream/script.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { expectBalanced, type LedgerRows, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { rawChat } from '../harness/raw-request.ts';
import { isFullSize, sized } from '../harness/size.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const streams = sized(40, 200);
/** Of the kill test: how many end by themselves, and how many of these are settled before it kills. */
const ending = sized(24, 60);
const endedMin = sized(16, 40);
const clients = sized(74, 500);
/** One model for each stream of the kill test, so that an attempt can be matched with its invoice entry. */
const ownModels = Array.from({ length: streams }, (_, index) => `own-${index}`);
const streamOptions = { stream: true, stream_options: { include_usage: true } };

function yamlFor(upstream: RunningUpstream): object {
  return {
    providers: {
      up: {
        kind: 'openai',
        base_url: upstream.base,
        key: 'sk-upstream',
        models: ['gpt-4.1', 'unpriced', 'output-only', ...ownModels],
      },
    },
    // The input is free here, so that reservations equal charges and a budget can be used up exactly.
    prices: { 'output-only': { input: 0, output: 8 }, 'own-*': { input: 2, output: 8 } },
  };
}

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  const { afterAll, beforeAll, describe, test } = needing(database);
  let upstream: RunningUpstream;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = await startUpstream();
    const unchecked = 'the provider reports impossible usage, which passes as it is';
    weir = await startWeir({ database, yaml: yamlFor(upstream), unchecked });
  });
  afterAll(async () => {
    await weir.remove();
    await upstream.stop();
  });

  const rowsOf = (ledger: LedgerRows, token: MadeToken) => ledger.usage.filter((row) => row.tokenId === token.id);

  test.each([
    false,
    true,
  ])(`a budget for 37 calls under ${clients} clients admits exactly 37 (stream: %p)`, async (stream) => {
    await upstream.reset();
    const tokensEach = 10;
    const nanoEach = BigInt(tokensEach) * 8_000n;
    const token = await createToken(
      weir,
      '--budget-usd',
      `${Number(nanoEach * 37n) / 1e9}`,
      '--budget-period',
      'total',
    );
    const body = scripted(
      { deltas: tokensEach },
      { model: 'output-only', max_tokens: tokensEach, ...(stream ? streamOptions : {}) },
    );
    const replies = await Promise.all(Array.from({ length: clients }, () => rawChat(token, body)));
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([count(200), count(402)]).toEqual([37, clients - 37]);
    expect((await upstream.invoice()).length).toBe(37);
    const ledger = await settledLedger(weir);
    expectBalanced(ledger);
    expect(ledger.attempts.filter((attempt) => attempt.tokenId === token.id).length).toBe(37);
    expect(totalCostNano(rowsOf(ledger, token))).toBe(nanoEach * 37n);
  });

  test('a lone request is admitted as long as the budget has room for it', async () => {
    const token = await createToken(weir, '--budget-usd', '0.00016', '--budget-period', 'day');
    const body = scripted({ deltas: 1 }, { model: 'output-only', max_tokens: 10 });
    for (let spentTokens = 0; spentTokens <= 10; spentTokens++) expect((await post(token, body)).status).toBe(200);
    expect((await post(token, body)).status).toBe(402);
    expectBalanced(await settledLedger(weir));
  });

  describe.each([false, true])('usage (stream: %p)', (stream) => {
    // What a report of usage means does not depend on the store.
    const usages =
      database === 'sqlite' || isFullSize
        ? (['asked', 'always', 'doubled', 'absent', 'zero', 'negative'] as const)
        : (['asked'] as const);
    test.each(usages)('%s is counted once', async (usage) => {
      await upstream.reset();
      const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'month');
      const reply = await post(token, scripted({ nonce: 'u', deltas: 20, usage }, stream ? { stream } : {}));
      expect(reply.status).toBe(200);
      await reply.text();
      await until(async () => rowsOf(await settledLedger(weir), token).length > 0);
      const ledger = await settledLedger(weir);
      const [row, ...others] = rowsOf(ledger, token);
      if (row === undefined) throw new Error('no usage row');
      expect(others).toEqual([]);
      expectBalanced(ledger);
      const { reported } = await upstream.entry('u');
      if (['asked', 'always', 'doubled'].includes(usage)) {
        if (reported === undefined) throw new Error('the provider reported nothing');
        expect([row.costNano, row.estimated]).toEqual([costNanoOf(reported), false]);
        expect([row.inputTotal, row.outputTotal]).toEqual([reported.promptTokens, reported.completionTokens]);
      } else if (usage === 'absent') {
        expect(row.estimated).toBe(true);
        expect(row.costNano).toBeGreaterThanOrEqual(20n * 8_000n);
      } else expect(row.costNano).toBeGreaterThanOrEqual(0n);
    });
  });

  test('a model without a price is refused to a token with a budget and to no other', async () => {
    await upstream.reset();
    const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
    const reply = await post(token, scripted({}, { model: 'unpriced' }));
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect([reply.status, (await errorOf(reply)).code]).toEqual([402, 'price_unknown']);
    expect(await upstream.invoice()).toEqual([]);
    expect((await post(weir, scripted({}, { model: 'unpriced' }))).status).toBe(200);
  });

  test('one Idempotency-Key is charged once, in parallel or in sequence', async () => {
    await upstream.reset();
    const token = await createToken(weir);
    const send = (key: string, text = 'same') =>
      post(token, scripted({ deltas: 4, headDelayMs: 100, nonce: text }), { headers: { 'idempotency-key': key } });
    const together = await Promise.all(Array.from({ length: 10 }, () => send('together')));
    const statuses = together.map((reply) => reply.status);
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect((await upstream.invoice()).length).toBe(1);
    expect([200, 409]).toContain((await send('together')).status);
    expect((await upstream.invoice()).length).toBe(1);
    const other = await send('together', 'different');
    expect([other.status, (await errorOf(other)).code]).toEqual([409, 'idempotency_key_reused']);
    expect((await send('another')).status).toBe(200);
    expect((await upstream.invoice()).length).toBe(2);
    const stranger = await post(weir, scripted({}), { headers: { 'idempotency-key': 'together' } });
    expect(stranger.status).toBe(200);
  });

  test('requests a minute', async () => {
    const token = await createToken(weir, '--rpm', '5');
    const replies = await Promise.all(Array.from({ length: 25 }, () => post(token, scripted({}))));
    const accepted = replies.filter((reply) => reply.status === 200);
    // A new window may begin while the requests arrive.
    expect([5, 6]).toContain(accepted.length);
    for (const reply of replies.filter((each) => each.status !== 200)) {
      expect([reply.status, (await errorOf(reply)).code]).toEqual([429, 'rate_limited']);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(reply.headers.get('x-ratelimit-limit-requests')).toBe('5');
    }
  });

  test('model tokens a minute', async () => {
    const token = await createToken(weir, '--tpm', '2000');
    const statuses: number[] = [];
    for (let request = 0; request < 6; request++)
      statuses.push((await post(token, scripted({ deltas: 900 }, { max_tokens: 900 }))).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
  });

  test('requests in flight', async () => {
    const token = await createToken(weir, '--concurrency', '3');
    const slow = () => rawChat(token, scripted({ deltas: 15, paceMs: 200 }, streamOptions));
    const replies = await Promise.all(Array.from({ length: 10 }, slow));
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([count(200), count(429)]).toEqual([3, 7]);
    expect(replies.find((reply) => reply.status === 429)?.text).toContain('concurrency_limited');
    const isFree = async () => (await rawChat(token, scripted({}, streamOptions))).status === 200;
    await until(isFree, 60_000, 'a free slot');
  });

  test(
    `SIGKILL during ${streams} streams: the ledger agrees with the invoice after a restart`,
    () => killed(upstream, weir),
    120_000,
  );
});

async function killed(upstream: RunningUpstream, weir: RunningWeir): Promise<void> {
  await upstream.reset();
  const token = await createToken(weir, '--budget-usd', '100', '--budget-period', 'total');
  const before = new Set((await readLedger(weir)).attempts.map((attempt) => attempt.id));
  const deltasOf = (index: number): number => (index < ending ? 5 + index : 5_000);
  const start = (model: string, index: number) =>
    rawChat(token, scripted({ deltas: deltasOf(index), paceMs: 20 }, { model, ...streamOptions })).catch(
      () => undefined,
    );
  const replies = ownModels.map(start);
  // Kill in the middle: some streams are over and settled, most are running.
  await until(async () => {
    const { attempts } = await readLedger(weir);
    return (
      attempts.filter(({ id, state, estimated }) => !before.has(id) && state === 'settled' && !estimated).length >=
      endedMin
    );
  });
  await weir.kill();
  await Promise.all(replies);
  await until(async () => (await upstream.invoice()).every((entry) => entry.outcome !== 'open'));
  await weir.restart();
  const ledger = await settledLedger(weir);
  expectBalanced(ledger);
  const invoice = await upstream.invoice();
  expect(invoice.some((entry) => entry.outcome === 'left')).toBe(true);
  const attempts = ledger.attempts.filter((attempt) => !before.has(attempt.id));
  for (const entry of invoice) {
    const own = attempts.filter((attempt) => attempt.model === entry.model);
    expect([entry.model, own.length]).toEqual([entry.model, 1]);
    const [attempt] = own;
    if (attempt?.estimated === false) {
      if (entry.reported === undefined) throw new Error(`${entry.model} is settled as reported, yet nothing was`);
      expect([entry.model, attempt.costNano]).toEqual([entry.model, costNanoOf(entry.reported)]);
    } else expect(attempt?.costNano ?? 0n).toBeGreaterThan(0n);
  }
  const exact = attempts.filter((attempt) => !attempt.estimated).length;
  expect(exact).toBeGreaterThanOrEqual(endedMin);
  expect((await post(token, scripted({}))).status).toBe(200);
}

test('calls that the provider refuses cost nothing, calls that it leaves without an answer are estimated; none holds anything', async () => {
  const error = JSON.stringify({ error: { message: 'scripted', type: 'x', param: null, code: null } });
  const failures: Script[] = [
    { status: 400, body: error },
    { status: 401, body: error },
    { status: 404, body: error },
    { status: 422, body: error },
    { status: 429, body: error },
    { status: 500, body: error },
    { status: 503, body: error },
    { errorFirst: true },
  ];
  const unanswered: Script[] = [
    { head: 'end' },
    { head: 'reset' },
    { status: 200, body: '<html>busy</html>', contentType: 'text/html' },
    { cut: { after: 0, how: 'end' } },
  ];
  const upstream = await startUpstream();
  // A provider for each, since one that failed is cooling down for the next call.
  const all = [...failures, ...unanswered];
  const providers = all.map((_, index) => [
    `up-${index}`,
    { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: [`own-${index}`] },
  ]);
  const weir = await startWeir({ yaml: { ...yamlFor(upstream), providers: Object.fromEntries(providers) } });
  try {
    const isFree = (index: number) => index < failures.length;
    await Promise.all(all.map((script, index) => expectCost(weir, script, `own-${index}`, isFree(index))));
  } finally {
    await weir.remove();
    await upstream.stop();
  }
}, 300_000);

/** A provider for each failure, since one that failed is skipped for a while. */
async function expectCost(weir: RunningWeir, script: Script, model: string, isFree: boolean): Promise<void> {
  const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
  const stream = script.errorFirst === true || script.cut !== undefined;
  const reply = await post(token, scripted(script, { model, stream }));
  const { code } = await errorOf(reply);
  expect([code, reply.status >= 400]).toEqual([code, true]);
  // Rows are written a moment after the reply; without this an empty ledger would pass.
  await until(async () => (await readLedger(weir, token.id)).usage.length === 1, 60_000, 'the row of the request');
  const ledger = await settledLedger(weir, token.id);
  expectBalanced(ledger);
  expect(ledger.attempts.length).toBeGreaterThan(0);
  const charged = totalCostNano(ledger.attempts);
  expect([code, charged === 0n, totalCostNano(ledger.usage)]).toEqual([code, isFree, charged]);
  expect(ledger.usage.map(({ estimated }) => estimated)).toEqual([!isFree]);
}
