/** Models that accept tools in one of their formats only: a chat request with tools is translated to it and back. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import type { ExplainedCandidate, Explanation } from '../../src/relay/explain/explanation.ts';
import { createToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import {
  answerText,
  providerKey,
  type RefusingProvider,
  startRefusingProvider,
} from '../refusing/refusing-provider.ts';

setDefaultTimeout(300_000);
let provider: RefusingProvider;
let weir: RunningWeir;
let explaining: string;
let client: OpenAI;

beforeAll(async () => {
  provider = startRefusingProvider();
  const place = { base_url: provider.baseOf('openai'), key: providerKey };
  weir = await startWeir({
    yaml: {
      providers: {
        openai: { ...place, models: ['gpt-5.6-sol'] },
        // Its profile names a format that the provider does not have.
        plain: {
          kind: 'openai-chat',
          ...place,
          models: ['gpt-4.1'],
          profiles: { '*': { tools_format: 'openai-responses' } },
        },
      },
    },
  });
  explaining = (await createToken(weir, '--may-explain')).token;
  client = new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });
});
afterAll(async () => {
  await weir.remove();
  await provider.stop();
});

const messages = [{ role: 'user' as const, content: 'Read a.txt.' }];
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters } }];

async function explained(fields: object): Promise<Pick<ExplainedCandidate, 'lane' | 'format'> | undefined> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${explaining}`, 'content-type': 'application/json', 'x-weir-explain': '1' },
    body: JSON.stringify({ messages, ...fields }),
  });
  const { candidates } = (await reply.json()) as Explanation;
  const [first] = candidates;
  return first && { lane: first.lane, format: first.format };
}

test('whole: the call, then the answer to its result', async () => {
  const first = await client.chat.completions.create({ model: 'gpt-5.6-sol', messages, tools });
  expect(first.choices[0]?.finish_reason).toBe('tool_calls');
  const turn = first.choices[0]?.message;
  const call = turn?.tool_calls?.[0];
  if (turn === undefined || call?.type !== 'function') throw new Error('no call');
  expect(call.function).toEqual({ name: 'read_file', arguments: '{"path":"a.txt"}' });
  const result = { role: 'tool' as const, tool_call_id: call.id, content: 'hello' };
  const second = await client.chat.completions.create({
    model: 'gpt-5.6-sol',
    messages: [...messages, turn, result],
    tools,
  });
  expect(second.choices[0]?.message.content).toBe(answerText);
  expect(provider.refused).toEqual([]);
});

test('streamed: chunks of a call and a finish', async () => {
  const stream = client.chat.completions.stream({ model: 'gpt-5.6-sol', messages, tools });
  const { choices } = await stream.finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe('tool_calls');
  expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: 'read_file', arguments: '{"path":"a.txt"}' },
  });
  expect(provider.refused).toEqual([]);
});

test('explain names the format, and the requests that need it', async () => {
  const model = 'gpt-5.6-sol';
  expect(await explained({ model, tools })).toEqual({ lane: 'translate', format: 'openai-responses' });
  expect(await explained({ model, functions: [{ name: 'f', parameters }] })).toEqual({
    lane: 'translate',
    format: 'openai-responses',
  });
  expect(await explained({ model })).toEqual({ lane: 'forward', format: 'openai-chat' });
  expect(await explained({ model, tools: [] })).toEqual({ lane: 'forward', format: 'openai-chat' });
  expect(await explained({ model: 'gpt-4.1', tools })).toEqual({ lane: 'forward', format: 'openai-chat' });
});
