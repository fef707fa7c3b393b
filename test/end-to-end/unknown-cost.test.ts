/** A request without a price is not free: no header, null in JSON, `?` in tables, counted in sums, and listed. */

import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type {
  OverviewView,
  RequestDetailView,
  RequestsView,
  UnpricedModelView,
  UnpricedView,
  UsageRowView,
  UsageSumView,
} from '../../src/admin/contracts/contract.ts';
import { post, scripted, type Target } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf, personOf } from '../harness/console-session.ts';
import { needing } from '../harness/needs.ts';
import { postTo } from '../harness/operation-calls.ts';
import { type OperationsUpstream, startOperationsUpstream } from '../harness/operations-upstream.ts';
import { pricesHere } from '../harness/price-commands.ts';
import { tableTexts } from '../harness/price-files.ts';
import { isFullSize } from '../harness/size.ts';
import { json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const replyOf = (prompt: number, completion: number) => ({
  contentType: 'application/json',
  body: JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }),
});

const costOf = async (reply: Response) => {
  await reply.text();
  const { headers } = reply;
  return [reply.status, headers.get('x-weir-cost-usd'), headers.get('x-weir-cost-source')];
};

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  const { afterAll, beforeAll, test } = needing(database);
  let upstream: RunningUpstream;
  let operations: OperationsUpstream;
  let weir: RunningWeir;
  let owner: ConsoleClient;
  let target: Target;
  beforeAll(async () => {
    [upstream, operations] = [await startUpstream(), startOperationsUpstream()];
    weir = await startWeir({
      database,
      yaml: {
        providers: {
          up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-any', models: ['dark', 'lit', 'gratis'] },
          named: { kind: 'openai', base_url: upstream.base, key: 'sk-any', models: ['shaded'] },
          // Priced by searches, which images do not have.
          ops: { kind: 'openai-chat', base_url: operations.base, key: 'sk-any', models: ['dim', 'misread', 'hush'] },
        },
        prices: {
          lit: { input: 1, output: 2 },
          gratis: { input: 0, output: 0 },
          misread: { searches: 2 },
        },
        clocks: { patience_ms: 0 },
      },
    });
    owner = await ownerOf(weir);
    target = weir;
  });
  afterAll(async () => {
    await weir?.remove();
    await upstream?.stop();
    await operations?.stop();
  });

  const chat = (model: string, prompt = 1_000, completion = 500) =>
    post(target, scripted(replyOf(prompt, completion), { model }));
  const get = async <View>(client: ConsoleClient, path: string) => (await client.get(path)).body as View;
  const rows = async () => (await get<RequestsView>(owner, '/usage/requests?limit=100')).items;
  const rowOf = async (model: string) => (await rows()).find((row) => row.model === model);
  const costs = (view: Pick<UsageRowView, 'costUsd' | 'costNano'> | undefined) => [view?.costUsd, view?.costNano];

  test('a reply without a known price names no cost, and a free one costs 0.00', async () => {
    expect(await costOf(await chat('dark'))).toEqual([200, null, null]);
    expect(await costOf(await chat('lit'))).toEqual([200, '0.002', null]);
    expect(await costOf(await chat('gratis'))).toEqual([200, '0.00', null]);
    const sandbox = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Good day' }] };
    expect(await costOf(await post(target, sandbox))).toEqual([200, '0.00', null]);
    const streamed = await post(target, scripted({ deltas: 3 }, { model: 'dark', stream: true }));
    expect(await costOf(streamed)).toEqual([200, null, null]);
  });

  test('the list of models says whose price it is', async () => {
    const reply = await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${weir.token}` } });
    const { data } = (await reply.json()) as { data: readonly { id: string; pricing: object }[] };
    const pricing = Object.fromEntries(data.map((model) => [model.id, model.pricing]));
    expect(pricing['dark']).toEqual({ source: 'unknown' });
    expect(pricing['lit']).toEqual({
      prompt: '0.000001',
      completion: '0.000002',
      source: 'operator',
      version: 'operator',
    });
    expect(pricing['sandbox-chat']).toMatchObject({ source: 'free', version: 'free' });
  });

  test('operations: without a price, and with one in units that they do not have', async () => {
    const imageBody = { prompt: 'a boat' };
    expect(await costOf(await postTo(target, '/images/generations', { model: 'dim', ...imageBody }))).toEqual([
      ...[200, null, null],
    ]);
    expect(await costOf(await postTo(target, '/images/generations', { model: 'misread', ...imageBody }))).toEqual([
      ...[200, null, null],
    ]);
    // Its reply reports no usage.
    const speech = { model: 'hush', input: 'Good day', voice: 'alloy' };
    expect((await postTo(target, '/audio/speech', speech).then(costOf))[0]).toBe(200);
    await until(async () => (await rowOf('hush')) !== undefined, 60_000, 'the row of the speech');
  });

  test('a failed request without usage costs nothing', async () => {
    const refused = await post(target, scripted({ status: 400 }, { model: 'dark' }));
    expect(refused.status).toBe(400);
    await refused.text();
    await until(async () => (await rows()).some(({ status }) => status === 400), 60_000, 'the refused row');
    const row = (await rows()).find(({ status }) => status === 400);
    expect(costs(row)).toEqual(['0.00', '0']);
  });

  test('rows, details and attempts say null; the free ones do not', async () => {
    await until(async () => (await rows()).length === 9, 60_000, 'all rows');
    for (const model of ['dim', 'misread', 'hush']) expect(costs(await rowOf(model))).toEqual([null, null]);
    expect(costs(await rowOf('gratis'))).toEqual(['0.00', '0']);
    expect(await rowOf('lit')).toMatchObject({ costUsd: '0.002', priceVersion: 'operator' });
    const dark = (await rows()).filter(({ model, code }) => model === 'dark' && code === '');
    expect(dark.map(costs)).toEqual([
      [null, null],
      [null, null],
    ]);
    const detail = await get<RequestDetailView>(owner, `/usage/requests/${dark[0]?.requestId}`);
    expect(detail).not.toHaveProperty('priceVersion');
    expect(detail).not.toHaveProperty('costLines');
    expect(detail.attempts.map(({ costUsd, verdict }) => [costUsd, verdict])).toEqual([[null, '']]);
  });

  test('every sum says how many requests it leaves out', async () => {
    const view = await get<OverviewView>(owner, '/usage/overview');
    expect([view.total.requests, view.total.unpriced, view.total.costUsd]).toEqual([9, 5, '0.002']);
    expect(view.buckets.reduce((sum, { unpriced }) => sum + unpriced, 0)).toBe(5);
    const models = new Map(view.models.map(({ key, costUsd, unpriced }) => [key, [costUsd, unpriced]]));
    expect(models.get('dark')).toEqual([null, 2]);
    expect(models.get('lit')).toEqual(['0.002', 0]);
    expect(models.get('gratis')).toEqual(['0.00', 0]);
    expect(view.tokens[0]).toMatchObject({ unpriced: 5, costUsd: '0.002' });
    const csv = (await owner.get('/usage/export?form=csv')).body as string;
    const [head = '', ...lines] = csv.trimEnd().split('\r\n');
    const at = head.split(',').indexOf('costUsd');
    expect(lines.map((line) => line.split(',')[at]).sort()).toEqual([
      '',
      '',
      '',
      '',
      '',
      '0.00',
      '0.00',
      '0.00',
      '0.002',
    ]);
    const exported = (await owner.get('/usage/export?form=json')).body as UsageRowView[];
    expect(exported.filter(({ costNano }) => costNano === null)).toHaveLength(5);
    const metrics = await (await fetch(`${weir.url}/metrics`)).text();
    const counted = [...metrics.matchAll(/^weir_unpriced_requests_total\{.*model="(\w+)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counted.map(([, model, count]) => [model, Number(count)]))).toMatchObject({
      ...{ dark: 2, dim: 1, misread: 1, hush: 1, lit: 0, gratis: 0 },
    });
  });

  test('weir usage marks, counts and lists them', async () => {
    const { stdout } = await runHere(weir, ['usage']);
    const costColumn = stdout.split('\n').flatMap((line) => (/ dim .*? (\S+) +\d+ {2}req_/.exec(line) ?? [])[1] ?? []);
    expect(costColumn).toEqual(['?']);
    expect(stdout).toContain('? No price set.');
    expect(((await json(weir, 'usage')) as UsageRowView[]).filter(({ costUsd }) => costUsd === null)).toHaveLength(5);
    const sums = (await json(weir, 'usage', '--by', 'provider')) as UsageSumView[];
    expect(sums.map(({ key, costUsd, unpriced }) => [key, costUsd, unpriced]).sort()).toEqual([
      ['ops', null, 3],
      ['sandbox', '0.00', 0],
      ['up', '0.002', 2],
    ]);
    expect((await runHere(weir, ['usage', '--by', 'day'])).stdout).toContain('5 requests have no price');
    const listed = await runHere(weir, ['usage', '--unpriced']);
    expect(listed.stdout).toContain('  up/dark:\n    input: "USD per 1M input tokens"\n');
    expect(listed.stdout).toContain('  ops/dim:\n    image: "USD per image"\n');
    // What the doctor asks of the store is in the list above, too.
    const doctor = database === 'sqlite' || isFullSize ? (await weir.command('doctor')).stdout : undefined;
    if (doctor !== undefined)
      expect(doctor).toMatch(
        /\n\s*prices +warning +used without a price in the last 30 days: up\/dark \(2 requests, \d+ tokens\), /,
      );
    const shown = (await rows()).find(({ model }) => model === 'hush');
    expect((await runHere(weir, ['usage', 'show', shown?.requestId ?? ''])).stdout).toMatch(/\ncost +\?\n/);
  });

  test('a later price table removes a model from the list', async () => {
    expect(await costOf(await chat('shaded'))).toEqual([200, null, null]);
    const listed = async () => (await runHere(weir, ['usage', '--unpriced'])).stdout.includes('named/shaded');
    await until(listed, 60_000, 'the model in the list');
    const file = join(weir.dataFolder, 'table.json');
    await Bun.write(file, tableTexts['models.dev']({ shaded: { input: 1, output: 2 } }));
    expect((await pricesHere(weir, 'update', '--file', file)).code).toBe(0);
    expect(await listed()).toBe(false);
    // The running process looks for new tables by itself.
    const onPage = async () => (await get<UnpricedView>(owner, '/usage/unpriced')).items.map(({ model }) => model);
    await until(async () => !(await onPage()).includes('shaded'), 60_000, 'the page without the model');
  });

  test('the console lists models used without a price, to members their own, until there is one', async () => {
    const names = ({ items }: UnpricedView) => items.map(({ provider, model }) => `${provider}/${model}`).sort();
    const view = await get<UnpricedView>(owner, '/usage/unpriced');
    expect(names(view)).toEqual(['ops/dim', 'ops/hush', 'ops/misread', 'up/dark']);
    expect(view.items[0]).toMatchObject({
      provider: 'up',
      model: 'dark',
      requests: 2,
    } satisfies Partial<UnpricedModelView>);
    expect(view.items[0]?.inputTokens).toBeGreaterThanOrEqual(1_000);
    expect(view.items.find(({ model }) => model === 'dim')).toMatchObject({ units: ['images'] });
    const member = await personOf(weir, owner, 'member');
    expect((await get<UnpricedView>(member, '/usage/unpriced')).items).toEqual([]);
    await owner.post('/prices', { pattern: 'up/dark', entry: { input: 3, output: 4 } });
    expect(names(await get<UnpricedView>(owner, '/usage/unpriced'))).toEqual(['ops/dim', 'ops/hush', 'ops/misread']);
    expect((await runHere(weir, ['usage', '--unpriced'])).stdout).not.toContain('up/dark');
    expect(await costOf(await chat('dark'))).toEqual([200, '0.005', null]);
    // Requests that were charged without a price stay so.
    expect((await get<OverviewView>(owner, '/usage/overview')).total.unpriced).toBe(6);
  });
});
