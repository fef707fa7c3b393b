/**
 * A token that a token created has at most what that one has, over HTTP: every term that refuses requests, restricted before
 * and after the smaller token was made, on whole replies, streams and sockets.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TokenTerms } from '../../src/access/caller.ts';
import type { termTable } from '../../src/access/terms.ts';
import { type Script, scriptText } from '../fake-upstream/script.ts';
import { onStore, requestsBudget, tokenIn } from '../harness/levels.ts';
import { SocketClient } from '../harness/socket-client.ts';
import type { MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

interface Refusal {
  readonly terms: Partial<TokenTerms>;
  readonly code: string;
  /** Its creator could not have made it. */
  readonly onlyAfter?: true;
  /** So many requests are served first. */
  readonly served?: number;
  readonly text?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

type Term = keyof typeof termTable;
const budget = (limit: bigint) => ({ id: 'b1', unit: 'usd', limit, period: 'day' }) as const;

/** The terms without a refusal of their own are compared without HTTP, beside the table. */
const refusals: Readonly<Record<Term, Refusal | undefined>> = {
  models: { terms: { models: ['other-*'] }, code: 'model_not_allowed' },
  endpoints: { terms: { endpoints: ['tokens', 'embeddings'] }, code: 'endpoint_not_allowed' },
  addresses: { terms: { addresses: ['127.0.0.0/8'] }, code: 'address_not_allowed' },
  rpm: { terms: { rpm: 1 }, code: 'rate_limited', served: 1 },
  tpm: { terms: { tpm: 1 }, code: 'rate_limited' },
  budgets: { terms: { budgets: [budget(1n)] }, code: 'budget_spent' },
  endUsers: { terms: { endUsers: { budgets: [requestsBudget(1)] } }, code: 'budget_spent', served: 1 },
  disabled: { terms: { disabled: true }, code: 'token_disabled', onlyAfter: true },
  expiresAtMs: { terms: { expiresAtMs: 1 }, code: 'token_expired', onlyAfter: true },
  strict: {
    terms: { strict: true },
    code: 'loss_refused',
    fields: { model: 'far-1', top_logprobs: 2, logprobs: true },
  },
  moderation: { terms: { moderation: { before: true } }, code: 'content_refused', text: 'I will kill you' },
  tools: undefined,
  concurrency: undefined,
  budgetsMade: undefined,
  labels: undefined,
  maySteer: undefined,
  mayExplain: undefined,
  subTokensMax: undefined,
};
const cases = Object.entries(refusals).flatMap(([term, refusal]) =>
  refusal === undefined ? [] : [{ term, ...refusal }],
);

let upstream: RunningUpstream;
let weir: RunningWeir;
/** By term: of creators that were restricted before and after. */
const children = new Map<string, readonly MadeToken[]>();

/** Another network than that of the creator, behind a proxy. */
const headers = { 'x-forwarded-for': '203.0.113.9' };

async function childOf(creator: MadeToken): Promise<MadeToken> {
  const reply = await fetch(`${weir.base}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${creator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'child' }),
  });
  expect(reply.status).toBe(200);
  const { id, token } = (await reply.json()) as { readonly id: string; readonly token: string };
  return { id, token, base: weir.base };
}

const free: Partial<TokenTerms> = { subTokensMax: 2 };

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    yaml: {
      server: { trusted_proxies: ['127.0.0.1'] },
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] },
        // Of another format: nothing is sent there.
        far: { kind: 'anthropic-messages', base_url: upstream.base, key: 'sk-far', models: ['far-1'] },
      },
      prices: { 'gpt-4.1': { input: 2, output: 8 } },
    },
  });
  const made = await Promise.all(
    cases.map(async ({ term, terms, onlyAfter }) => {
      const before = onlyAfter ? [] : [await childOf(await tokenIn(weir, { terms: { ...free, ...terms } }))];
      const creator = await tokenIn(weir, { terms: free });
      children.set(term, [...before, await childOf(creator)]);
      return { creator, terms };
    }),
  );
  await onStore(weir, async ({ tokens }) => {
    for (const { creator, terms } of made) await tokens.updateTerms(creator.id, { name: 'after', ...free, ...terms });
  });
  // One change after all of these: what refuses this one refuses all.
  const last = await tokenIn(weir, { terms: free });
  const witness = await childOf(last);
  await onStore(weir, ({ tokens }) => tokens.updateTerms(last.id, { name: 'witness', ...free, disabled: true }));
  await until(async () => (await whole(witness, {})) === 'token_disabled', 10_000, 'the changes to be seen');
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});

type Asked = Pick<Refusal, 'text' | 'fields'>;
const words = ({ text }: Asked, script: Script = {}): string => text ?? scriptText(script);

async function post(token: MadeToken, asked: Asked, stream: boolean): Promise<string> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      ...{ model: 'gpt-4.1', max_tokens: 20, user: 'kim', stream },
      messages: [{ role: 'user', content: words(asked) }],
      ...asked.fields,
    }),
  });
  const body = await reply.text();
  return reply.status === 200 ? 'served' : (JSON.parse(body) as { readonly error: { code: string } }).error.code;
}

const whole = (token: MadeToken, asked: Asked) => post(token, asked, false);
const streamed = (token: MadeToken, asked: Asked) => post(token, asked, true);

/** A refused handshake has a status and no code that a client sees. */
async function socket(token: MadeToken, asked: Asked): Promise<string> {
  const client = new SocketClient(`${weir.base}/responses`, { token: token.token, headers });
  try {
    await client.opened;
    const { logprobs: _, ...fields } = asked.fields ?? {};
    const event = await client.create({
      ...{ model: 'gpt-4.1', max_output_tokens: 20, user: 'kim', input: words(asked) },
      ...fields,
    });
    return (event['error'] as { readonly code: string } | undefined)?.code ?? 'served';
  } catch {
    return 'not opened';
  } finally {
    client.close();
  }
}

describe.each(cases)('$term', ({ term, code, served = 0, ...asked }) => {
  test('of a creator holds for its smaller token', async () => {
    for (const child of children.get(term) ?? []) {
      for (let count = 0; count < served; count++) expect(await whole(child, asked)).toBe('served');
      expect([await whole(child, asked), await streamed(child, asked)]).toEqual([code, code]);
      expect([code, 'not opened']).toContain(await socket(child, asked));
    }
  });
});

test('a smaller token of a free creator is served on all of these paths', async () => {
  const child = await childOf(await tokenIn(weir, { terms: free }));
  for (const call of [whole, streamed, socket]) expect(await call(child, {})).toBe('served');
});
