/** A token asks about itself, and creates smaller tokens that count against everything it counts against. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

let upstream: RunningUpstream;
let weir: RunningWeir;
let parent: string;

/** What the tests read of the answers; each has some of it. */
interface Body {
  readonly id: string;
  readonly token: string;
  readonly budgets: readonly { readonly spent: string; readonly left: string; readonly resets_at: string }[];
  readonly spend: { readonly month_usd: string };
  readonly data: readonly { readonly id: string; readonly token?: string }[];
  readonly models: readonly { readonly model: string; readonly requests: number }[];
  readonly has_more: boolean;
  readonly last_id: string;
  readonly error: { readonly code: string; readonly message: string; readonly param?: string };
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

async function call(token: string, method: string, path: string, body?: object): Promise<Reply> {
  const reply = await fetch(`${weir.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Body };
}

const chat = (token: string, model = 'gpt-4.1') =>
  call(token, 'POST', '/v1/chat/completions', { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });

async function issue(...words: readonly string[]): Promise<string> {
  const made = await weir.command('token', 'create', '--name', ...words, '--json');
  return (JSON.parse(made.stdout) as { readonly token: string }).token;
}

beforeAll(async () => {
  upstream = await startUpstream();
  const providers = {
    up: { kind: 'openai', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1', 'gpt-4.1-mini'] },
  };
  weir = await startWeir({ yaml: { providers } });
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});
beforeEach(async () => {
  upstream.reset();
  parent = await issue(
    'agent',
    '--budget-usd',
    '5',
    '--budget-period',
    'month',
    '--rpm',
    '100',
    '--sub-tokens',
    '3',
    '--tools',
    'web_*',
  );
});

describe('GET /v1/token', () => {
  test('shows rights, limits, budgets and spend', async () => {
    expect((await chat(parent)).status).toBe(200);
    const { status, body } = await call(parent, 'GET', '/v1/token');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'token',
      name: 'agent',
      expires_at: null,
      models: null,
      tools: ['web_*'],
      levels: [{ level: 'organization', id: 'org' }],
      limits: { requests_per_minute: { limit: 100, left: 99 }, tokens_per_minute: null },
      sub_tokens_max: 3,
    });
    const [budget] = body.budgets;
    expect(budget).toMatchObject({ level: 'token', unit: 'usd', period: 'month', limit: '5.00', held: '0.00' });
    expect(Number(budget?.spent)).toBeGreaterThan(0);
    expect(Number(budget?.spent) + Number(budget?.left)).toBeCloseTo(5, 9);
    expect(Date.parse(budget?.resets_at ?? '')).toBeGreaterThan(Date.now());
    expect(body.spend.month_usd).toBe(budget?.spent ?? '');
  });

  test('works for a token that may call one endpoint only, and not without a token', async () => {
    const narrow = await issue('narrow', '--endpoints', 'embeddings');
    expect((await call(narrow, 'GET', '/v1/token')).status).toBe(200);
    expect((await call('weir_wrong', 'GET', '/v1/token')).status).toBe(401);
  });
});

describe('GET /v1/usage', () => {
  test('lists the own requests with their sums, and no other token’s', async () => {
    for (const model of ['gpt-4.1', 'gpt-4.1', 'gpt-4.1-mini']) await chat(parent, model);
    const other = await issue('other');
    await chat(other);
    const first = (await call(parent, 'GET', '/v1/usage?limit=2')).body;
    expect(first).toMatchObject({ object: 'list', has_more: true });
    expect(first.data).toHaveLength(2);
    expect(first.data[0]).toMatchObject({ model: 'gpt-4.1-mini', status: 200, error: null, endpoint: 'chat' });
    const rest = (await call(parent, 'GET', `/v1/usage?limit=2&after=${first.last_id}`)).body;
    expect(rest.data).toHaveLength(1);
    expect(rest.has_more).toBe(false);
    const sums = new Map(first.models.map((sum) => [sum.model, sum.requests]));
    expect(Object.fromEntries(sums)).toEqual({ 'gpt-4.1': 2, 'gpt-4.1-mini': 1 });
    const foreign = (await call(other, 'GET', `/v1/usage?after=${first.last_id}`)).body;
    expect(foreign.error).toMatchObject({ param: 'after' });
  });

  test('names a wrong parameter', async () => {
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['from=yesterday', 'from'],
    ] as const) {
      const { status, body } = await call(parent, 'GET', `/v1/usage?${query}`);
      expect([status, body.error.param]).toEqual([400, param]);
    }
  });
});

describe('POST /v1/tokens', () => {
  test('a smaller token spends from its creator’s budget, and is refused when it is spent', async () => {
    const small = await issue('small', '--budget-usd', '0.0009', '--sub-tokens', '2');
    const made = await call(small, 'POST', '/v1/tokens', { name: 'child', expires_in: 600, models: ['gpt-4.1'] });
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const child = made.body.token;
    expect((await chat(child)).status).toBe(200);
    expect((await chat(child, 'gpt-4.1-mini')).status).toBe(403);
    expect(Number((await call(small, 'GET', '/v1/token')).body.budgets[0]?.spent)).toBeGreaterThan(0);
    let refused = await chat(child);
    for (let tries = 0; tries < 200 && refused.status === 200; tries += 1) refused = await chat(child);
    expect(refused.body.error.code).toBe('budget_spent');
    expect(refused.headers.get('x-weir-budget-level')).toStartWith('token:');
  });

  test('what goes beyond its creator is refused, with the name of the field', async () => {
    const refused: readonly [object, string][] = [
      [{ name: 'x', budget_usd: 6 }, 'budget_usd'],
      [{ name: 'x', rpm: 101 }, 'rpm'],
      [{ name: 'x', sub_tokens_max: 4 }, 'sub_tokens_max'],
      [{ name: 'x', labels: ['vip'] }, 'labels'],
      [{ name: 'x', tools: ['web_search', 'computer'] }, 'tools'],
      [{ name: 'x', expires_in: 0 }, 'expires_in'],
      [{ name: 'x', addresses: ['10.0.0.0/8'] }, 'addresses'],
      [{ name: 'x', budget_period: 'year' }, 'budget_period'],
      [{}, 'name'],
    ];
    for (const [input, param] of refused) {
      const { status, body } = await call(parent, 'POST', '/v1/tokens', input);
      expect([status >= 400 && status < 500, body.error.param]).toEqual([true, param]);
    }
    expect((await call(parent, 'GET', '/v1/tokens')).body.data).toEqual([]);
  });

  test('their number is bounded, also for many at once, and a revoked one makes room', async () => {
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, index) => call(parent, 'POST', '/v1/tokens', { name: `child ${index}` })),
    );
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(3);
    const { data } = (await call(parent, 'GET', '/v1/tokens')).body;
    expect(data).toHaveLength(3);
    expect(data[0]?.token).toBeUndefined();
    const stranger = await issue('stranger', '--sub-tokens', '1');
    expect((await call(stranger, 'DELETE', `/v1/tokens/${data[0]?.id}`)).status).toBe(404);
    expect((await call(parent, 'DELETE', `/v1/tokens/${data[0]?.id}`)).body).toMatchObject({ deleted: true });
    expect((await call(parent, 'POST', '/v1/tokens', { name: 'next' })).status).toBe(200);
  });

  test('a chain of creators is bounded, and ends with the first', async () => {
    const chain = [parent];
    for (let depth = 0; depth < 3; depth += 1) {
      const made = await call(chain.at(-1) ?? '', 'POST', '/v1/tokens', { name: `depth ${depth}`, sub_tokens_max: 1 });
      expect(made.status).toBe(200);
      chain.push(made.body.token);
    }
    expect((await call(chain.at(-1) ?? '', 'POST', '/v1/tokens', { name: 'too deep' })).status).toBe(403);
    expect((await chat(chain.at(-1) ?? '')).status).toBe(200);
    const { id } = (await call(parent, 'GET', '/v1/token')).body;
    expect((await weir.command('token', 'revoke', id)).code).toBe(0);
    for (;;) {
      const { status } = await chat(chain.at(-1) ?? '');
      if (status === 401) break;
    }
  });

  test('a token that may not create any learns how it could', async () => {
    const plain = await issue('plain');
    const { status, body } = await call(plain, 'POST', '/v1/tokens', { name: 'child' });
    expect(status).toBe(403);
    expect(body.error.message).toContain('subTokensMax');
  });
});

test('limits have the names that the library of the messages format reads', async () => {
  const client = new Anthropic({ apiKey: parent, baseURL: weir.url, maxRetries: 0 });
  const { response } = await client.messages
    .create({ model: 'gpt-4.1', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] })
    .withResponse();
  expect(response.headers.get('anthropic-ratelimit-requests-limit')).toBe('100');
  expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('99');
  expect(response.headers.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100');
});
