/** Audio to transcribe that is sent faster than its transcripts come: it is passed on only as far as the budget holds them. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ServerWebSocket } from 'bun';
import { expectBalanced, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);

const bytesPerSecond = 48_000;
/** A minute of audio costs sixty cents, a second one cent. */
const secondNano = 10_000_000n;
const turnSeconds = 5;
const turn = Buffer.alloc(turnSeconds * bytesPerSecond).toString('base64');

/** Takes all audio, and gives transcripts when the test says so. */
class SlowEars {
  receivedSeconds = 0;
  socket: ServerWebSocket<unknown> | undefined;
  #pending: number[] = [];
  #open = 0;
  #transcribes = false;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : Response.json({ object: 'list', data: [] })),
    websocket: {
      open: (socket) => {
        this.socket = socket;
        const transcription = { model: 'ears' };
        const session = { type: 'realtime', audio: { input: { transcription, turn_detection: null } } };
        socket.send(JSON.stringify({ type: 'session.created', session }));
      },
      message: (socket, text) => {
        const frame = JSON.parse(String(text)) as { readonly type: string; readonly audio?: string };
        if (frame.type === 'input_audio_buffer.append') this.#open += turnSeconds;
        if (frame.type !== 'input_audio_buffer.commit') return;
        this.receivedSeconds += this.#open;
        this.#pending.push(this.#open);
        this.#open = 0;
        socket.send(JSON.stringify({ type: 'input_audio_buffer.committed', item_id: `item_${this.#pending.length}` }));
        if (this.#transcribes) this.transcribe();
      },
    },
  });
  readonly base = `http://127.0.0.1:${this.#server.port}/v1`;

  /** What waits, and from now on everything at once. */
  transcribe(): void {
    this.#transcribes = true;
    for (const seconds of this.#pending.splice(0)) {
      const type = 'conversation.item.input_audio_transcription.completed';
      this.socket?.send(JSON.stringify({ type, transcript: 'so', usage: { type: 'duration', seconds } }));
    }
  }

  forget(): void {
    this.receivedSeconds = 0;
    this.#pending = [];
    this.#transcribes = false;
  }

  stop(): void {
    void this.#server.stop(true);
  }
}

let ears: SlowEars;
let weir: RunningWeir;

beforeAll(async () => {
  ears = new SlowEars();
  weir = await startWeir({
    yaml: {
      providers: { live: { kind: 'openai', base_url: ears.base, key: 'sk-live', models: ['a-realtime', 'ears'] } },
      prices: { 'a-realtime': { input: 0, output: 0 }, ears: { minute: 0.6 } },
    },
    unchecked: 'the provider says as little as it can',
  });
});
afterAll(async () => {
  await weir.remove();
  ears.stop();
});

async function talk(token: MadeToken, turns: number): Promise<SocketClient> {
  ears.forget();
  const socket = new SocketClient(`${weir.base}/realtime?model=a-realtime`, { token: token.token });
  await socket.opened;
  await until(() => socket.events.some(({ type }) => type === 'session.created'));
  for (let index = 0; index < turns; index++) {
    await socket.send({ type: 'input_audio_buffer.append', audio: turn });
    await socket.send({ type: 'input_audio_buffer.commit' });
  }
  return socket;
}

async function expectWithin(token: MadeToken, budgetNano: bigint): Promise<void> {
  for (const { spentNano, heldNano } of (await readLedger(weir, token.id)).budgets) {
    expect(spentNano + heldNano).toBeLessThanOrEqual(budgetNano);
    expect(spentNano + heldNano).toBeGreaterThanOrEqual(BigInt(ears.receivedSeconds) * secondNano);
  }
}

async function chargedNano(token: MadeToken): Promise<bigint> {
  const ledger = await settledLedger(weir, token.id);
  expectBalanced(ledger);
  return totalCostNano(ledger.attempts);
}

test('the provider receives no more audio than is held, until transcripts are charged', async () => {
  const budgetNano = 100n * secondNano;
  const token = await createToken(weir, '--budget-usd', '1', '--budget-period', 'total');
  // Half as much again as the budget has room for.
  const socket = await talk(token, 30);
  await until(() => ears.receivedSeconds >= 90);
  await expectWithin(token, budgetNano);
  expect(ears.receivedSeconds).toBeLessThanOrEqual(100);
  // Nothing of it is free: the budget is spent when all of it was transcribed.
  ears.transcribe();
  await socket.closed;
  expect(socket.events.filter(({ type }) => type === 'error').length).toBeGreaterThan(0);
  const charged = await chargedNano(token);
  expect(charged).toBeLessThanOrEqual(budgetNano);
  expect(charged).toBeGreaterThanOrEqual(BigInt(ears.receivedSeconds) * secondNano);
});

test('what was received and not transcribed when the client leaves is charged as an estimate', async () => {
  const token = await createToken(weir, '--budget-usd', '5', '--budget-period', 'total');
  const socket = await talk(token, 4);
  await until(() => ears.receivedSeconds === 20);
  // The provider's word for each has come back.
  await until(() => socket.events.filter(({ type }) => type === 'input_audio_buffer.committed').length === 4);
  socket.close();
  await until(async () => (await settledLedger(weir, token.id)).usage.length > 0);
  expect(await chargedNano(token)).toBe(20n * secondNano);
  expect((await settledLedger(weir, token.id)).usage.some(({ estimated }) => estimated)).toBe(true);
});
