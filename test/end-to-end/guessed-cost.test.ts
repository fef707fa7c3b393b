/** A guess is marked wherever a cost is shown: headers, list of models, usage rows, explanations and console. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type {
  ModelDetailView,
  RequestDetailView,
  RequestsView,
  UsageRowView,
} from '../../src/admin/contracts/contract.ts';
import type { Explanation } from '../../src/relay/explain/explanation.ts';
import { post, scripted } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

/** No table has this provider; all of them have the vendor of its model. */
const version = 'guess: genai-prices@0.1.8 openai';
let upstream: RunningUpstream;
let weir: RunningWeir;
let owner: ConsoleClient;
beforeAll(async () => {
  upstream = await startUpstream();
  const other = { kind: 'openai-chat', base_url: upstream.base, key: 'sk-any', models: ['gpt-4.1'] };
  const own = { kind: 'openai', base_url: upstream.base, key: 'sk-any', models: ['gpt-4.1'] };
  weir = await startWeir({ yaml: { providers: { other, own } } });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});

const ask = (model: string, more = {}) => post(weir, scripted({}, { model, ...more }));

test('the reply has the cost and marks a guess; the provider’s own price has no mark', async () => {
  const guessed = await ask('other/gpt-4.1');
  await guessed.text();
  expect(Number(guessed.headers.get('x-weir-cost-usd'))).toBeGreaterThan(0);
  expect(guessed.headers.get('x-weir-cost-source')).toBe('guess');
  const own = await ask('own/gpt-4.1');
  await own.text();
  expect(Number(own.headers.get('x-weir-cost-usd'))).toBeGreaterThan(0);
  expect(own.headers.get('x-weir-cost-source')).toBeNull();
});

test('the list of models, the model’s page and the explanation name whose price it is', async () => {
  const headers = { authorization: `Bearer ${weir.token}` };
  const reply = await fetch(`${weir.base}/models/other/gpt-4.1`, { headers });
  const { pricing } = (await reply.json()) as { pricing: object };
  expect(pricing).toMatchObject({ source: 'guess', version });
  const { body } = await owner.get('/model?id=other/gpt-4.1');
  expect((body as ModelDetailView).prices[0]).toMatchObject({ source: 'guess', version });
  const asking = await createToken(weir, '--may-explain');
  const explained = await post(asking, scripted({}, { model: 'other/gpt-4.1' }), {
    headers: { 'x-weir-explain': 'true' },
  });
  const { candidates } = (await explained.json()) as Explanation;
  expect(candidates[0]).toMatchObject({ price_source: 'guess', price_version: version });
});

test('rows, exports, details and the command line mark it', async () => {
  const rows = async () => ((await owner.get('/usage/requests')).body as RequestsView).items;
  await until(async () => (await rows()).length === 2, 60_000, 'both rows');
  const row = (await rows()).find(({ provider }) => provider === 'other');
  expect(row).toMatchObject({ guess: true, priceVersion: version });
  expect((await rows()).find(({ provider }) => provider === 'own')).not.toHaveProperty('guess');
  const detail = (await owner.get(`/usage/requests/${row?.requestId}`)).body as RequestDetailView;
  expect(detail).toMatchObject({ priceVersion: version, row: { guess: true } });
  expect((await owner.get('/usage/export?form=csv')).body).toContain(`,${version},`);
  const { stdout } = await runHere(weir, ['usage']);
  expect(stdout).toMatch(new RegExp(` other .* ~\\$${row?.costUsd}\\* `));
  expect(stdout).toContain('* A guess: another provider’s price of the same model (genai-prices@0.1.8 openai).');
  const printed = (await json(weir, 'usage')) as UsageRowView[];
  expect(printed.filter(({ guess }) => guess === true)).toHaveLength(1);
});

test('a reply without usage has an estimated cost, and a guess stays marked beside it', async () => {
  const body = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', refusal: null }, finish_reason: 'stop' }],
  });
  const sources = async (model: string) => {
    const reply = await post(weir, scripted({ contentType: 'application/json', body }, { model }));
    await reply.text();
    expect(Number(reply.headers.get('x-weir-cost-usd'))).toBeGreaterThan(0);
    return reply.headers.get('x-weir-cost-source');
  };
  expect(await sources('own/gpt-4.1')).toBe('estimate');
  expect(await sources('other/gpt-4.1')).toBe('guess, estimate');
});
