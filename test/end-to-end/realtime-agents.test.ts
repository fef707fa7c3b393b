/** The official agent library over plain `ws://`: turns in text and audio, tools, interruptions and new connections. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { tool } from '@openai/agents/realtime';
import { z } from 'zod';
import { startTalker, type Talker } from '../fake-upstream/realtime/talker.ts';
import { expectBalanced, type LedgerRows, settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { bytesPerSecond, LiveAgent, speechOf } from '../harness/live-agent.ts';
import { isFullSize } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const testTimeoutMs = 300_000;
/** For tests without audio: the sandbox speaks slowly. */
const inText = { outputModalities: ['text' as const] };
let talker: Talker;
let weir: RunningWeir;
let speech: Uint8Array;

beforeAll(async () => {
  talker = startTalker();
  weir = await startWeir({
    yaml: {
      providers: { talker: { kind: 'openai', base_url: talker.base, key: 'sk-talker', models: ['talker-realtime'] } },
      prices: { 'talker-realtime': { input: 2, output: 8 } },
    },
  });
  speech = await speechOf(weir, 'Good morning, can you hear me well?');
}, testTimeoutMs);
afterAll(async () => {
  await weir?.remove();
  talker?.stop();
});

/** Rows are written in groups, a moment after the last response; those of the sandbox are free. */
async function chargedRows(count: number): Promise<LedgerRows['usage']> {
  let rows: LedgerRows['usage'] = [];
  const come = async () => {
    rows = (await settledLedger(weir)).usage.filter(({ costNano }) => costNano > 0n);
    return rows.length >= count;
  };
  await until(come, 60_000, `${count} rows`);
  return rows;
}

describe.each([
  ['a scripted provider', 'talker-realtime'],
  ['the sandbox', 'sandbox-realtime'],
])('%s', (_, model) => {
  test(
    'answers a text',
    async () => {
      const agent = new LiveAgent(weir, { model });
      await agent.connect();
      const answer = await agent.answerTo(() => agent.session.sendMessage('Please say the word marzipan.'));
      expect(answer.response.status).toBe('completed');
      expect(answer.response.usage?.output_tokens).toBeGreaterThan(0);
      await until(() => agent.lastWords() !== '', 60_000, 'the words');
      expect(agent.lastWords()).toContain('marzipan');
      expect(agent.audioBytes).toBeGreaterThan(0);
      expect(agent.errors).toEqual([]);
      agent.close();
    },
    testTimeoutMs,
  );

  test(
    'answers in text if only text is requested, several times',
    async () => {
      const agent = new LiveAgent(weir, { model, config: inText });
      await agent.connect();
      for (const word of ['one', 'two', 'three']) {
        await agent.answerTo(() => agent.session.sendMessage(`Say ${word}-upon-time.`));
        await until(() => agent.lastWords().includes(`${word}-upon-time`), 2_000, word);
      }
      expect(agent.session.history.filter((item) => item.type === 'message' && item.role === 'user')).toHaveLength(3);
      expect(agent.errors).toEqual([]);
      agent.close();
    },
    testTimeoutMs,
  );

  test(
    'detects speech and its end, and answers in audio',
    async () => {
      const agent = new LiveAgent(weir, { model });
      await agent.connect();
      await agent.next('session.updated', 1);
      const answer = await agent.answerTo(() => agent.speak(speech));
      for (const type of ['speech_started', 'speech_stopped', 'committed']) {
        expect(agent.count(`input_audio_buffer.${type}`)).toBe(1);
      }
      expect(answer.response.status).toBe('completed');
      expect(agent.audioBytes).toBeGreaterThan(bytesPerSecond / 4);
      expect(agent.count('response.done')).toBe(1);
      expect(agent.errors).toEqual([]);
      agent.close();
    },
    testTimeoutMs,
  );

  test(
    'calls a tool with arguments that match its schema, and continues with its result',
    async () => {
      const calls: string[] = [];
      const proof = `windy-${crypto.randomUUID().slice(0, 8)}`;
      const weather = tool({
        name: 'get_weather',
        description: 'Tells the weather in a city.',
        parameters: z.object({ city: z.string().min(1) }),
        execute: async ({ city }) => {
          calls.push(city);
          return `17 degrees and ${proof}`;
        },
      });
      const agent = new LiveAgent(weir, { model, tools: [weather], config: inText });
      await agent.connect();
      await agent.answerTo(() => agent.session.sendMessage('What is the weather in Oslo?'));
      await agent.next('response.done', 1);
      expect(calls).toEqual(['Oslo']);
      await until(() => agent.lastWords().includes(proof), 60_000, `the result in “${agent.lastWords()}”`);
      expect(agent.errors).toEqual([]);
      agent.close();
    },
    testTimeoutMs,
  );

  test.each(['by a call', 'by speech'])(
    'is interrupted %s in the middle of a long answer',
    async (how) => {
      const agent = new LiveAgent(weir, { model });
      await agent.connect();
      await agent.next('session.updated', 1);
      const text = 'The quick brown fox jumps over the lazy dog, and the dog sleeps on. '.repeat(20);
      const answer = await agent.answerTo(async () => {
        agent.session.sendMessage(`Please repeat at length: ${text}`);
        await until(() => agent.audioBytes > 0, 60_000, 'the first audio');
        if (how === 'by a call') agent.session.interrupt();
        else agent.speak(speech);
      });
      expect(answer.response.status).toBe('cancelled');
      expect(agent.interruptions).toBe(1);
      if (how === 'by speech') {
        // The speech is answered.
        const next = await agent.next('response.done', 1);
        expect((next as unknown as typeof answer).response.status).toBe('completed');
      } else {
        const before = agent.audioBytes;
        const again = await agent.answerTo(() => agent.session.sendMessage('Are you still there?'));
        expect(again.response.status).toBe('completed');
        expect(agent.audioBytes).toBeGreaterThan(before);
      }
      expect(agent.errors).toEqual([]);
      agent.close();
    },
    testTimeoutMs,
  );

  test(
    'connects the same session again after it was closed',
    async () => {
      const agent = new LiveAgent(weir, { model, config: inText });
      for (let round = 0; round < 3; round++) {
        await agent.connect();
        await agent.answerTo(() => agent.session.sendMessage(`Round ${round}`));
        agent.close();
        expect(agent.status).toBe('disconnected');
      }
      expect(agent.errors).toEqual([]);
    },
    testTimeoutMs,
  );

  // How the connection to Weir ends is the same for both models.
  const endings = isFullSize ? ['is killed', 'shuts down'] : [model === 'talker-realtime' ? 'is killed' : 'shuts down'];
  test.each(endings)(
    'connects again after Weir %s, with a new conversation',
    async (how) => {
      const agent = new LiveAgent(weir, { model, config: inText });
      await agent.connect();
      await agent.answerTo(() => agent.session.sendMessage('First'));
      // What was not written yet would be charged as an estimate by the next start, which another test covers.
      await chargedRows(talker.invoice.length);
      if (how === 'is killed') await weir.kill();
      else expect(await weir.stop()).toBe(0);
      await until(() => agent.status === 'disconnected', 60_000, 'the library learns of it');
      await expect(agent.connect()).rejects.toBeDefined();
      await weir.restart();
      await agent.connect();
      const answer = await agent.answerTo(() => agent.session.sendMessage('Second'));
      expect(answer.response.status).toBe('completed');
      agent.close();
    },
    testTimeoutMs,
  );
});

test('the ledger has every response, to the token', async () => {
  const invoiced = talker.invoice.reduce(
    (sum, { inputTokens, outputTokens }) => sum + BigInt(inputTokens) * 2_000n + BigInt(outputTokens) * 8_000n,
    0n,
  );
  expect(talker.invoice.length).toBeGreaterThan(15);
  expect(talker.invoice.every(({ usageReported }) => usageReported)).toBe(true);
  const rows = await chargedRows(talker.invoice.length);
  expect(rows).toHaveLength(talker.invoice.length);
  expect(totalCostNano(rows)).toBe(invoiced);
  expect(rows.filter(({ estimated }) => estimated)).toEqual([]);
  expectBalanced(await settledLedger(weir));
});
