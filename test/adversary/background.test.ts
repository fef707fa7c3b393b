/**
 * Replies in the background: charged by the usage that the provider reports once they are done, also where the caller never
 * asks for them, and where Weir was restarted meanwhile. Their whole reservation is held until then.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { errorOf } from '../harness/chat.ts';
import { expectBalanced, type LedgerRows, readLedger, settledLedger, type UsageRow } from '../harness/ledger-rows.ts';
import { responseReply, responseUsage } from '../harness/response-replies.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);

const inputTokens = 7;
/** A token costs a thousandth of a dollar. */
const tokenNano = 1_000_000n;
const orderedTokens = 2_000;

/** Accepts orders, and finishes each when the test says so. */
class BackgroundProvider {
  readonly replies = new Map<string, { status: string; output: number | undefined }>();
  /** How often each was asked for. */
  readonly asked = new Map<string, number>();
  #serial = 0;
  /** What every stream reports at its end; without it a stream ends after its first event. */
  streamed: number | undefined;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  });
  readonly base = `http://127.0.0.1:${this.#server.port}/v1`;

  finish(id: string, output: number | undefined, status = 'completed'): void {
    this.replies.set(id, { status, output });
  }

  stop(): void {
    void this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const [, , , id, action] = new URL(request.url).pathname.split('/');
    if (id !== undefined) return this.#existing(id, action);
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
    const { stream } = (await request.json()) as { readonly stream?: boolean };
    const made = `resp_background${++this.#serial}`;
    this.replies.set(made, { status: 'queued', output: undefined });
    if (stream !== true) return Response.json(this.#shown(made));
    const event = { type: 'response.created', sequence_number: 0, response: this.#shown(made) };
    const events: { readonly type: string }[] = [event];
    if (this.streamed !== undefined) {
      this.finish(made, this.streamed);
      events.push({ type: 'response.completed', sequence_number: 1, response: this.#shown(made) } as typeof event);
      // It cannot be asked for later.
      this.replies.delete(made);
    }
    const texts = events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
    return new Response(texts.join(''), { headers: { 'content-type': 'text/event-stream' } });
  }

  #existing(id: string, action: string | undefined): Response {
    const known = this.replies.get(id);
    if (known === undefined) return Response.json({ error: { message: 'unknown', type: 'x' } }, { status: 404 });
    if (action === 'cancel' && known.status !== 'completed') known.status = 'cancelled';
    else this.asked.set(id, (this.asked.get(id) ?? 0) + 1);
    return Response.json(this.#shown(id));
  }

  #shown(id: string): object {
    const { status, output } = this.replies.get(id) ?? { status: 'failed', output: undefined };
    const usage = output === undefined ? null : responseUsage(inputTokens, output);
    return { ...responseReply({ id, status }), background: true, usage };
  }
}

let provider: BackgroundProvider;
let weir: RunningWeir;

beforeAll(async () => {
  provider = new BackgroundProvider();
  weir = await startWeir({
    yaml: {
      providers: { open: { kind: 'openai', base_url: provider.base, key: 'sk-background', models: ['gpt-4.1'] } },
      prices: { 'gpt-*': { input: 1_000, output: 1_000 } },
      tasks: { ask_every_ms: 50, lease_ms: 1_000 },
    },
    unchecked: 'the provider ends its streams early on purpose',
  });
});
afterAll(async () => {
  await weir.remove();
  provider.stop();
});

const payer = () => createToken(weir, '--budget-usd', '3', '--budget-period', 'total');
const order = (more: object = {}) => ({
  model: 'gpt-4.1',
  input: 'Go.',
  max_output_tokens: orderedTokens,
  background: true,
  ...more,
});

function send(token: MadeToken, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' };
  return fetch(`${weir.url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function ordered(token: MadeToken, more: object = {}): Promise<string> {
  const reply = await send(token, order(more));
  const text = await reply.text();
  expect([reply.status, text]).toEqual([200, text]);
  const [id = ''] = /resp_\w+/.exec(text) ?? [];
  return id;
}

async function heldNano(token: MadeToken): Promise<bigint> {
  return (await readLedger(weir, token.id)).budgets.reduce((sum, each) => sum + each.heldNano, 0n);
}

async function rowsOf(token: MadeToken, count: number): Promise<readonly UsageRow[]> {
  let ledger: LedgerRows | undefined;
  await until(async () => {
    ledger = await settledLedger(weir, token.id);
    return ledger.usage.length === count && ledger.budgets.every((each) => each.heldNano === 0n);
  });
  if (ledger === undefined) throw new Error('it was read');
  expectBalanced(ledger);
  return ledger.usage;
}

const exact = (output: number) => BigInt(inputTokens + output) * tokenNano;

test.each([false, true])('is held whole, then charged by its usage (stream: %p)', async (stream) => {
  const token = await payer();
  const id = await ordered(token, { stream });
  expect(await heldNano(token)).toBeGreaterThan(BigInt(orderedTokens) * tokenNano);
  // What is held has no room for a second one.
  const second = await send(token, order());
  expect([second.status, (await errorOf(second)).code]).toEqual([402, 'budget_spent']);
  const asked = provider.asked.get(id) ?? 0;
  await until(() => (provider.asked.get(id) ?? 0) > asked + 1);
  expect(await heldNano(token)).toBeGreaterThan(BigInt(orderedTokens) * tokenNano);
  provider.finish(id, 50);
  const rows = await rowsOf(token, 2);
  expect(rows.map(({ costNano, estimated, code }) => [costNano, estimated, code])).toContainEqual([
    exact(50),
    false,
    '',
  ]);
});

test('is charged after a restart', async () => {
  const token = await payer();
  const id = await ordered(token);
  await weir.kill();
  await weir.restart();
  expect(await heldNano(token)).toBeGreaterThan(0n);
  provider.finish(id, 70);
  expect(await rowsOf(token, 1)).toMatchObject([{ costNano: exact(70), estimated: false, status: 200 }]);
});

test('that comes with its usage is charged at once', async () => {
  const token = await payer();
  provider.streamed = 30;
  await ordered(token, { stream: true });
  provider.streamed = undefined;
  expect(await rowsOf(token, 1)).toMatchObject([{ costNano: exact(30), estimated: false }]);
});

test('that failed is free, one without a usage is charged by its time', async () => {
  const token = await payer();
  provider.finish(await ordered(token), undefined, 'failed');
  expect(await rowsOf(token, 1)).toMatchObject([{ costNano: 0n }]);
  provider.finish(await ordered(token), undefined, 'incomplete');
  const [, ended] = await rowsOf(token, 2);
  expect(ended).toMatchObject({ estimated: true });
  expect(ended?.costNano).toBeGreaterThan(0n);
  expect(ended?.costNano).toBeLessThan(BigInt(orderedTokens) * tokenNano);
});

test('the official library gets, cancels and deletes it; for another token it does not exist', async () => {
  const token = await payer();
  const stranger = await payer();
  const clientOf = ({ token: apiKey }: MadeToken) => new OpenAI({ apiKey, baseURL: `${weir.url}/v1`, maxRetries: 0 });
  const client = clientOf(token);
  const made = await client.responses.create({
    model: 'gpt-4.1',
    input: 'Go.',
    background: true,
    max_output_tokens: 900,
  });
  expect(made.status).toBe('queued');
  expect((await client.responses.retrieve(made.id)).status).toBe('queued');
  for (const attempt of [
    () => clientOf(stranger).responses.retrieve(made.id),
    () => clientOf(stranger).responses.cancel(made.id),
  ])
    expect(await attempt().catch((error: unknown) => (error instanceof OpenAI.APIError ? error.status : error))).toBe(
      404,
    );
  expect(provider.replies.get(made.id)?.status).toBe('queued');
  expect((await client.responses.cancel(made.id)).status).toBe('cancelled');
  const [row] = await rowsOf(token, 1);
  expect(row).toMatchObject({ estimated: true });
  expect(row?.outputTotal).toBeLessThanOrEqual(900);
});

describe('with a moderation gate', () => {
  const gated = (moment: string) =>
    createToken(weir, '--budget-usd', '3', '--budget-period', 'total', '--moderate', moment);

  test.each([false, true])('on requests it is judged, then charged by its usage (stream: %p)', async (stream) => {
    const token = await gated('before');
    const id = await ordered(token, { stream });
    provider.finish(id, 50);
    const rows = await rowsOf(token, 2);
    expect(rows.map(({ costNano }) => costNano)).toContain(exact(50));
  });

  test.each(['after', 'both'])('on replies (%s) it is refused before anything is sent', async (moment) => {
    const token = await gated(moment);
    for (const stream of [false, true]) {
      const made = provider.replies.size;
      const reply = await send(token, order({ stream }));
      expect([reply.status, (await errorOf(reply)).code]).toEqual([400, 'content_refused']);
      expect(provider.replies.size).toBe(made);
    }
  });
});
