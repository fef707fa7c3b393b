/** A caller of the realtime endpoint that requests many responses before the provider has answered the first. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ServerWebSocket } from 'bun';
import { expectBalanced, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const burst = 50;
const outputTokens = 8_000;
const tokenNano = 1_000_000n;
/** Not less than the bound of a response without a limit, which is held from the handshake on. */
const affordable = 5;
const budgetNano = BigInt(affordable * outputTokens) * tokenNano;

/** Takes every order and answers none of them before the test says so. */
class SlowLiveProvider {
  readonly orders: ServerWebSocket<unknown>[] = [];
  #answered = 0;
  #answers = false;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : Response.json({ object: 'list', data: [] })),
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: 'session.created', session: {} })),
      message: (socket, text) => {
        const frame = JSON.parse(String(text)) as { type: string };
        if (frame.type === 'response.create') this.orders.push(socket);
        if (this.#answers) this.answer();
      },
    },
  });
  readonly base = `http://127.0.0.1:${this.#server.port}/v1`;

  /** What came so far, and from now on everything at once. */
  answer(): void {
    this.#answers = true;
    for (; this.#answered < this.orders.length; this.#answered++) {
      const socket = this.orders[this.#answered];
      const id = `resp_${this.#answered}`;
      const usage = { input_tokens: 0, output_tokens: outputTokens, total_tokens: outputTokens };
      socket?.send(JSON.stringify({ type: 'response.created', response: { id, status: 'in_progress' } }));
      socket?.send(JSON.stringify({ type: 'response.done', response: { id, status: 'completed', usage } }));
    }
  }

  stop(): void {
    void this.#server.stop(true);
  }
}

let provider: SlowLiveProvider;
let weir: RunningWeir;

beforeAll(async () => {
  provider = new SlowLiveProvider();
  weir = await startWeir({
    yaml: {
      providers: { live: { kind: 'openai', base_url: provider.base, key: 'sk-live', models: ['a-realtime'] } },
      prices: { 'a-realtime': { input: 0, output: 1_000 } },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  provider.stop();
});

test('a burst of responses reaches the provider only as far as the budget has room for all of them', async () => {
  const flags = ['--budget-usd', `${Number(budgetNano) / 1e9}`, '--budget-period', 'total'];
  const made = await createToken(weir, ...flags);
  const socket = new SocketClient(`${weir.base}/realtime?model=a-realtime`, { token: made.token });
  await socket.opened;
  for (let index = 0; index < burst; index++) {
    const response = { conversation: 'none', max_output_tokens: outputTokens };
    await socket.send({ type: 'response.create', event_id: `order-${index}`, response });
  }
  await until(() => provider.orders.length > 0);
  for (const { spentNano, heldNano } of (await readLedger(weir)).budgets)
    expect(spentNano + heldNano).toBeLessThanOrEqual(budgetNano);
  // The others wait for those that run, which may cost less than was reserved for them.
  provider.answer();
  const { code } = await socket.closed;
  expect([code, provider.orders.length]).toEqual([1008, affordable]);
  const refused = socket.events.filter(({ type }) => type === 'error');
  expect(refused.length).toBe(burst - affordable);
  const ledger = await settledLedger(weir);
  expectBalanced(ledger);
  expect(totalCostNano(ledger.attempts)).toBe(budgetNano);
});
