/**
 * Bodies that name another model than the one they ask for, in every place of a request where a provider could read one:
 * a token's list and its budget hold, whatever the field is called.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { bodiesWith, fullRequests } from '../harness/field-positions.ts';
import { type AttackedWeir, startAttacked } from './attacked.ts';
import {
  cheap,
  expensive,
  type SteeredLine,
  type SteeringProvider,
  startSteeringProvider,
  tokensEach,
} from './steering-provider.ts';

/** USD for a million tokens. */
const usdOf = { [cheap]: 1, [expensive]: 100 } as const;

let provider: SteeringProvider;
let weir: AttackedWeir;
let owner: ConsoleClient;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  provider = startSteeringProvider();
  weir = await startAttacked({
    yaml: yamlFor(provider.origin),
    unchecked: 'the provider answers with less than formats have',
  });
  owner = await ownerOf(weir);
  tokens['listed'] = await tokenOf({ models: [`*${cheap}`] });
  tokens['budgeted'] = await tokenOf({ budgetUsd: 100, budgetPeriod: 'total' });
  tokens['small'] = await tokenOf({ budgetUsd: 0.001, budgetPeriod: 'total' });
  tokens['steering'] = await tokenOf({ budgetUsd: 100, budgetPeriod: 'total', maySteer: true });
  tokens['free'] = await tokenOf({});
});
afterAll(async () => {
  await weir.remove();
  provider.stop();
});

function yamlFor(origin: string): object {
  const models = [cheap, expensive];
  const at = (kind: string, version = '/v1') => ({ kind, base_url: `${origin}${version}`, key: 'sk-x', models });
  const price = (usd: number) => ({ input: usd, output: usd, context_tokens: 100_000, web_searches: 0.001 });
  return {
    providers: {
      chat: at('openai-chat'),
      messages: at('anthropic-messages'),
      responses: at('openai-responses'),
      generate: at('gemini-generate', '/v1beta'),
      completions: at('openai'),
      router: at('openrouter'),
      marked: { ...at('openai-chat'), routes_elsewhere: true },
    },
    prices: { [cheap]: price(usdOf[cheap]), [expensive]: price(usdOf[expensive]) },
    ids: { unknown: 'allow' },
  };
}

async function tokenOf(terms: object): Promise<string> {
  const { body } = await owner.post('/tokens', { name: `t-${crypto.randomUUID()}`, ...terms });
  return (body as { token: string }).token;
}

type Body = Readonly<Record<string, unknown>>;

interface Place {
  readonly name: string;
  readonly path: string;
  readonly body: Body;
}

const asked = (target: string) => `${target}/${cheap}`;

const places: readonly Place[] = [
  { name: 'chat', path: '/v1/chat/completions', body: fullRequests.chat(asked('chat')) },
  { name: 'messages', path: '/v1/messages', body: fullRequests.messages(asked('messages')) },
  { name: 'responses', path: '/v1/responses', body: fullRequests.responses(asked('responses')) },
  { name: 'generate', path: `/v1beta/models/generate/${cheap}:generateContent`, body: fullRequests.generate() },
  {
    name: 'completions translated to chat',
    path: '/v1/completions',
    body: fullRequests.completions(asked('completions')),
  },
  { name: 'a router', path: '/v1/chat/completions', body: fullRequests.chat(asked('router')) },
  { name: 'messages of a router', path: '/v1/messages', body: fullRequests.messages(asked('router')) },
  { name: 'a marked host', path: '/v1/chat/completions', body: fullRequests.chat(asked('marked')) },
  { name: 'chat translated to messages', path: '/v1/chat/completions', body: fullRequests.chat(asked('messages')) },
  { name: 'embeddings', path: '/v1/embeddings', body: { model: asked('chat'), input: 'x' } },
  { name: 'embeddings of a router', path: '/v1/embeddings', body: { model: asked('router'), input: 'x' } },
];

/** Fields that routers document, and shapes in which a server could read a name. */
const documented: readonly (readonly [string, unknown])[] = [
  ['models', [expensive]],
  ['fallbacks', [expensive]],
  ['fallbacks', [{ model: expensive }]],
  ['fallbacks', { [cheap]: [expensive] }],
  ['advisor', { model: expensive }],
  ['route', expensive],
  ['preset', `@preset/${expensive}`],
  ['router', { model: expensive }],
  ['plugins', [{ id: 'auto-router', allowed_models: [expensive] }]],
  ['plugins', [{ id: 'web', model: expensive }]],
  ['tools', [{ type: 'openrouter:advisor', parameters: { model: expensive } }]],
  ['tools', [{ type: 'advisor_20260301', name: 'advisor', model: expensive, max_uses: 1, max_tokens: 1_024 }]],
  ['tools', [{ type: 'next_year_20270101', agent: { model: expensive } }]],
  ['moderation', { model: expensive }],
  ['Model', expensive],
  ['extra_body', { model: expensive }],
  ['settings', `{"model":"${expensive}"}`],
  ['settings', `${cheap},${expensive}`],
  ['settings', ` ${expensive} `],
  ['settings', expensive.toUpperCase()],
  ['settings', `${expensive}:nitro`],
  ['settings', [[[[expensive]]]]],
];

/** Every place of the format's own request, and every field that someone documents. */
function* attacksOn({ body }: Place): Generator<readonly [string, Body]> {
  for (const [name, value] of documented) yield [`${name} ${JSON.stringify(value)}`, { ...body, [name]: value }];
  yield* bodiesWith(body, 'zz_next_year', expensive);
  yield* bodiesWith(body, 'model2', [{ name: expensive }]);
}

interface Outcome {
  readonly status: number;
  readonly code: string;
  readonly chargedUsd: number;
  readonly lines: readonly SteeredLine[];
  readonly losses: string;
}

async function send(holder: string, path: string, body: Body): Promise<Outcome> {
  const from = provider.invoice.length;
  const reply = await fetch(weir.turn() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[holder]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await reply.json()) as { error?: { code?: string } };
  return {
    status: reply.status,
    code: String(answer.error?.code ?? ''),
    chargedUsd: Number(reply.headers.get('x-weir-cost-usd') ?? '0'),
    lines: provider.invoice.slice(from),
    losses: reply.headers.get('x-weir-losses') ?? '',
  };
}

const invoiceUsd = (lines: readonly SteeredLine[]): number =>
  lines.reduce((sum, { model }) => sum + (2 * tokensEach * usdOf[model as keyof typeof usdOf]) / 1e6, 0);

describe.each(places.map((place) => [place.name, place] as const))('%s', (_, place) => {
  test('a list of models holds for models that any field names', async () => {
    const wrong: string[] = [];
    for (const [what, body] of attacksOn(place)) {
      const { status, lines } = await send('listed', place.path, body);
      if (lines.some(({ model }) => model === expensive) || status >= 500) wrong.push(`${what}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  test('a budget pays what the provider bills, or refuses', async () => {
    const wrong: string[] = [];
    for (const [what, body] of attacksOn(place)) {
      const { status, chargedUsd, lines } = await send('budgeted', place.path, body);
      const billedUsd = invoiceUsd(lines);
      const isRight = chargedUsd >= billedUsd - 1e-12 && chargedUsd <= billedUsd * 1.02 + 1e-12;
      if (!isRight || status >= 500) wrong.push(`${what}: ${status}, charged ${chargedUsd} of ${billedUsd}`);
    }
    expect(wrong).toEqual([]);
  });

  test('a budget without room for the expensive model sends none of it', async () => {
    const wrong: string[] = [];
    for (const [what, body] of attacksOn(place)) {
      const { lines } = await send('small', place.path, body);
      if (lines.some(({ model }) => model === expensive)) wrong.push(what);
    }
    expect(wrong).toEqual([]);
  });

  test('its own request passes for every token, and nothing is left out of it', async () => {
    for (const holder of ['listed', 'budgeted', 'free']) {
      const { status, losses } = await send(holder, place.path, place.body);
      expect([holder, status]).toEqual([holder, 200]);
      if (!place.name.includes('translated'))
        expect(losses.replaceAll(/provider\.\w+[^,;]*[,;]? ?/g, '')).not.toMatch(/zz/);
    }
  });
});

test('a token without a budget and a list sends every field as it is', async () => {
  for (const { path, body, name } of places) {
    if (name.includes('translated')) continue;
    const { lines, status } = await send('free', path, { ...body, zz_next_year: { model: expensive } });
    expect([name, status, lines.length]).toEqual([name, 200, 1]);
    expect(JSON.parse(lines[0]?.text ?? '{}')).toMatchObject({ zz_next_year: { model: expensive } });
  }
});

test('a self-hosted server’s own fields pass with a budget and a list', async () => {
  const own = {
    chat_template_kwargs: { enable_thinking: false },
    guided_json: { type: 'object' },
    guided_choice: ['yes', 'no', 'auto'],
    mode: 'auto',
    min_p: 0.1,
    cache_prompt: true,
    samplers: ['top_k', 'temperature'],
  };
  const body = { model: asked('chat'), max_tokens: 5, messages: [{ role: 'user', content: 'x' }], ...own };
  for (const holder of ['listed', 'budgeted']) {
    const { status, lines, losses } = await send(holder, '/v1/chat/completions', body);
    expect([status, losses]).toEqual([200, '']);
    expect(JSON.parse(lines[0]?.text ?? '{}')).toMatchObject(own);
  }
});

test('a token that may steer names further models, which are reserved and charged', async () => {
  const body = { ...fullRequests.chat(asked('chat')), route: expensive };
  const { status, chargedUsd, lines } = await send('steering', '/v1/chat/completions', body);
  expect([status, lines.at(-1)?.model]).toEqual([200, expensive]);
  expect(chargedUsd).toBeCloseTo(invoiceUsd(lines), 12);
});

test('what is left out is named, and strict mode refuses it', async () => {
  const body = {
    model: asked('router'),
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
    advisor: { model: 'x' },
  };
  const { status, losses, lines } = await send('budgeted', '/v1/chat/completions', body);
  expect(status).toBe(200);
  expect(losses).toContain('advisor');
  expect(lines[0]?.text).not.toContain('advisor');
  const reply = await fetch(`${weir.turn()}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens['budgeted']}`,
      'content-type': 'application/json',
      'x-weir-strict': 'true',
    },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ error: { code: 'loss_refused' } });
});
