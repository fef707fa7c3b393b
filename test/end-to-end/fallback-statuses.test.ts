/** Which target is asked after which status: an alias of three targets that all answer the same, counted at the providers. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { HealthView } from '../../src/admin/contracts/health-contract.ts';
import { ownerOf } from '../harness/console-session.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(60_000);

type Asked = readonly [first: number, second: number, third: number];
const all: Asked = [1, 1, 1];
const oneMore: Asked = [1, 1, 0];
const none: Asked = [1, 0, 0];

interface Row {
  readonly conversation: Asked;
  /** Of a request that names something a provider keeps. */
  readonly stored: Asked;
  /** Each attempt is expensive. */
  readonly images: Asked;
  readonly answer: number;
}

const same = (asked: Asked, answer: number): Row => ({ conversation: asked, stored: asked, images: asked, answer });
const missing = (status: number): Row => ({ ...same(all, status), stored: none });
const uncertain: Row = { ...same(oneMore, 502), images: none };

const rows: Readonly<Record<number, Row>> = {
  400: same(none, 400),
  401: same(all, 503),
  403: same(all, 403),
  404: missing(404),
  405: missing(405),
  408: uncertain,
  409: uncertain,
  410: missing(410),
  413: same(all, 413),
  421: missing(421),
  422: same(none, 422),
  425: missing(425),
  429: same(all, 429),
  500: uncertain,
  502: uncertain,
  503: same(all, 503),
  504: uncertain,
  529: same(all, 503),
};

const forms = ['whole', 'streamed', 'stored', 'stored and streamed', 'images'] as const;
type Form = (typeof forms)[number];
const cases = Object.keys(rows).flatMap((status) => forms.map((form) => ({ status: Number(status), form })));
const nameOf = ({ status, form }: { status: number; form: Form }) => `s${status}-${form.replaceAll(' ', '-')}`;

/** POSTs by place: the name of a case and the number of its target. */
const asked = new Map<string, number>();
let weir: RunningWeir;
let provider: ReturnType<typeof startProvider>;
let token: MadeToken;
let other: MadeToken;

/** The first part of the path is the name of the target, which begins with the status that it answers. */
function startProvider() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const [, place = ''] = new URL(request.url).pathname.split('/');
      if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
      await request.arrayBuffer();
      asked.set(place, (asked.get(place) ?? 0) + 1);
      const status = /^s(\d+)/.exec(place)?.[1];
      if (status === undefined) return Response.json(reply);
      return Response.json(
        { error: { message: 'No.', type: 'x', param: null, code: null } },
        { status: Number(status) },
      );
    },
  });
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: 'assistant', content: 'ok', refusal: null };
const reply = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message }],
  usage,
};

beforeAll(async () => {
  provider = startProvider();
  const at = (place: string) => ({
    kind: 'openai-chat',
    base_url: `http://127.0.0.1:${provider.port}/${place}/v1`,
    key: `sk-${place}`,
    models: ['m'],
  });
  const names = cases.map(nameOf);
  const places = [...names.flatMap((name) => [1, 2, 3].map((index) => `${name}-${index}`)), 's404-gone', 's404-alone'];
  const alias = (...targets: string[]) => ({
    targets: targets.map((name, tier) => ({ provider: name, model: 'm', tier })),
  });
  weir = await startWeir({
    unchecked: 'the provider says one word to everything',
    yaml: {
      providers: { ...Object.fromEntries(places.map((place) => [place, at(place)])), works: at('works') },
      models: {
        ...Object.fromEntries(names.map((name) => [name, alias(`${name}-1`, `${name}-2`, `${name}-3`)])),
        falls: alias('s404-gone', 'works'),
        alone: alias('s404-alone'),
      },
      prices: { m: { input: 1_000, output: 1_000, image: 1, context_tokens: 1_000 } },
      clocks: { patience_ms: 0 },
      ids: { unknown: 'allow' },
      routing: { retry_percent_max: 100 },
    },
  });
  const budget = ['--budget-usd', '1000000', '--budget-period', 'total'];
  token = await createToken(weir, ...budget);
  other = await createToken(weir, ...budget);
});
afterAll(async () => {
  await weir.remove();
  await provider.stop(true);
});

function send(holder: MadeToken, model: string, form: Form): Promise<Response> {
  const headers = { authorization: `Bearer ${holder.token}`, 'content-type': 'application/json' };
  const body = form === 'images' ? { model, prompt: 'x' } : conversation(model, form);
  const path = form === 'images' ? 'images/generations' : 'chat/completions';
  return fetch(`${weir.base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

function conversation(model: string, form: Form): object {
  const file = { type: 'file', file: { file_id: 'file-kept' } };
  const content = form.startsWith('stored') ? [{ type: 'text', text: 'hi' }, file] : 'hi';
  return { model, stream: form.endsWith('streamed'), max_tokens: 10, messages: [{ role: 'user', content }] };
}

const countOf = (...places: string[]) => places.map((place) => asked.get(place) ?? 0);

describe.each(cases)('$status, $form', (given) => {
  test('asks the targets that may serve it, and no other', async () => {
    const { status, form } = given;
    const name = nameOf(given);
    const row = rows[status];
    if (row === undefined) throw new Error('every status has a row');
    const answer = await send(token, name, form);
    await answer.text();
    const expected = form === 'images' ? row.images : form.startsWith('stored') ? row.stored : row.conversation;
    expect([answer.status, ...countOf(`${name}-1`, `${name}-2`, `${name}-3`)]).toEqual([row.answer, ...expected]);
  });
});

test('what may have been billed is charged at every target that was asked, all else is free', async () => {
  const payer = other;
  const [before] = (await settledLedger(weir, payer.id)).budgets;
  for (const status of [404, 413]) await (await send(payer, `s${status}-whole`, 'whole')).text();
  const free = await settledLedger(weir, payer.id);
  expect(free.budgets[0]?.spentNano).toBe(before?.spentNano ?? 0n);
  for (const status of [408, 409]) {
    const answer = await send(payer, `s${status}-streamed`, 'streamed');
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false']);
    await answer.text();
  }
  const ledger = await settledLedger(weir, payer.id);
  expectBalanced(ledger);
  const charged = ledger.attempts.filter(({ costNano = 0n }) => costNano > 0n);
  expect(charged.length).toBe(4);
  expect(ledger.usage.filter(({ costNano }) => costNano > 0n).every(({ estimated }) => estimated)).toBe(true);
});

test('a target without its model is asked less often for the caller who was answered so, and for all once two were', async () => {
  const ask = async (holder: MadeToken) => expect((await send(holder, 'falls', 'whole')).status).toBe(200);
  for (let count = 0; count < 5; count += 1) await ask(token);
  expect(countOf('s404-gone')).toEqual([1]);
  for (let count = 0; count < 5; count += 1) await ask(other);
  expect(countOf('s404-gone', 'works')).toEqual([2, 10]);
  await ask(await createToken(weir));
  expect(countOf('s404-gone')).toEqual([2]);
});

test('health shows the target whose model is missing, but no model that callers made up', async () => {
  for (const model of ['alone', 's404-alone/made-up']) await (await send(token, model, 'whole')).text();
  const owner = await ownerOf(weir);
  const stateOf = async (provider: string) => {
    const { targets } = (await owner.get('/health')).body as HealthView;
    return targets
      .filter((each) => each.provider === provider && each.failed > 0)
      .map(({ model, state }) => [model, state]);
  };
  await until(async () => (await stateOf('s404-alone')).length > 0);
  expect(await stateOf('s404-alone')).toEqual([['m', 'model-missing']]);
  expect(await stateOf('s404-gone')).toEqual([['m', 'model-missing']]);
});
