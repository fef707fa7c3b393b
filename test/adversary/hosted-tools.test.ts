/** Tools that the provider runs and bills by the call: a budget pays for those with a price, and gets no others. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { type AttackedWeir, startAttacked } from './attacked.ts';

/** USD for a call, as the provider bills it. */
const feeUsd = 0.03;
const calls = 3;

let weir: AttackedWeir;
let owner: ConsoleClient;
/** The bodies that the provider got. */
const seen: Record<string, unknown>[] = [];
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });

/** Calls each tool that it was given three times. */
async function answer(request: Request): Promise<Response> {
  if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
  const body = (await request.json()) as Record<string, unknown>;
  seen.push(body);
  const tools = (body['tools'] ?? []) as readonly { readonly type: string }[];
  const output = tools
    .filter(({ type }) => type !== 'function')
    .flatMap(({ type }) => Array.from({ length: calls }, (_, at) => ({ type: `${type}_call`, id: `c${at}` })));
  const content = [{ type: 'output_text', text: 'so', annotations: [], logprobs: [] }];
  const message = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20, ...details };
  const head = {
    id: crypto.randomUUID(),
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: body['model'],
  };
  return Response.json({ ...head, output: [...output, message], usage });
}

beforeAll(async () => {
  const provider = (models: readonly string[]) => ({
    kind: 'openai-responses',
    base_url: `http://127.0.0.1:${server.port}/v1`,
    key: 'sk-x',
    models,
  });
  weir = await startAttacked({
    yaml: {
      // The ids of stores are not what is judged here.
      ids: { unknown: 'allow' },
      providers: { up: provider(['priced-1', 'plain-1']) },
      prices: {
        'priced-1': { input: 1, output: 1, context_tokens: 1_000, tools: { code_interpreter: feeUsd } },
        'plain-1': { input: 1, output: 1, context_tokens: 1_000 },
      },
    },
    unchecked: 'the provider answers with less than its format has',
  });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir.remove();
  await server.stop(true);
});

async function tokenOf(terms: object): Promise<string> {
  const { body } = await owner.post('/tokens', { name: crypto.randomUUID(), ...terms });
  return (body as { token: string }).token;
}

const budgeted = { budgetUsd: 1, budgetPeriod: 'total' };
const own = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };

async function send(token: string, model: string, tools: readonly object[], headers: Record<string, string> = {}) {
  const from = seen.length;
  const reply = await fetch(`${weir.turn()}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, input: 'Go.', max_output_tokens: 20, max_tool_calls: calls, store: false, tools }),
  });
  const { error } = (await reply.json()) as { error?: { code: string } };
  const [body] = seen.slice(from);
  return {
    status: reply.status,
    code: error?.code,
    losses: reply.headers.get('x-weir-losses') ?? '',
    tools: ((body?.['tools'] ?? []) as readonly { readonly type: string }[]).map(({ type }) => type),
    chargedUsd: Number(reply.headers.get('x-weir-cost-usd') ?? '0'),
  };
}

const interpreter = { type: 'code_interpreter', container: { type: 'auto' } };
const tokensUsd = 20 / 1e6;

describe('with a budget', () => {
  test('a tool with a price is reserved and charged by the call', async () => {
    const token = await tokenOf(budgeted);
    const sent = await send(token, 'priced-1', [interpreter, own]);
    expect(sent).toMatchObject({ status: 200, losses: '', tools: ['code_interpreter', 'function'] });
    expect(sent.chargedUsd).toBeCloseTo(tokensUsd + calls * feeUsd, 9);
    const small = await tokenOf({ ...budgeted, budgetUsd: 0.05 });
    expect(await send(small, 'priced-1', [interpreter])).toMatchObject({ status: 402, tools: [] });
  });

  test('a crowd spends no more than the budget', async () => {
    const token = await tokenOf({ ...budgeted, budgetUsd: 0.4 });
    const all = await Promise.all(Array.from({ length: 12 }, () => send(token, 'priced-1', [interpreter])));
    const served = all.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    expect(served.length * (tokensUsd + calls * feeUsd)).toBeLessThanOrEqual(0.4);
    expect(all.filter(({ status }) => status !== 200).every(({ status }) => status === 402)).toBe(true);
  });

  test.each([
    'code_interpreter',
    'image_generation',
    'file_search',
    'next_year_tool',
  ])('%s without a price is left out and named; the caller’s own tools stay; strict mode refuses it', async (type) => {
    const token = await tokenOf(budgeted);
    const tool = { type, ...(type === 'file_search' && { vector_store_ids: ['vs_1'] }) };
    const sent = await send(token, 'plain-1', [tool, own]);
    expect(sent).toMatchObject({ status: 200, tools: ['function'] });
    expect(sent.losses).toContain(`tool-${type}`);
    expect(await send(token, 'plain-1', [tool, own], { 'x-weir-strict': 'true' })).toMatchObject({
      status: 400,
      code: 'loss_refused',
      tools: [],
    });
  });
});

describe('the term', () => {
  test('names tools that may be used without a known price', async () => {
    const token = await tokenOf({ ...budgeted, tools: ['*'] });
    expect(await send(token, 'plain-1', [interpreter])).toMatchObject({ status: 200, tools: ['code_interpreter'] });
  });

  test('forbids all others, with or without a budget', async () => {
    for (const terms of [budgeted, {}]) {
      const token = await tokenOf({ ...terms, tools: ['web_search'] });
      const sent = await send(token, 'priced-1', [interpreter, own]);
      expect(sent).toMatchObject({ status: 200, tools: ['function'] });
      expect(sent.losses).toContain('tool-code_interpreter');
    }
  });

  test('says nothing of a token without a budget and without the term', async () => {
    const token = await tokenOf({});
    expect(await send(token, 'plain-1', [interpreter])).toMatchObject({ status: 200, tools: ['code_interpreter'] });
  });
});
