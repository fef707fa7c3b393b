/**
 * Many responses at once in one live conversation: no budget is overdrawn, whether client or provider
 * starts them, and at any time.
 */

import { describe, expect } from 'bun:test';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { expectBalanced, readLedger, settledLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { SocketClient, type SocketEvent } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** The model reads and writes 32,000 tokens at most; only the written ones cost something. */
const contextTokens = 32_000;
const eachNano = BigInt(contextTokens) * 8_000n;
const whole = { input_tokens: 0, output_tokens: contextTokens };

describe.each(['sqlite', 'postgres'] as const)('on %s', (database) => {
  const { afterAll, beforeAll, test } = needing(database);
  let provider: RealtimeProvider;
  let weir: RunningWeir;

  beforeAll(async () => {
    provider = startRealtimeProvider();
    weir = await startWeir({
      database,
      yaml: {
        providers: { live: { kind: 'openai', base_url: provider.base, key: 'sk-live', models: ['b-realtime'] } },
        prices: { 'b-realtime': { input: 0, output: 8 } },
        // How long a requested response is awaited.
        clocks: { head_timeout_ms: 8_000 },
      },
    });
  });
  afterAll(async () => {
    await weir.remove();
    provider.stop();
  });

  const budgetFor = (count: number, spareNano = 0n) =>
    createToken(weir, '--budget-usd', `${Number(eachNano * BigInt(count) + spareNano) / 1e9}`);

  async function connect(made: MadeToken): Promise<SocketClient> {
    const socket = new SocketClient(`${weir.base}/realtime?model=b-realtime`, { token: made.token });
    await untilSaid(socket, 'session.created');
    return socket;
  }

  async function untilSaid(socket: SocketClient, type: string): Promise<SocketEvent> {
    for (;;) {
      const event = await socket.next();
      if (event.type === type) return event;
    }
  }

  const errorsOf = ({ events }: SocketClient) =>
    events
      .filter(({ type }) => type === 'error')
      .map(({ error }) => error as { code: string; event_id: string | null });

  /** Spent and held, which together are never more than the budget. */
  async function stateOf(made: MadeToken) {
    const budget = (await readLedger(weir)).budgets.find(({ scope }) => scope === `token:${made.id}`);
    return { spentNano: budget?.spentNano ?? 0n, heldNano: budget?.heldNano ?? 0n };
  }

  async function expectSpent(made: MadeToken, spentNano: bigint): Promise<void> {
    await until(async () => (await stateOf(made)).heldNano === 0n, 60_000, 'nothing is held');
    expect((await stateOf(made)).spentNano).toBe(spentNano);
    expectBalanced(await settledLedger(weir));
  }

  const asksIn = ({ frames }: { frames: readonly string[] }) =>
    frames.filter((text) => text.includes('"response.create"')).length;

  const outOfBand = (index: number, script: object) => ({
    type: 'response.create',
    event_id: `ask_${index}`,
    response: { conversation: 'none', metadata: { index: `${index}` } },
    script: { usage: whole, ...script },
  });

  test.each([
    ['at once', () => ({})],
    ['late', () => ({ lateMs: 200 })],
    ['in another order', (index: number) => ({ lateMs: 300 - index * 5 })],
  ])('of 50 requests those pass that the budget has room for, though the provider begins %s', async (_when, script) => {
    const made = await budgetFor(7);
    const socket = await connect(made);
    for (let index = 0; index < 50; index++) await socket.send(outOfBand(index, script(index)));
    expect((await socket.closed).reason).toBe('budget_spent');
    expect(asksIn(provider.last())).toBe(7);
    const refused = errorsOf(socket);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['budget_spent']));
    expect(refused.map(({ event_id }) => event_id)).toEqual(Array.from({ length: 43 }, (_, at) => `ask_${at + 7}`));
    await expectSpent(made, eachNano * 7n);
    const minted = await fetch(`${weir.base}/realtime/client_secrets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
      body: '{"session":{"model":"b-realtime"}}',
    });
    expect(minted.status).toBe(402);
  });

  test('a provider that never says that it began holds the money of what it was asked for', async () => {
    const made = await budgetFor(3);
    const socket = await connect(made);
    for (let index = 0; index < 20; index++) await socket.send(outOfBand(index, { mute: true }));
    await until(() => asksIn(provider.last()) === 3);
    await until(async () => (await stateOf(made)).heldNano === eachNano * 3n, 60_000, 'three are held');
    expect((await socket.closed).reason).toBe('budget_spent');
    expect(asksIn(provider.last())).toBe(3);
    await until(async () => (await stateOf(made)).heldNano === 0n);
    // Their outcome is unknown: each is charged by an estimate.
    expect((await stateOf(made)).spentNano).toBe(3n * 500n * 8_000n);
  });

  test('a request that the provider refuses costs nothing and holds nothing', async () => {
    const made = await budgetFor(1);
    const socket = await connect(made);
    const refuse = 'conversation_already_has_active_response';
    for (let index = 0; index < 5; index++) {
      const named = index % 2 === 0 ? { event_id: `ask_${index}` } : {};
      await socket.send({ type: 'response.create', ...named, script: { refuse } });
      await untilSaid(socket, 'error');
    }
    await socket.send(outOfBand(9, {}));
    await untilSaid(socket, 'response.done');
    socket.close();
    await expectSpent(made, eachNano);
  });

  test('a limit that is raised while a response is asked for is reserved as well', async () => {
    const small = { type: 'session.update', session: { max_output_tokens: 10 } };
    const made = await budgetFor(1, 10n * 8_000n);
    const socket = await connect(made);
    await socket.send(small);
    await untilSaid(socket, 'session.updated');
    await socket.send({
      type: 'response.create',
      script: { usage: { input_tokens: 0, output_tokens: 10 }, lateMs: 100 },
    });
    // The provider takes frames in their order: this response may be as long as the model can write.
    await socket.send({ type: 'session.update', session: { max_output_tokens: 'inf' } });
    await socket.send({ type: 'response.create', script: { usage: whole } });
    await socket.send({ type: 'response.create', script: { usage: whole } });
    expect((await socket.closed).reason).toBe('budget_spent');
    expect(asksIn(provider.last())).toBe(2);
    await expectSpent(made, eachNano + 10n * 8_000n);
  });

  test('a field that appears twice in a frame is sent as it was checked', async () => {
    const made = await budgetFor(1);
    const socket = await connect(made);
    const doubled = '{"type":"response.create","response":{"max_output_tokens":"inf","max_output_tokens":5}}';
    await socket.send(doubled);
    await untilSaid(socket, 'response.done');
    expect(provider.last().frames).toEqual(['{"type":"response.create","response":{"max_output_tokens":5}}']);
    socket.close();
  });

  test('audio that was sent faster than it is spoken waits for a reservation of each turn it may hold', async () => {
    const made = await budgetFor(3);
    const socket = await connect(made);
    const second = Buffer.alloc(48_000).toString('base64');
    const script = { starts: 1, usage: whole, lateMs: 50 };
    for (let index = 0; index < 10; index++) {
      await socket.send({ type: 'input_audio_buffer.append', audio: second, script });
    }
    expect((await socket.closed).reason).toBe('budget_spent');
    const { frames } = provider.last();
    expect(frames.length).toBeLessThanOrEqual(3);
    await until(async () => (await stateOf(made)).heldNano === 0n);
    expect((await stateOf(made)).spentNano).toBeLessThanOrEqual(eachNano * 3n);
  });

  test('a session that answers silence keeps a response reserved, and none otherwise', async () => {
    const made = await budgetFor(2);
    const socket = await connect(made);
    await socket.send(outOfBand(0, { usage: { input_tokens: 0, output_tokens: 1 } }));
    await untilSaid(socket, 'response.done');
    await until(async () => (await stateOf(made)).heldNano === 0n);
    const turn_detection = { type: 'server_vad', idle_timeout_ms: 5_000 };
    await socket.send({ type: 'session.update', session: { audio: { input: { turn_detection } } } });
    await until(async () => (await stateOf(made)).heldNano === eachNano);
    socket.close();
    await until(async () => (await stateOf(made)).heldNano === 0n);
  });
});
