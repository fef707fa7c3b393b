/**
 * Callers that try to spend more than their budget, or to pay less than they caused: a crowd on every endpoint,
 * whole and streamed, against a provider that reads every request at its most expensive and keeps an invoice of its
 * own.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { expectBalanced, type LedgerRows, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { isFullSize, sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type AttackedWeir, startAttacked } from './attacked.ts';
import { type ConversationCase, conversations, operations } from './cases.ts';
import { type Conduct, type GreedyProvider, type InvoiceLine, startGreedyProvider } from './greedy-provider.ts';

/** Budgets have room for some of these and not for all. */
const callers = sized(8, 50);
const budgetOf = (usd: number): number => usd * sized(0.4, 1);
/** A token of input or output costs a thousandth of a dollar, everything else a dollar. */
const tokenNano = 1_000_000n;
const pieceNano = 1_000_000_000n;
const smallLimit = 1;
const largeLimit = 200;
/** Less than any context in use, more than a body of this size can be. */
const referencedTokens = 150_000;

let provider: GreedyProvider;
let weir: AttackedWeir;
let owner: ConsoleClient;

beforeAll(async () => {
  provider = startGreedyProvider();
  weir = await startAttacked({ yaml: yamlFor(provider.origin) });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir.remove();
  provider.stop();
});

function yamlFor(origin: string): object {
  const at = (kind: string, models: string[], version = '/v1') => ({
    kind,
    base_url: `${origin}${version}`,
    key: 'sk-greedy',
    models,
  });
  const perToken = { input: 1_000, output: 1_000 };
  return {
    providers: {
      chat: at('openai-chat', ['gpt-4.1']),
      older: at('deepseek', ['gpt-4.1']),
      comp: at('openai', ['gpt-3.5-turbo-instruct']),
      msg: at('anthropic-messages', ['claude-sonnet-4-5']),
      resp: at('openai-responses', ['gpt-4.1']),
      gen: at('gemini-generate', ['gemini-2.5-pro'], '/v1beta'),
      ops: at('openai-chat', ['vectors', 'ranked', 'images', 'speech', 'transcripts']),
      film: at('litellm', ['sora-2']),
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
    // A client that leaves is not waited for, so that what was not read has to be estimated.
    clocks: { read_on_ms: 0 },
    ids: { unknown: 'allow' },
    limits: { attempts_max: 1 },
    tasks: { ask_every_ms: 50 },
  };
}

interface Payer {
  readonly id: string;
  readonly token: string;
  readonly budgetNano: bigint;
}

let made = 0;

async function payerWith(budgetUsd: number): Promise<Payer> {
  const asked = { name: `payer-${++made}`, budgetUsd, budgetPeriod: 'total' };
  const { status, body } = await owner.post('/tokens', asked);
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  const { id, token } = body as { id: string; token: string };
  return { id, token, budgetNano: BigInt(Math.round(budgetUsd * 1e9)) };
}

function send(payer: Payer, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${payer.token}` };
  if (!(body instanceof FormData)) headers['content-type'] = 'application/json';
  const sent = body instanceof FormData ? body : JSON.stringify(body);
  return fetch(weir.turn() + path, { method: 'POST', headers, body: sent, ...(signal && { signal }) });
}

interface Outcome {
  readonly served: number;
  readonly refused: number;
}

/** All at once, each read to its end; `held` ones are released once all of them were admitted or refused. */
async function crowd(payer: Payer, path: string, bodyOf: () => unknown, held = false): Promise<Outcome> {
  const from = provider.invoice.length;
  let turnedAway = 0;
  const calls = Array.from({ length: callers }, async () => {
    const reply = await send(payer, path, bodyOf());
    if (reply.status >= 300) turnedAway++;
    await reply.text().catch(() => '');
    return reply.status;
  });
  if (held) {
    await until(() => turnedAway + provider.invoice.length - from >= callers);
    provider.release();
  }
  const statuses = await Promise.all(calls);
  const served = statuses.filter((status) => status < 300).length;
  const refused = statuses.filter((status) => status === 402).length;
  expect(statuses.filter((status) => status >= 300 && ![402, 400, 502].includes(status))).toEqual([]);
  return { served, refused };
}

/** Fifty at once that all leave as soon as everything that was admitted has arrived at the provider. */
async function leavers(payer: Payer, path: string, bodyOf: () => unknown, seen: (reply: Response) => Promise<void>) {
  const leaving = new AbortController();
  let refused = 0;
  let begun = 0;
  const calls = Array.from({ length: callers }, async () => {
    try {
      const reply = await send(payer, path, bodyOf(), leaving.signal);
      if (reply.status >= 400) refused++;
      else await seen(reply);
      begun++;
      await reply.text();
    } catch {
      // This is what leaving looks like from the caller's side.
    }
  });
  const from = provider.invoice.length;
  await until(() => refused + Math.max(begun - refused, provider.invoice.length - from) >= callers);
  await expectWithin(payer);
  leaving.abort();
  await Promise.all(calls);
  return { served: callers - refused, refused };
}

function invoicedNano(lines: readonly InvoiceLine[]): bigint {
  const sum = (of: (line: InvoiceLine) => number) => BigInt(lines.reduce((total, line) => total + of(line), 0));
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const pieces = sum(({ images, characters, seconds, searches, videos }) => {
    return images + characters + seconds + searches + videos;
  });
  return tokens * tokenNano + pieces * pieceNano;
}

/** What is spent and held together is within the budget while everything is in flight. */
async function expectWithin(payer: Payer): Promise<void> {
  const { budgets } = await readLedger(weir, payer.id);
  for (const { spentNano, heldNano } of budgets) expect(spentNano + heldNano).toBeLessThanOrEqual(payer.budgetNano);
}

/** What holds whatever a caller does: nothing beyond the budget, and none of the provider's ordered work for free. */
async function expectHeld(payer: Payer, lines: readonly InvoiceLine[]): Promise<void> {
  let ledger: LedgerRows | undefined;
  await until(async () => {
    ledger = await settledLedger(weir, payer.id);
    return ledger.budgets.every(({ heldNano }) => heldNano === 0n);
  });
  if (ledger === undefined) throw new Error('it was read');
  expectBalanced(ledger);
  const charged = totalCostNano(ledger.attempts);
  expect(charged).toBeLessThanOrEqual(payer.budgetNano);
  expect(invoicedNano(lines)).toBeLessThanOrEqual(charged);
}

/**
 * What is held back stays so until the money is settled: Weir never learns how the provider's reply would have ended.
 * Gives the number of requests that the provider saw.
 */
async function attack(budgetUsd: number, conduct: Conduct, work: (payer: Payer) => Promise<void>): Promise<number> {
  const payer = await payerWith(budgetUsd);
  const from = provider.invoice.length;
  provider.conduct = conduct;
  try {
    await work(payer);
    const lines = provider.invoice.slice(from);
    if (conduct.referencedTokens === undefined) expect(lines.length).toBeGreaterThan(0);
    await expectHeld(payer, lines);
    return lines.length;
  } finally {
    provider.conduct = {};
    provider.release();
  }
}

const bodyOf = (each: ConversationCase, stream: boolean, more: object = {}) => ({
  ...each.body(each.model, stream),
  ...more,
});

describe.each([false, true])('conversations (stream: %p)', (stream) => {
  describe.each(conversations.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const path = each.path(stream);

    test('of two limits the larger one is what the budget has room for', async () => {
      // Each pair of limits is tried whole or streamed, and in the full size both whole and streamed.
      const pairs = each.limits(smallLimit, largeLimit).filter((_, at) => isFullSize || (at % 2 === 1) === stream);
      for (const limits of pairs) {
        // No request is answered before all are admitted or refused: what one gave back must not admit another.
        await attack(budgetOf(4), { hold: true }, async (payer) => {
          const { served, refused } = await crowd(payer, path, () => bodyOf(each, stream, limits), true);
          expect([served > 0, refused > 0, served + refused]).toEqual([true, true, callers]);
        });
      }
    });

    test('leaving before the first byte is paid', async () => {
      const [limits = {}] = each.limits(largeLimit, largeLimit);
      await attack(budgetOf(4), { hold: true }, async (payer) => {
        const { refused } = await leavers(payer, path, () => bodyOf(each, stream, limits), nothingSeen);
        expect(refused).toBeGreaterThan(0);
      });
    });

    test('input that lies elsewhere is bounded by the context, or refused', async () => {
      let reached = 0;
      for (const reference of each.references) {
        reached += await attack(2_500, { referencedTokens }, async (payer) => {
          await crowd(payer, path, () => bodyOf(each, stream, reference));
        });
      }
      if (each.passesReferences) expect(reached).toBeGreaterThan(0);
    });
  });
});

describe.each(conversations.map((each) => [each.name, each] as const))('a stream of %s', (_, each) => {
  const path = each.path(true);
  const [limits = {}] = each.limits(largeLimit, largeLimit);
  const body = () => bodyOf(each, true, limits);

  test('that breaks off before its usage is charged by what was written', async () => {
    await attack(budgetOf(4), { cut: true }, async (payer) => {
      await crowd(payer, path, body);
    });
  });

  test('that its caller leaves after the last word is charged by what was written', async () => {
    await attack(budgetOf(4), { holdEnd: true }, async (payer) => {
      await leavers(payer, path, body, firstPieceSeen);
    });
  });
});

describe.each(operations.map((each) => [each.name, each] as const))('%s', (_, {
  path,
  body,
  budgetUsd,
  outlivesCaller,
}) => {
  test('callers at once stay within the budget', async () => {
    await attack(budgetOf(budgetUsd), {}, async (payer) => {
      await crowd(payer, path, body);
    });
  });

  test('leaving before the reply is paid in full', async () => {
    await attack(budgetOf(budgetUsd), { hold: true }, async (payer) => {
      await leavers(payer, path, body, nothingSeen);
      // An order of a video runs to its end, also without a caller that waits for it.
      if (outlivesCaller) provider.release();
    });
  });
});

async function nothingSeen(): Promise<void> {}

async function firstPieceSeen(reply: Response): Promise<void> {
  const reader = reply.body?.getReader();
  await reader?.read();
  reader?.releaseLock();
}
