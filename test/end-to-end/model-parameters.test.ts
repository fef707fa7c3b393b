/** The lists of models name the parameters of each: by its provider's formats, its family, and learned refusals. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { scriptText } from '../fake-upstream/script.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  const home = { base_url: upstream.base, key: 'provider-key-0123456789' };
  const yaml = {
    providers: {
      chat: { ...home, kind: 'openai-chat', models: ['gpt-4.1', 'o3', 'text-embedding-3-small'] },
      messages: { ...home, kind: 'anthropic-messages', models: ['claude-sonnet-4-5'] },
    },
    models: {
      either: {
        targets: [
          { provider: 'chat', model: 'gpt-4.1' },
          { provider: 'messages', model: 'claude-sonnet-4-5' },
        ],
      },
    },
  };
  weir = await startWeir({ yaml });
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});

const get = async (path: string) => {
  const reply = await fetch(`${weir.url}${path}`, { headers: { authorization: `Bearer ${weir.token}` } });
  return (await reply.json()) as Record<string, unknown>;
};
const parametersOf = async (model: string) => (await get(`/v1/models/${model}`))['supported_parameters'];

const plain = ['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'presence_penalty', 'frequency_penalty'];

test('a model, its family and its format; a model without conversations lists none', async () => {
  const rest = ['logit_bias', 'logprobs', 'top_logprobs', 'tools', 'tool_choice', 'parallel_tool_calls'];
  expect(await parametersOf('gpt-4.1')).toEqual([...plain, ...rest, 'response_format', 'structured_outputs']);
  expect(await parametersOf('o3')).toEqual([
    'max_tokens',
    'seed',
    'tools',
    'tool_choice',
    'response_format',
    'structured_outputs',
    'reasoning',
    'reasoning_effort',
  ]);
  expect(await parametersOf('claude-sonnet-4-5')).toContain('top_k');
  expect(await parametersOf('text-embedding-3-small')).toBeUndefined();
  expect(await parametersOf('sandbox-reasoner')).toContain('reasoning');
  expect(await parametersOf('sandbox-chat')).not.toContain('temperature');
});

test('a name with two providers lists what both accept; the list equals the entry', async () => {
  const both = ['temperature', 'top_p', 'max_tokens', 'stop', 'tools', 'tool_choice', 'parallel_tool_calls'];
  expect(await parametersOf('either')).toEqual([...both, 'structured_outputs']);
  const { data } = (await get('/v1/models')) as { data: { id: string; supported_parameters?: unknown }[] };
  expect(data.find(({ id }) => id === 'either')?.supported_parameters).toEqual([...both, 'structured_outputs']);
});

test('the content-generation list says which models think', async () => {
  expect((await get('/v1beta/models/o3'))['thinking']).toBe(true);
  expect((await get('/v1beta/models/gpt-4.1'))['thinking']).toBe(false);
  expect((await get('/v1beta/models/text-embedding-3-small'))['thinking']).toBeUndefined();
});

test('a learned refusal is removed from the list, as in routing', async () => {
  const message = "Unsupported parameter: 'tools' is not supported with this model.";
  const script = { status: 400, body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }) };
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'chat/gpt-4.1',
      messages: [{ role: 'user', content: scriptText(script) }],
      tools: [{ type: 'function', function: { name: 'look' } }],
    }),
  });
  expect(reply.status).toBe(400);
  expect(await parametersOf('gpt-4.1')).not.toContain('tools');
  expect(await parametersOf('gpt-4.1')).toContain('structured_outputs');
  // Requests with tools go to the other provider now.
  expect(await parametersOf('either')).toContain('tools');
});
