/** What clients drop or only name by id: any replica puts back the reasoning of the first turn, and finds the items that another one wrote. */

import { expect } from 'bun:test';
import { post } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { chatCall, chatText, type ScriptedProvider, startScriptedProvider } from '../../harness/scripted-provider.ts';

const { afterAll, beforeAll, test } = needing('postgres');

let provider: ScriptedProvider;
let replicas: Replicas;

beforeAll(async () => {
  provider = startScriptedProvider();
  const deepseek = { kind: 'deepseek', base_url: provider.base, key: 'k', models: ['v4'] };
  replicas = await startReplicas(2, { yaml: { providers: { deepseek } } });
}, 300_000);
afterAll(async () => {
  await replicas?.remove();
  await provider?.stop();
});

const question = { role: 'user', content: 'Go.' };
const call = { id: 'call_1', name: 'look', args: '{}' };
const turn = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const sentTurn = (): unknown => (provider.last['messages'] as unknown[])[1];

test('reasoning comes back at the other replica, between equal formats', async () => {
  provider.answer(chatCall(call, { reasoning_content: 'I look.' }), chatText('Done.'));
  await (await post(replicas.at(0), { model: 'v4', messages: [question] })).text();
  const messages = [question, turn, { role: 'tool', tool_call_id: 'call_1', content: 'x' }];
  const reply = await post(replicas.at(1), { model: 'v4', messages });
  expect([reply.status, reply.headers.get('x-weir-restored')]).toEqual([200, 'messages[1].reasoning_content']);
  expect(sentTurn()).toEqual({ ...turn, reasoning_content: 'I look.' });
});

test('items are found by their ids at the other replica, and are sealed in the database', async () => {
  provider.answer(chatText('Canary.'), chatText('Done.'));
  const ask = async (at: number, input: readonly unknown[]) => {
    const { base, token } = replicas.at(at);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'v4', input });
    return fetch(`${base}/responses`, { method: 'POST', headers, body });
  };
  const { output } = (await (await ask(0, [question])).json()) as { output: { id: string }[] };
  const named = output.map(({ id }) => ({ type: 'item_reference', id }));
  const reply = await ask(1, [question, ...named, { role: 'user', content: 'And?' }]);
  expect([reply.status, sentTurn()]).toEqual([200, expect.objectContaining({ content: 'Canary.' })]);
  const rows = await replicas.query("SELECT content FROM replica_contents WHERE kind = 'items'");
  expect(rows.length).toBeGreaterThan(0);
  for (const { content } of rows) expect(String(content)).toStartWith('2.');
});
