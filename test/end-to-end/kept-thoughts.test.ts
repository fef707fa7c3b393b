/**
 * Models that refuse a tool loop whose thinking does not come back, and clients of the same format that drop it: Weir puts it
 * back, for the token that got it, only where it is absent, and says so.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  chatCall,
  chatCallStream,
  chatText,
  type ScriptedProvider,
  startScriptedProvider,
} from '../harness/scripted-provider.ts';
import { createToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

type Json = Record<string, unknown>;

let provider: ScriptedProvider;
let weir: RunningWeir;
let off: RunningWeir;
let other: string;

beforeAll(async () => {
  provider = startScriptedProvider();
  const entry = { base_url: provider.base, key: 'k' };
  const providers = {
    deepseek: { ...entry, kind: 'deepseek', models: ['deepseek-v4-pro'] },
    moonshot: { ...entry, kind: 'moonshot', models: ['kimi-k3'] },
    plain: { ...entry, kind: 'openai-chat', models: ['m'] },
  };
  [weir, off] = await Promise.all([
    startWeir({ yaml: { providers, prices: { '*': { input: 1, output: 1 } } } }),
    startWeir({ yaml: { providers, content_storage: { recent_turns: false } } }),
  ]);
  other = (await createToken(weir)).token;
});
afterAll(async () => {
  await Promise.all([weir?.remove(), off?.remove()]);
  await provider?.stop();
});
beforeEach(() => {
  provider.bodies.length = 0;
});

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const question = { role: 'user', content: 'Go.' };

async function ask(model: string, messages: readonly unknown[], more: Json = {}, at = weir, token = at.token) {
  const answer = await fetch(`${at.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, tools, ...more }),
  });
  const text = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
  return { restored: answer.headers.get('x-weir-restored'), lane: answer.headers, text };
}

const turn = (id: string, more: Json = {}): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
  ...more,
});
const result = (id: string): Json => ({ role: 'tool', tool_call_id: id, content: 'x' });
const sentTurn = (): Json => (provider.last['messages'] as Json[])[1] ?? {};

let made = 0;
/** The first turn: a call after a thought, which the provider must have stated under a fresh id. */
async function called(model: string, stream: boolean, at = weir): Promise<string> {
  const id = `call_${++made}`;
  const call = { id, name: 'look', args: '{}' };
  const pieces = [{ reasoning_content: 'I ' }, { reasoning_content: 'look.' }];
  provider.answer(stream ? chatCallStream(call, 2, pieces) : chatCall(call, { reasoning_content: 'I look.' }));
  await ask(model, [question], stream ? { stream } : {}, at);
  provider.answer(chatText('Done.'));
  return id;
}

describe.each([['deepseek/deepseek-v4-pro'], ['moonshot/kimi-k3']])('%s', (model) => {
  describe.each([
    ['whole', false],
    ['streamed', true],
  ] as const)('%s', (_, stream) => {
    test('a turn without its thinking gets it back, and the reply says so', async () => {
      const id = await called(model, stream);
      const { restored } = await ask(model, [question, turn(id), result(id)]);
      expect(sentTurn()).toEqual(turn(id, { reasoning_content: 'I look.' }));
      expect(restored).toBe('messages[1].reasoning_content');
    });

    test('also where the next turn is streamed, and in later turns', async () => {
      const id = await called(model, stream);
      const later = [question, turn(id), result(id), { role: 'assistant', content: 'Done.' }, question];
      provider.answer(chatCallStream({ id: 'call_x', name: 'look', args: '{}' }, 2));
      const { restored } = await ask(model, later, { stream: true });
      expect(sentTurn()).toMatchObject({ reasoning_content: 'I look.' });
      expect(restored).toBe('messages[1].reasoning_content');
    });

    test('what the client sends itself stays', async () => {
      const id = await called(model, stream);
      const { restored } = await ask(model, [question, turn(id, { reasoning_content: 'Mine.' }), result(id)]);
      expect(sentTurn()).toMatchObject({ reasoning_content: 'Mine.' });
      expect(restored).toBeNull();
    });

    test('another token gets nothing of it', async () => {
      const id = await called(model, stream);
      const { restored } = await ask(model, [question, turn(id), result(id)], {}, weir, other);
      expect(sentTurn()).toEqual(turn(id));
      expect(restored).toBeNull();
    });

    test('nothing is kept where the operator says so', async () => {
      const id = await called(model, stream, off);
      const { restored } = await ask(model, [question, turn(id), result(id)], {}, off);
      expect(sentTurn()).toEqual(turn(id));
      expect(restored).toBeNull();
    });
  });
});

test('what is put back is reserved like the rest of the request', async () => {
  const model = 'deepseek/deepseek-v4-pro';
  const thought = 'I look. '.repeat(5_000);
  const call = { id: 'call_long', name: 'look', args: '{}' };
  provider.answer(chatCall(call, { reasoning_content: thought }), chatText('Done.'));
  await ask(model, [question]);
  // A thousandth of a dollar pays for the body alone, at a millionth for a token, but not for 40,000 bytes more.
  const budget = ['--budget-usd', '0.001', '--budget-period', 'total'];
  const small = (await createToken(weir, ...budget)).token;
  const askWith = (token: string, asked: readonly unknown[]) =>
    fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: asked, tools, max_tokens: 10 }),
    });
  // Kept for the small token itself: another's is not put back.
  provider.answer(chatCall({ ...call, id: 'call_small' }, { reasoning_content: thought }), chatText('Done.'));
  expect((await askWith(small, [question])).status).toBe(200);
  const [own, foreign] = [turn('call_small'), turn('call_long')];
  expect((await askWith(small, [question, foreign, result('call_long')])).status).toBe(200);
  const refused = await askWith(small, [question, own, result('call_small')]);
  expect([refused.status, await refused.text()]).toEqual([402, expect.stringContaining('budget')]);
});

test('numbers beside what was put back keep their digits', async () => {
  const received: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push(await request.text());
      const call = { id: 'call_exact', name: 'look', args: '{}' };
      return Response.json(chatCall(call, { reasoning_content: 'I look.' }));
    },
  });
  const deepseek = { kind: 'deepseek', base_url: `http://127.0.0.1:${server.port}/v1`, key: 'k', models: ['v4'] };
  const exact = await startWeir({ yaml: { providers: { deepseek } } });
  try {
    const headers = { authorization: `Bearer ${exact.token}`, 'content-type': 'application/json' };
    for (const messages of [[question], [question, turn('call_exact'), result('call_exact')]]) {
      const body = JSON.stringify({ model: 'deepseek/v4', messages, tools });
      const digits = body.replace('"role":"tool"', '"role":"tool","x":12345678901234567890');
      await fetch(`${exact.base}/chat/completions`, { method: 'POST', headers, body: digits });
    }
    expect(received[1]).toContain('"reasoning_content":"I look."');
    expect(received[1]).toContain('"x":12345678901234567890');
  } finally {
    await exact.remove();
    await server.stop(true);
  }
});

test('a model that needs nothing back gets the bytes as they came', async () => {
  const id = await called('plain/m', false);
  const { restored } = await ask('plain/m', [question, turn(id), result(id)]);
  expect(sentTurn()).toEqual(turn(id));
  expect(restored).toBeNull();
});
