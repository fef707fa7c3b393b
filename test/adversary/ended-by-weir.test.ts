/**
 * Requests that Weir itself ends: by each of its clocks, by its bounds, because the reply cannot be read or breaks off. The
 * provider has done the work by then, so it is charged; and no second provider is asked for what the budget cannot hold.
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { expectBalanced, type LedgerRows, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type AttackedWeir, startAttacked } from './attacked.ts';
import { conversations, operations } from './cases.ts';
import {
  type Conduct,
  type GreedyProvider,
  type InvoiceLine,
  spoilings,
  startGreedyProvider,
} from './greedy-provider.ts';

setDefaultTimeout(120_000);

/** A token of input or output costs a thousandth of a dollar, everything else a dollar. */
const tokenNano = 1_000_000n;
const pieceNano = 1_000_000_000n;
const orderedTokens = 400;

let provider: GreedyProvider;
let weir: AttackedWeir;

/** Each cause has a Weir of its own: what failed for one must not be avoided for the next. */
beforeEach(async () => {
  const at = (kind: string, models: string[], version = '/v1') => ({
    kind,
    base_url: provider.origin + version,
    key: 'sk-greedy',
    models,
  });
  const perToken = { input: 1_000, output: 1_000 };
  weir = await startAttacked({
    yaml: {
      providers: {
        chat: at('openai-chat', ['gpt-4.1']),
        other: at('openai-chat', ['gpt-4.1']),
        older: at('deepseek', ['gpt-4.1']),
        comp: at('openai', ['gpt-3.5-turbo-instruct']),
        msg: at('anthropic-messages', ['claude-sonnet-4-5']),
        resp: at('openai-responses', ['gpt-4.1']),
        gen: at('gemini-generate', ['gemini-2.5-pro'], '/v1beta'),
        ops: at('openai-chat', ['vectors', 'ranked', 'images', 'speech', 'transcripts']),
        film: at('litellm', ['sora-2']),
      },
      models: {
        twice: {
          choose: 'weighted',
          targets: [
            { provider: 'chat', model: 'gpt-4.1', tier: 0 },
            { provider: 'other', model: 'gpt-4.1', tier: 1 },
          ],
        },
      },
      prices: {
        'gpt-*': perToken,
        'claude-*': perToken,
        'gemini-*': { ...perToken, context_tokens: 1_000_000 },
        vectors: { input: 1_000, output: 0 },
        ranked: { searches: 1_000 },
        images: { image: 1 },
        speech: { characters: 1_000_000 },
        transcripts: { minute: 60 },
        'sora-2': { video: 1 },
      },
      clocks: { head_timeout_ms: 2_000, idle_timeout_ms: 400, patience_ms: 0 },
      limits: { reply_bytes_max: 20_000, stream_event_bytes_max: 20_000 },
    },
    unchecked: 'the provider breaks its formats on purpose',
  });
});
afterEach(() => weir.remove());
beforeAll(() => {
  provider = startGreedyProvider();
});
afterAll(() => provider.stop());

function invoicedNano(lines: readonly InvoiceLine[]): bigint {
  const sum = (of: (line: InvoiceLine) => number) => BigInt(lines.reduce((total, line) => total + of(line), 0));
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const pieces = sum((line) => line.images + line.characters + line.seconds + line.searches + line.videos);
  return tokens * tokenNano + pieces * pieceNano;
}

function send(token: MadeToken, path: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token.token}` };
  if (!(body instanceof FormData)) headers['content-type'] = 'application/json';
  return fetch(weir.turn() + path, {
    method: 'POST',
    headers,
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
}

/** Once nothing is held and every request has its row. */
async function ledgerOf(token: MadeToken, requests: number): Promise<LedgerRows> {
  let ledger: LedgerRows | undefined;
  await until(async () => {
    ledger = await settledLedger(weir, token.id);
    return ledger.usage.length === requests && ledger.budgets.every(({ heldNano }) => heldNano === 0n);
  });
  if (ledger === undefined) throw new Error('it was read');
  expectBalanced(ledger);
  return ledger;
}

const payer = (budgetUsd: string) => createToken(weir, '--budget-usd', budgetUsd, '--budget-period', 'total');

interface Order {
  readonly name: string;
  readonly path: string;
  readonly body: () => unknown;
  /** Of a reply that is too large for Weir the end is read, where it is a conversation's. */
  readonly reportsAtEnd?: boolean;
}

/** Every kind of work, whole and streamed. */
const orders: readonly Order[] = [
  ...[false, true].flatMap((stream) =>
    conversations.map((each): Order => {
      const [limits = {}] = each.limits(orderedTokens, orderedTokens);
      const body = () => ({ ...each.body(each.model, stream), ...limits });
      return {
        name: `${each.name}${stream ? ', streamed' : ''}`,
        path: each.path(stream),
        body,
        reportsAtEnd: !stream,
      };
    }),
  ),
  ...operations,
];

const causes: readonly { readonly name: string; readonly conduct: Conduct }[] = [
  { name: 'no head in time', conduct: { hold: true } },
  ...spoilings.map((spoils) => ({ name: `a reply that is ${spoils}`, conduct: { hold: true, spoils } })),
];

/** One after the other, so that each has an invoice of its own; the waiting for clocks is the test's only time. */
describe.each(causes.map((each) => [each.name, each] as const))('%s', (_, { conduct }) => {
  test('is charged at least what was ordered, and no more than twice that', async () => {
    provider.conduct = conduct;
    const wrong: string[] = [];
    const token = await payer('100000');
    const from = provider.invoice.length;
    const answering = Promise.all(
      orders.map(async ({ name, path, body, reportsAtEnd }) => {
        const reply = await send(token, path, body());
        await reply.text().catch(() => '');
        const estimated = !(reportsAtEnd === true && conduct.spoils === 'large');
        return { name, requestId: reply.headers.get('x-request-id') ?? '', estimated };
      }),
    );
    await until(() => provider.invoice.length - from >= orders.length);
    if (conduct.spoils !== undefined) provider.release();
    const replies = await answering;
    provider.release();
    provider.conduct = {};
    const lines = provider.invoice.slice(from);
    const ledger = await ledgerOf(token, replies.length);
    for (const { name, requestId, estimated } of replies) {
      const row = ledger.usage.find((each) => each.requestId === requestId);
      if (row === undefined || row.costNano === 0n || row.estimated !== estimated)
        wrong.push(`${name}: ${row?.costNano} ${row?.code}`);
    }
    expect(wrong).toEqual([]);
    const charged = totalCostNano(ledger.attempts);
    expect(charged).toBeGreaterThanOrEqual(invoicedNano(lines));
    expect(charged).toBeLessThanOrEqual(2n * invoicedNano(lines));
  });
});

describe('a second provider', () => {
  const body = { model: 'twice', messages: [{ role: 'user', content: 'Go.' }], max_tokens: orderedTokens };

  test.each([
    ['is not asked where the budget has no room for both', '0.7', 1],
    ['is asked where it has room, and both are charged', '2', 2],
  ] as const)('%s', async (_, budgetUsd, asked) => {
    const token = await payer(budgetUsd);
    provider.conduct = { hold: true };
    const from = provider.invoice.length;
    const answering = send(token, '/v1/chat/completions', body);
    await until(() => provider.invoice.length - from === asked);
    for (const { spentNano, heldNano } of (await readLedger(weir, token.id)).budgets) {
      expect(spentNano + heldNano).toBeLessThanOrEqual(BigInt(Math.round(Number(budgetUsd) * 1e9)));
      expect(spentNano + heldNano).toBeGreaterThanOrEqual(invoicedNano(provider.invoice.slice(from)));
    }
    const reply = await answering;
    expect([reply.status, (await errorOf(reply)).code]).toEqual([504, 'upstream_timeout']);
    provider.release();
    provider.conduct = {};
    const lines = provider.invoice.slice(from);
    expect(lines.length).toBe(asked);
    const ledger = await ledgerOf(token, 1);
    expect(totalCostNano(ledger.attempts)).toBeGreaterThanOrEqual(invoicedNano(lines));
    expect(ledger.usage.map(({ code, costNano }) => [code, costNano])).toEqual([
      ['upstream_timeout', totalCostNano(ledger.attempts)],
    ]);
  });
});
