/** Audio to transcribe that is sent faster than its transcripts come: it is passed on only as far as the budget holds them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { expectBalanced, readLedger, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { SlowEars, turn, turnSeconds } from './slow-ears.ts';

setDefaultTimeout(25_000);

/** A minute of audio costs sixty cents, a second one cent. */
const secondNano = 10_000_000n;

let ears: SlowEars;
let weir: RunningWeir;

beforeAll(async () => {
  ears = new SlowEars();
  weir = await startWeir({
    yaml: {
      providers: {
        live: {
          kind: 'openai',
          base_url: ears.base,
          key: 'sk-live',
          models: ['a-realtime', 'ears-transcribe', 'whisper-murmur'],
        },
      },
      prices: {
        'a-realtime': { input: 0, output: 0 },
        'ears-transcribe': { minute: 0.6 },
        'whisper-murmur': { minute: 0.06 },
      },
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

interface Order {
  readonly name: string;
  /** What the provider does from the beginning. */
  readonly transcription?: string;
  readonly saysNothing?: boolean;
  readonly query?: string;
  /** The settings of a short-lived credential. */
  readonly secret?: object;
  /** What the client sends before each piece of audio. */
  before?(index: number): object | undefined;
  /** Between a piece of audio and the end of its turn. */
  between?(index: number): object | undefined;
  readonly escaped?: boolean;
}

const naming = (model: string | undefined) => ({
  type: 'session.update',
  session: { type: 'realtime', audio: { input: { transcription: model === undefined ? {} : { model } } } },
});
const first = (frame: object) => (index: number) => (index === 0 ? frame : undefined);
const expensive = 'ears-transcribe';
const murmur = 'whisper-murmur';

const orders: readonly Order[] = [
  { name: 'the default of the session', transcription: expensive },
  { name: 'the default of the session, before the provider said so', transcription: expensive, saysNothing: true },
  { name: 'an update that is in flight', before: first(naming(expensive)), saysNothing: true },
  { name: 'an update before the audio', before: first(naming(expensive)) },
  { name: 'an update behind the audio', between: (index) => naming(index % 2 === 0 ? expensive : murmur) },
  { name: 'a more expensive model in mid-session', transcription: murmur, between: first(naming(expensive)) },
  {
    name: 'a cheaper model in mid-session',
    transcription: expensive,
    before: (index) => (index > 4 ? naming(murmur) : undefined),
  },
  {
    name: 'an update of the beta',
    before: first({ type: 'session.update', session: { input_audio_transcription: { model: expensive } } }),
  },
  {
    name: 'an update of a transcription session',
    before: first({
      type: 'transcription_session.update',
      session: { input_audio_transcription: { model: expensive } },
    }),
  },
  {
    name: 'settings of a client secret',
    secret: { type: 'realtime', model: 'a-realtime', audio: { input: { transcription: { model: expensive } } } },
  },
  { name: 'an intent', transcription: expensive, query: '&intent=transcription' },
  { name: 'audio in another spelling', transcription: expensive, escaped: true },
];

describe.each(orders.map((order) => [order.name, order] as const))('%s', (_, order) => {
  test('lets no audio pass that the budget does not hold', async () => {
    const [turns, budgetNano] = [24, 60n * secondNano];
    const token = await createToken(weir, '--budget-usd', '0.6', '--budget-period', 'total');
    ears.forget(order);
    const socket = new SocketClient(`${weir.base}/realtime?model=a-realtime${order.query ?? ''}`, {
      token: order.secret === undefined ? token.token : await secretOf(token, order.secret),
    });
    await socket.opened;
    if (order.saysNothing !== true) await until(() => socket.events.some(({ type }) => type === 'session.created'));
    for (let index = 0; index < turns; index++) {
      const [before, between] = [order.before?.(index), order.between?.(index)];
      if (before !== undefined) await socket.send(before);
      const append = JSON.stringify({ type: 'input_audio_buffer.append', audio: turn });
      await socket.send(order.escaped === true ? append.replace('append"', '\\u0061ppend"') : append);
      if (between !== undefined) await socket.send(between);
      await socket.send({ type: 'input_audio_buffer.commit' });
    }
    // It received as much as the budget has room for, or the rest waits.
    await until(async () => {
      const [budget] = (await readLedger(weir, token.id)).budgets;
      const takenNano = (budget?.spentNano ?? 0n) + (budget?.heldNano ?? 0n);
      return ears.turns === turns || takenNano + BigInt(2 * turnSeconds) * secondNano >= budgetNano;
    });
    for (const { spentNano, heldNano } of (await readLedger(weir, token.id)).budgets) {
      expect(spentNano + heldNano).toBeGreaterThanOrEqual(ears.owedNano);
      expect(spentNano + heldNano).toBeLessThanOrEqual(budgetNano);
    }
    ears.transcribe();
    let isClosed = false;
    void socket.closed.then(() => {
      isClosed = true;
    });
    await until(() => isClosed || ears.turns === turns);
    socket.close();
    await until(async () => (await settledLedger(weir, token.id)).usage.length > 0);
    const charged = await chargedNano(token);
    expect(charged).toBeLessThanOrEqual(budgetNano);
    expect(charged).toBeGreaterThanOrEqual(ears.owedNano);
  });
});

async function secretOf({ token }: MadeToken, session: object): Promise<string> {
  const reply = await fetch(`${weir.base}/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session }),
  });
  return ((await reply.json()) as { value: string }).value;
}
