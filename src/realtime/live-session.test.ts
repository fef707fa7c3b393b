/** A session between two scripted sides: its timeouts, bounds and closes, and the ledger of responses that overlap. */

import { describe, expect, test } from 'bun:test';
import { callerOf } from '../access/levels/caller-of.ts';
import { openAdmission } from '../access/limits.ts';
import type { GatewayError } from '../conversation/gateway-error.ts';
import { Slices } from '../http/json/in-slices.ts';
import type { AttemptClosing, AttemptOpening } from '../ledger/ledger.ts';
import { zeroPrice } from '../prices/prices.ts';
import type { Target } from '../routing/catalogue.ts';
import type { LiveParts } from './live-parts.ts';
import { LiveSession } from './live-session.ts';
import { TurnLedger } from './turn-ledger.ts';

const rate = (nanoPerMillion: bigint) => ({ nanoPerMillion, tiers: [] });
const price = { ...zeroPrice('test'), input: rate(2_000_000_000n), output: rate(8_000_000_000n) };
const provider = { name: 'up', keys: [{ id: 'a', value: 'sk-live-Q7v9zKp2mX4t' }], headers: {} };
const target = { provider, model: 'm-realtime' } as unknown as Target;
const caller = callerOf({ id: 'tok', hint: '', createdAtMs: 0, terms: { name: 't' } });

interface Options {
  readonly budget?: (opening: AttemptOpening) => boolean;
}

async function scene({ budget = () => true }: Options = {}) {
  const clock = { ms: 0 };
  let turns = 0;
  // One step in each turn.
  const nextTurn = (work: () => void): void => {
    turns += 1;
    queueMicrotask(work);
  };
  const slices = new Slices({ nowMs: () => (clock.ms += 0.001), sliceMs: 0, nextTurn, afterMs: nextTurn });
  const records = { opened: [] as AttemptOpening[], closed: [] as AttemptClosing[], checkpoints: 0 };
  let ids = 0;
  const parts = {
    ledger: {
      openNow: () => undefined,
      open: async (opening: AttemptOpening) => {
        if (!budget(opening)) return { admitted: false, scope: 'token:tok' };
        records.opened.push(opening);
        return { admitted: true };
      },
      closeNow: (closing: AttemptClosing) => records.closed.push(closing) > 0,
      checkpoint: () => void records.checkpoints++,
      nameOf: () => 'price',
    },
    limiter: { enter: () => openAdmission },
    running: { add: () => undefined, delete: () => undefined },
    deadlines: { add: () => undefined, delete: () => undefined },
    clocks: { clientStallTimeoutMs: 30_000 },
    limits: { jsonDepthMax: 64 },
    catalogue: { resolve: () => [target], served: () => [] },
    priceOf: () => price,
    priceTables: { guesses: 'display' },
    contextTokensOf: () => undefined,
    pricesReady: () => undefined,
    nowMs: () => clock.ms,
    wallMs: () => clock.ms,
    newId: (prefix: string) => `${prefix}${++ids}`,
    newRequestId: () => `req_${++ids}`,
    attempted: () => undefined,
    observe: () => undefined,
    warn: () => undefined,
    sessionIdleMs: 10_000,
    sessionTotalMs: 50_000,
    slices,
  } as unknown as LiveParts;
  const who = { caller, readmit: async () => caller, pinnedModel: undefined };
  let session: LiveSession | undefined;
  const end = (error: GatewayError) => session?.refuse(error);
  const given = { who, model: 'm-realtime', requestId: 'req_0', startedAtMs: 0, onRefused: end, onAbandoned: end };
  const ledger = new TurnLedger(parts, given);
  await ledger.enter();
  await ledger.openFirst(target, 'key', 1);
  const upstream = {
    protocol: '',
    sent: [] as string[],
    bufferedBytes: 0,
    paused: true,
    closes: [] as string[],
    send: (text: string) => void upstream.sent.push(text),
    pause() {
      upstream.paused = true;
    },
    resume() {
      upstream.paused = false;
    },
    close: (code: number, reason: string) => void upstream.closes.push(`${code} ${reason}`.trim()),
    terminate: () => void upstream.closes.push('cut'),
  };
  const socket = {
    received: [] as { type: string; error?: { code: string } }[],
    bufferedBytes: 0,
    closes: [] as string[],
    send: (text: string) => socket.received.push(JSON.parse(text)) > 0,
    close(code: number, reason: string) {
      socket.closes.push(`${code} ${reason}`.trim());
      // As the server's socket does it: from inside the call.
      session?.clientSide.closed(code, reason);
    },
    terminate: () => void socket.closes.push('cut'),
    refusal: () => undefined,
  };
  session = new LiveSession(parts, {
    upstream,
    target,
    ledger,
    transcribes: false,
    firstFrame: undefined,
    catalogue: parts.catalogue,
    who,
    model: 'm-realtime',
    jsonDepthMax: 64,
    slices,
  });
  session.clientSide.open(socket);
  // The provider has said that it transcribes nothing.
  ledger.session({});
  const live = session;
  return {
    clock,
    records,
    upstream,
    socket,
    session,
    say: (event: object) => live.clientSide.message(JSON.stringify(event)),
    answer: (event: object) => live.upstreamSide.message(JSON.stringify(event)),
    settled: () => Bun.sleep(0),
    turns: () => turns,
  };
}

const created = (id: string) => ({ type: 'response.created', response: { id } });
const done = (id: string, input = 10, output = 5) => ({
  type: 'response.done',
  response: { id, status: 'completed', usage: { input_tokens: input, output_tokens: output } },
});
const costNano = (input: number, output: number) => BigInt(input) * 2_000n + BigInt(output) * 8_000n;

describe('clocks', () => {
  test.each([
    ['session_idle', 10_001],
    ['session_expired', 50_001],
  ])('%s is said, then 1000', async (code, afterMs) => {
    const { clock, session, socket, upstream, answer } = await scene();
    session.tick(10_000);
    expect(socket.closes).toEqual([]);
    if (code === 'session_expired') {
      clock.ms = 50_000;
      answer({ type: 'echo' });
    }
    session.tick(afterMs);
    expect(socket.received.at(-1)?.error?.code).toBe(code);
    expect(socket.closes[0]).toStartWith('1000');
    expect(upstream.closes).toEqual(['1000']);
  });

  test('a client that does not read stops the provider, and is left after a while', async () => {
    const { session, socket, upstream, answer } = await scene();
    expect(upstream.paused).toBe(false);
    socket.bufferedBytes = 1_048_577;
    answer({ type: 'echo' });
    expect(upstream.paused).toBe(true);
    socket.bufferedBytes = 0;
    session.clientSide.drained();
    expect(upstream.paused).toBe(false);
    socket.bufferedBytes = 1_048_577;
    answer({ type: 'echo' });
    session.tick(30_001);
    expect(socket.closes[0]).toStartWith('1008');
    expect(upstream.closes).toHaveLength(1);
  });
});

describe('closes', () => {
  test.each([
    [1000, '1000 why', undefined],
    [1005, '1000 why', undefined],
    [1012, '1012 why', undefined],
    [4999, '4999 why', undefined],
    [1009, '1009 why', undefined],
    [1002, '1011 upstream_failed', 'upstream_failed'],
    [1007, '1011 upstream_failed', 'upstream_failed'],
    [1006, '1011 upstream_failed', 'upstream_failed'],
    [1015, '1011 upstream_failed', 'upstream_failed'],
    [999, '1011 upstream_failed', 'upstream_failed'],
    [5000, '1011 upstream_failed', 'upstream_failed'],
  ])('%d of the provider is %s to the client', async (code, said, error) => {
    const { session, socket, upstream } = await scene();
    session.upstreamSide.closed(code, 'why');
    expect(socket.closes).toEqual([said]);
    expect(socket.received.at(-1)?.error?.code).toBe(error);
    expect(upstream.closes).toEqual([]);
  });

  test('a provider’s words show no key: neither in an error nor as the reason of a close', async () => {
    const { session, socket } = await scene();
    const encoded = Buffer.from(`Bearer ${provider.keys[0]?.value}`).toString('base64');
    session.upstreamSide.message(JSON.stringify({ type: 'error', error: { message: `bad ${encoded}` } }));
    expect(JSON.stringify(socket.received.at(-1))).toContain('bad [key]');
    session.upstreamSide.closed(1008, `bad ${provider.keys[0]?.value}`);
    expect(socket.closes).toEqual(['1008 bad [key]']);
  });

  test.each([
    [1005, '1000'],
    [1006, '1011'],
    [4002, '4002 bye'],
  ])('%d of the client is %s to the provider', async (code, said) => {
    const { session, upstream } = await scene();
    session.clientSide.closed(code, code === 4002 ? 'bye' : '');
    expect(upstream.closes).toEqual([said]);
  });
});

test('a shutdown lets a response end that runs, and begins no other', async () => {
  const { session, socket, upstream, say, answer, settled } = await scene();
  say({ type: 'response.create' });
  answer(created('a'));
  session.clientSide.drain();
  say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  await settled();
  expect(socket.closes).toEqual([]);
  answer(done('a'));
  await settled();
  expect(socket.closes[0]).toStartWith('1001');
  expect(upstream.sent).toHaveLength(1);
  const idle = await scene();
  idle.session.clientSide.drain();
  expect(idle.socket.closes[0]).toStartWith('1001');
});

test('what waits for the provider is bounded', async () => {
  const { socket, upstream, say } = await scene();
  upstream.bufferedBytes = 16_777_216;
  say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  expect(upstream.sent).toHaveLength(1);
  upstream.bufferedBytes = 16_777_217;
  say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  expect(upstream.sent).toHaveLength(1);
  expect(socket.closes[0]).toStartWith('1008');
});

describe('the ledger', () => {
  test('have a row open before anything that may cost is sent, and none while nothing is', async () => {
    const { records, upstream, say, answer, settled } = await scene();
    say({ type: 'response.create' });
    expect(records.opened).toHaveLength(1);
    answer(created('a'));
    answer(done('a'));
    await settled();
    expect(records.opened).toMatchObject([{ keyId: 'key' }]);
    expect(records.closed).toMatchObject([{ costNano: costNano(10, 5), estimated: false, verdict: '' }]);
    say({ type: 'conversation.item.create' });
    expect(records.opened).toHaveLength(1);
    say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
    // Not before its row is written.
    expect(upstream.sent).toHaveLength(2);
    await settled();
    expect(records.opened).toHaveLength(2);
    expect(upstream.sent).toHaveLength(3);
  });

  test('keep responses apart that run at once, also those of the provider’s own accord', async () => {
    const { records, say, answer, settled } = await scene();
    say({ type: 'response.create' });
    answer(created('a'));
    answer(created('b'));
    answer({ type: 'response.output_text.delta', response_id: 'b', delta: 'x'.repeat(40) });
    answer(done('b', 20, 1));
    answer(done('a', 30, 2));
    answer(done('a', 30, 2));
    await settled();
    expect(records.opened).toHaveLength(2);
    expect(new Set(records.opened.map(({ attemptId }) => attemptId)).size).toBe(2);
    expect(records.closed.map((closing) => closing.costNano).toSorted()).toEqual([costNano(20, 1), costNano(30, 2)]);
  });

  test('estimate a response that was cut short from what was sent and said', async () => {
    const { records, session, say, answer, settled } = await scene();
    const second = Buffer.alloc(48_000).toString('base64');
    say({ type: 'input_audio_buffer.append', audio: second });
    answer(created('a'));
    answer({ type: 'response.output_audio.delta', response_id: 'a', delta: second });
    answer({ type: 'response.output_audio_transcript.delta', response_id: 'a', delta: 'x'.repeat(8) });
    session.upstreamSide.closed(1006, '');
    await settled();
    expect(records.checkpoints).toBeGreaterThan(0);
    const row = { status: 502, code: 'upstream_failed' };
    expect(records.closed).toMatchObject([{ estimated: true, verdict: 'uncertain', row }]);
    expect(records.closed[0]?.row?.usage).toEqual({
      input: { total: 10, audio: 10 },
      output: { total: 22, text: 2, audio: 20 },
    });
  });

  test('let a running response end before a budget that has no room for another one is said', async () => {
    let room = true;
    const { socket, upstream, say, answer, settled } = await scene({ budget: () => room });
    say({ type: 'response.create' });
    answer(created('a'));
    room = false;
    say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
    await settled();
    expect(socket.closes).toEqual([]);
    answer(done('a'));
    await settled();
    expect(socket.received.at(-1)?.error?.code).toBe('budget_spent');
    expect(socket.closes).toEqual(['1008 budget_spent']);
    expect(upstream.sent).toHaveLength(1);
  });

  test('charge a transcript by its audio where the provider does not count it, and say so', async () => {
    const { records, session, say, answer, settled } = await scene();
    const type = 'conversation.item.input_audio_transcription.completed';
    say({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') });
    answer({ type, transcript: 'hello' });
    session.clientSide.closed(1000, '');
    await settled();
    expect(records.closed).toMatchObject([{ costNano: costNano(10, 10), estimated: true }]);
  });

  test('give back what was prepared and not used', async () => {
    const { records, session, say, answer, settled } = await scene();
    say({ type: 'response.create' });
    answer(created('a'));
    answer(done('a'));
    say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
    await settled();
    session.clientSide.closed(1000, '');
    await settled();
    expect(records.closed).toHaveLength(2);
    expect(records.closed[1]).toMatchObject({ costNano: 0n, verdict: 'unused', row: undefined });
  });
});

test('a large frame is read and printed in slices, and those behind it wait for their turns', async () => {
  const { say, upstream, turns, settled } = await scene();
  const text = 'x'.repeat(2_000_000);
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  say({ type: 'conversation.item.create', event_id: 'one', item });
  say({ type: 'session.update', event_id: 'two', session: { instructions: text, max_output_tokens: 5 } });
  for (let index = 0; index < 50; index++)
    say({ type: 'conversation.item.delete', event_id: `${index}`, item_id: 'a' });
  expect(upstream.sent).toEqual([]);
  for (let count = 0; count < 100 && upstream.sent.length < 52; count++) await settled();
  const ids = upstream.sent.map((sent) => JSON.parse(sent).event_id);
  expect(ids).toEqual(['one', 'two', ...Array.from({ length: 50 }, (_, index) => `${index}`)]);
  // Two scans, two parses and a print of two megabytes, in steps of at most half a megabyte, and a turn for each frame.
  expect(turns()).toBeGreaterThan(100);
});
