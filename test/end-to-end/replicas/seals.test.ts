/** A reasoning model behind another format: any replica returns the first turn's signed thoughts, or reports a loss. */

import { expect } from 'bun:test';
import { post } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import type { RunningWeir } from '../../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('postgres');

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Every body that the provider received, in order. */
const asked: {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}[] = [];
let calls = 0;

function blocksFor(body: (typeof asked)[number], thinks: boolean): readonly Block[] {
  if (JSON.stringify(body.messages).includes('tool_result')) return [{ type: 'text', text: 'It rains.' }];
  calls++;
  const call = { type: 'tool_use', id: `toolu_${calls}`, name: 'weather', input: { city: 'Paris' } };
  const thought = { type: 'thinking', thinking: `canary-thought-${calls}`, signature: `signature-${calls}` };
  return thinks ? [thought, call] : [call];
}

const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_sequence: null };
/** A block before its first delta. */
const emptied: Readonly<Record<string, object>> = {
  thinking: { thinking: '', signature: '' },
  text: { text: '' },
  tool_use: { input: {} },
};

function eventsOf(blocks: readonly Block[]): string {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const started = { ...head, content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } };
  let text = event('message_start', { message: started });
  for (const [index, block] of blocks.entries()) {
    const deltas =
      block.type === 'thinking'
        ? [
            { type: 'thinking_delta', thinking: block['thinking'] },
            { type: 'signature_delta', signature: block['signature'] },
          ]
        : block.type === 'text'
          ? [{ type: 'text_delta', text: block['text'] }]
          : [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];
    const empty = { ...block, ...emptied[block.type] };
    text += event('content_block_start', { index, content_block: empty });
    for (const delta of deltas) text += event('content_block_delta', { index, delta });
    text += event('content_block_stop', { index });
  }
  const delta = { stop_reason: 'tool_use', stop_sequence: null };
  text += event('message_delta', { delta, usage: { output_tokens: 9 } });
  return text + event('message_stop', {});
}

const provider = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    if (request.method !== 'POST') return Response.json({ data: [{ id: 'claude-x', type: 'model' }] });
    const body = (await request.json()) as (typeof asked)[number] & { stream?: boolean; thinking?: { type?: string } };
    asked.push(body);
    const content = blocksFor(body, body.thinking !== undefined && body.thinking.type !== 'disabled');
    if (body.stream === true) {
      return new Response(eventsOf(content), { headers: { 'content-type': 'text/event-stream' } });
    }
    const usage = { input_tokens: 9, output_tokens: 9 };
    return Response.json({ ...head, content, usage, stop_reason: 'tool_use' });
  },
});

let replicas: Replicas;
beforeAll(async () => {
  const up = {
    kind: 'anthropic-messages',
    base_url: `http://127.0.0.1:${provider.port}`,
    key: 'sk-up',
    models: ['claude-x'],
  };
  replicas = await startReplicas(2, { yaml: { providers: { up } } });
}, 300_000);
afterAll(async () => {
  await replicas.remove();
  await provider.stop(true);
});

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
const question = { role: 'user', content: 'How is the weather?' };
const base = { model: 'claude-x', tools, max_tokens: 4_000 };

/** The first turn at a replica; returns the id of its tool call. */
async function firstTurn(weir: RunningWeir, fields: object): Promise<string> {
  const reply = await post(weir, { ...base, messages: [question], ...fields });
  const text = await reply.text();
  expect([reply.status, text]).toEqual([200, expect.stringContaining('toolu_')]);
  return /toolu_\d+/.exec(text)?.[0] ?? '';
}

/** The second turn as sent by a client without support for thoughts. */
async function secondTurn(weir: RunningWeir, id: string, fields: object, headers = {}): Promise<Response> {
  const call = { id, type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
  const messages = [
    question,
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: 'rain' },
  ];
  const reply = await post(weir, { ...base, messages, ...fields }, { headers });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
  return reply;
}

function lastThoughts(): readonly Block[] {
  const content = asked.at(-1)?.messages.find(({ role }) => role === 'assistant')?.content ?? [];
  return typeof content === 'string' ? [] : content.filter(({ type }) => type === 'thinking');
}

const thinking = { reasoning_effort: 'high' };

test.each([false, true])('the thoughts of a turn come back at the other replica (stream: %p)', async (stream) => {
  const id = await firstTurn(replicas.at(0), { ...thinking, stream });
  const number = id.replace('toolu_', '');
  for (const weir of [replicas.at(1), replicas.at(0), replicas.at(1)]) {
    const reply = await secondTurn(weir, id, thinking);
    expect(lastThoughts()).toEqual([
      { type: 'thinking', thinking: `canary-thought-${number}`, signature: `signature-${number}` },
    ]);
    expect(reply.headers.get('x-weir-losses') ?? '').not.toContain('thinking');
  }
});

test('thoughts in the database are sealed', async () => {
  const rows = await replicas.query("SELECT content FROM replica_contents WHERE kind = 'seals'");
  expect(rows.length).toBeGreaterThan(0);
  for (const { content } of rows) expect(String(content)).toStartWith('2.');
});

test('thoughts that no replica remembers are reported as a loss, which strict mode does not refuse', async () => {
  const id = await firstTurn(replicas.at(0), thinking);
  await replicas.query('DELETE FROM replica_contents');
  const lost = await secondTurn(replicas.at(1), id, thinking);
  expect(lastThoughts()).toEqual([]);
  expect(lost.headers.get('x-weir-losses')).toContain('messages[1]-thinking-signature');
  const strict = await secondTurn(replicas.at(1), id, thinking, { 'x-weir-strict': 'true' });
  expect(strict.headers.get('x-weir-losses')).toContain('thinking-signature');
  // The replica that made them still has them.
  expect((await secondTurn(replicas.at(0), id, thinking)).headers.get('x-weir-losses') ?? '').not.toContain(
    'signature',
  );
});

test('a turn without thoughts has none to lose', async () => {
  const id = await firstTurn(replicas.at(0), {});
  for (const weir of replicas.all) {
    expect((await secondTurn(weir, id, {})).headers.get('x-weir-losses') ?? '').not.toContain('signature');
  }
});
