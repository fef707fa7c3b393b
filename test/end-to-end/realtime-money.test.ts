/** The money of live conversations: the provider's invoice against Weir's ledger, for every end by either side. */

import { describe, expect } from 'bun:test';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { expectBalanced, type LedgerRows, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { SocketClient, type SocketEvent } from '../harness/socket-client.ts';
import { createToken, json, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Nano-USD per token. */
const inputNano = 2_000n;
const outputNano = 8_000n;
describe.each(['sqlite', 'postgres'] as const)('on %s', (database) => {
  const { afterAll, beforeAll, describe, test } = needing(database);
  let provider: RealtimeProvider;
  let weir: RunningWeir;

  beforeAll(async () => {
    provider = startRealtimeProvider();
    weir = await startLiveWeir();
  });
  afterAll(async () => {
    await weir.remove();
    provider.stop();
  });

  function startLiveWeir(): Promise<RunningWeir> {
    const models = ['a-realtime', 'free-realtime', 'whisper-x'];
    return startWeir({
      database,
      yaml: {
        providers: { live: { kind: 'openai', base_url: provider.base, key: 'sk-live', models } },
        prices: {
          'a-realtime': { input: 2, output: 8 },
          // The input costs nothing here, so that what is held and what is spent can be counted out.
          'free-realtime': { input: 0, output: 8 },
          'whisper-x': { input: 0, output: 0, minute: 0.006 },
        },
      },
    });
  }

  const connect = (made: { token: string }, model = 'a-realtime', at = weir) =>
    new SocketClient(`${at.base}/realtime?model=${model}`, { token: made.token });

  async function lastOf(socket: SocketClient, type: string): Promise<SocketEvent> {
    for (;;) {
      const event = await socket.next();
      if (event.type === type) return event;
    }
  }

  async function speak(socket: SocketClient, script: object = {}): Promise<void> {
    await socket.send({ type: 'response.create', script });
    await lastOf(socket, 'response.done');
  }

  const codeOf = (event: SocketEvent) => (event['error'] as { code: string }).code;

  async function ledgerOf(made: MadeToken, rows: number, at = weir): Promise<LedgerRows> {
    let ledger: LedgerRows | undefined;
    const come = async () => {
      const all = await settledLedger(at);
      ledger = { ...all, usage: all.usage.filter(({ tokenId }) => tokenId === made.id) };
      ledger = { ...ledger, attempts: all.attempts.filter(({ tokenId }) => tokenId === made.id) };
      expectBalanced(all);
      return ledger.usage.length >= rows;
    };
    await until(come, 60_000, `${rows} usage rows`);
    if (ledger === undefined) throw new Error('no ledger');
    expect(ledger.usage).toHaveLength(rows);
    return ledger;
  }

  const invoiced = (from: number) =>
    provider.invoice
      .slice(from)
      .reduce((sum, each) => sum + BigInt(each.inputTokens) * inputNano + BigInt(each.outputTokens) * outputNano, 0n);

  describe('what was used', () => {
    test('is one row for each response, equal to the invoice, and nothing else is kept', async () => {
      const from = provider.invoice.length;
      const made = await createToken(weir, '--budget-usd', '5');
      const socket = connect(made);
      for (let turn = 0; turn < 6; turn++) await speak(socket, { deltas: turn + 1 });
      socket.close();
      const ledger = await ledgerOf(made, 6);
      expect(ledger.usage.every(({ status, code, estimated }) => status === 200 && code === '' && !estimated)).toBe(
        true,
      );
      expect(new Set(ledger.usage.map(({ requestId }) => requestId)).size).toBe(6);
      expect(totalCostNano(ledger.usage)).toBe(invoiced(from));
      expect(totalCostNano(ledger.attempts)).toBe(invoiced(from));
      expect(provider.invoice.length - from).toBe(6);
    });

    test('is a row at no cost for a session without responses', async () => {
      const made = await createToken(weir, '--budget-usd', '5');
      const socket = connect(made);
      await lastOf(socket, 'session.created');
      socket.close();
      expect((await ledgerOf(made, 1)).usage).toMatchObject([
        { status: 200, code: '', costNano: 0n, estimated: false },
      ]);
    });

    test('is estimated, and marked so, where a response ends without its usage', async () => {
      const made = await createToken(weir);
      const socket = connect(made);
      await speak(socket, { deltas: 10, usage: {} });
      socket.close();
      const [row] = (await ledgerOf(made, 1)).usage;
      expect(row).toMatchObject({ status: 200, estimated: true });
      // Ten pieces of three characters.
      expect(row?.outputTotal).toBe(8);
      expect(row?.costNano).toBeGreaterThan(0n);
    });

    test('counts transcribed audio at the price of the transcription model', async () => {
      const made = await createToken(weir, '--budget-usd', '5');
      const socket = connect(made);
      const transcription = { model: 'whisper-x' };
      await socket.send({ type: 'session.update', session: { audio: { input: { transcription } } } });
      await lastOf(socket, 'session.updated');
      const script = { transcript: { type: 'duration', seconds: 30 } };
      await socket.send({ type: 'input_audio_buffer.append', audio: 'AAAA', script });
      await lastOf(socket, 'conversation.item.input_audio_transcription.completed');
      const from = provider.invoice.length;
      await speak(socket);
      await socket.send({ type: 'input_audio_buffer.append', audio: 'AAAA', script });
      await lastOf(socket, 'conversation.item.input_audio_transcription.completed');
      socket.close();
      const { usage } = await ledgerOf(made, 2);
      const halfMinute = 3_000_000n;
      expect(usage.map(({ costNano }) => costNano).toSorted()).toEqual(
        [halfMinute, halfMinute + invoiced(from)].toSorted(),
      );
    });
  });

  describe('limits', () => {
    test('a budget for exactly five responses gives five, then an error event and 1008', async () => {
      const whole = { usage: { input_tokens: 0, output_tokens: 32_000 } };
      const each = 32_000n * outputNano;
      const made = await createToken(weir, '--budget-usd', `${Number(each * 5n) / 1e9}`);
      const from = provider.invoice.length;
      const socket = connect(made, 'free-realtime');
      for (let turn = 0; turn < 5; turn++) await speak(socket, whole);
      await socket.send({ type: 'response.create', script: whole });
      expect(codeOf(await lastOf(socket, 'error'))).toBe('budget_spent');
      expect(await socket.closed).toEqual({ code: 1008, reason: 'budget_spent' });
      expect(provider.invoice.length - from).toBe(5);
      const ledger = await ledgerOf(made, 5);
      expect(totalCostNano(ledger.usage)).toBe(each * 5n);
      const later = connect(made, 'free-realtime');
      await expect(later.opened).rejects.toThrow();
      const rows = (await ledgerOf(made, 6)).usage.filter(({ status }) => status === 402);
      expect(rows).toMatchObject([{ code: 'budget_spent', costNano: 0n }]);
      expect(provider.invoice.length - from).toBe(5);
    });

    test('many sessions at once spend no more than one budget', async () => {
      const whole = { usage: { input_tokens: 0, output_tokens: 32_000 } };
      const each = 32_000n * outputNano;
      const made = await createToken(weir, '--budget-usd', `${Number(each * 20n) / 1e9}`);
      const from = provider.invoice.length;
      const talk = async () => {
        const socket = connect(made, 'free-realtime');
        try {
          await socket.opened;
          for (let turn = 0; turn < 5; turn++) await speak(socket, whole);
        } catch {
          // Refused at the handshake or later, which is what is counted.
        }
        socket.close();
      };
      await Promise.all(Array.from({ length: 12 }, talk));
      const served = provider.invoice.length - from;
      expect(served).toBeLessThanOrEqual(20);
      expect(served).toBeGreaterThan(8);
      await until(async () => (await settledLedger(weir)).budgets.every(({ heldNano }) => heldNano === 0n), 60_000);
      const rows = (await settledLedger(weir)).usage.filter(
        ({ tokenId, status }) => tokenId === made.id && status === 200,
      );
      expect(totalCostNano(rows)).toBe(each * BigInt(served));
    });

    test('tokens per minute end a session that used them up', async () => {
      const made = await createToken(weir, '--tpm', '250');
      const socket = connect(made);
      await speak(socket);
      await socket.send({ type: 'response.create' });
      // 103 tokens are used, and as many are in the conversation that the next response reads.
      await lastOf(socket, 'response.done');
      await socket.send({ type: 'response.create' });
      expect(codeOf(await lastOf(socket, 'error'))).toBe('rate_limited');
      expect((await socket.closed).code).toBe(1008);
      await ledgerOf(made, 2);
    });

    test('a session takes one slot, and only while it runs', async () => {
      const made = await createToken(weir, '--concurrency', '1');
      const socket = connect(made);
      await lastOf(socket, 'session.created');
      await expect(connect(made).opened).rejects.toThrow();
      // Audio while the model speaks needs no second slot.
      await socket.send({ type: 'response.create', script: { hang: true } });
      await lastOf(socket, 'response.created');
      await socket.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
      await lastOf(socket, 'echo');
      await socket.send({ type: 'response.cancel' });
      await lastOf(socket, 'response.done');
      await speak(socket);
      const second = connect(made);
      await lastOf(second, 'session.created');
      second.close();
      socket.close();
      // Two sessions, a response, and the session that was refused.
      await ledgerOf(made, 4);
    });

    test('a token that is revoked meanwhile gets no further response', async () => {
      const made = await createToken(weir);
      const socket = connect(made);
      await speak(socket);
      await json(weir, 'token', 'revoke', made.id);
      await until(async () => {
        const { status } = await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${made.token}` } });
        return status === 401;
      });
      const from = provider.invoice.length;
      await socket.send({ type: 'response.create' });
      expect(codeOf(await lastOf(socket, 'error'))).toBe('token_disabled');
      expect((await socket.closed).code).toBe(1008);
      expect(provider.invoice).toHaveLength(from);
      await ledgerOf(made, 1);
    });
  });

  describe('an end in the middle', () => {
    test('by the client: the response is cancelled, its provider reports the usage, and is disconnected', async () => {
      const made = await createToken(weir, '--budget-usd', '5');
      const from = provider.invoice.length;
      const socket = connect(made);
      await socket.send({ type: 'response.create', script: { deltas: 7, hang: true } });
      await lastOf(socket, 'response.output_text.delta');
      socket.die();
      const seen = provider.last();
      await until(() => seen.closed !== undefined, 60_000, 'the provider is left');
      expect(seen.frames.at(-1)).toBe('{"type":"response.cancel"}');
      const { usage } = await ledgerOf(made, 1);
      expect(usage).toMatchObject([{ estimated: false, costNano: invoiced(from), outputTotal: 7 }]);
    });

    test('by the client before the response has begun: what comes of it is charged', async () => {
      const made = await createToken(weir, '--budget-usd', '5');
      const from = provider.invoice.length;
      const socket = connect(made);
      await lastOf(socket, 'session.created');
      await socket.send({ type: 'response.create', script: { hang: true } });
      socket.close();
      await until(() => provider.last().closed !== undefined, 60_000);
      const { usage } = await ledgerOf(made, 1);
      expect(usage).toMatchObject([{ costNano: invoiced(from), estimated: false }]);
    });

    test('by the provider: what was relayed is charged as an estimate', async () => {
      const made = await createToken(weir, '--budget-usd', '5');
      const socket = connect(made);
      await socket.send({ type: 'response.create', script: { deltas: 40, die: 'silently' } });
      await socket.closed;
      const { usage } = await ledgerOf(made, 1);
      expect(usage).toMatchObject([{ status: 502, code: 'upstream_failed', estimated: true, outputTotal: 38 }]);
    });

    // On PostgreSQL another replica could still live: its lease must run out first, which is the ledger's own test.
    if (database === 'sqlite')
      test('by a crash: the next start charges what was in flight, and marks it as an estimate', async () => {
        const own = await startLiveWeir();
        try {
          const socket = connect(own, 'a-realtime', own);
          await speak(socket);
          await socket.send({ type: 'response.create', script: { hang: true, deltas: 50 } });
          await lastOf(socket, 'response.created');
          await own.kill();
          await own.restart();
          const ledger = await settledLedger(own);
          expectBalanced(ledger);
          expect(
            ledger.attempts.map(({ estimated, costNano }) => `${estimated} ${(costNano ?? 0n) > 0n}`).toSorted(),
          ).toEqual(['false true', 'true true']);
        } finally {
          await own.remove();
        }
      });

    test('by a shutdown: what runs may end, what does not run is closed at once, both with 1001', async () => {
      const own = await startLiveWeir();
      try {
        const idle = connect(own, 'a-realtime', own);
        await speak(idle);
        const busy = connect(own, 'a-realtime', own);
        await busy.send({ type: 'response.create', script: { hang: true } });
        await lastOf(busy, 'response.created');
        const stopped = own.stop();
        expect((await idle.closed).code).toBe(1001);
        await busy.send({ type: 'response.cancel' });
        await lastOf(busy, 'response.done');
        expect((await busy.closed).code).toBe(1001);
        expect(await stopped).toBe(0);
        const ledger = await settledLedger(own);
        expectBalanced(ledger);
        expect(ledger.usage.map(({ status, estimated }) => `${status} ${estimated}`)).toEqual([
          '200 false',
          '200 false',
        ]);
      } finally {
        await own.remove();
      }
    });
  });
});
