/** Tools that coding agents declare, and their results, at providers whose formats have no such tools. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import {
  chatCall,
  chatCallStream,
  chatText,
  generateCall,
  messagesCall,
  messagesText,
  type ScriptedProvider,
  startScriptedProvider,
} from '../harness/scripted-provider.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let chat: ScriptedProvider;
let messages: ScriptedProvider;
let generate: ScriptedProvider;
let weir: RunningWeir;

beforeAll(async () => {
  chat = startScriptedProvider();
  messages = startScriptedProvider();
  generate = startScriptedProvider();
  weir = await startWeir({
    yaml: {
      providers: {
        chat: { kind: 'openai-chat', base_url: chat.base, key: 'k', models: ['m', 'deepseek-chat'] },
        messages: { kind: 'anthropic-messages', base_url: messages.base, key: 'k', models: ['m'] },
        generate: {
          kind: 'gemini-generate',
          base_url: generate.base,
          key: 'k',
          models: ['m', 'gemini-2.5-flash', 'gemini-3.1-pro'],
        },
      },
      prices: { m: { input: 1, output: 1 } },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([chat, messages, generate].map((provider) => provider.stop()));
});
beforeEach(() => {
  for (const provider of [chat, messages, generate]) {
    provider.bodies.length = 0;
    provider.headers.length = 0;
  }
});

const client = () => new OpenAI({ baseURL: weir.base, apiKey: weir.token, maxRetries: 0 });

type Tree = Record<string, unknown>;

async function ask(path: string, body: object): Promise<{ status: number; losses: string; reply: Tree }> {
  const answer = await fetch(weir.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const reply = (await answer.json()) as Tree;
  return { status: answer.status, losses: answer.headers.get('x-weir-losses') ?? '', reply };
}

const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const echo = { type: 'function', name: 'echo', description: 'Echoes.', strict: false, parameters: schema } as const;
const namespace = { type: 'namespace' as const, name: 'mcp__notes', description: 'Notes of the team.', tools: [echo] };
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } as const;
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: grammar } as const;
const user = { type: 'message', role: 'user', content: 'Go.' } as const;

/** The names of the functions that the provider received. */
const declared = {
  chat: () => (chat.last['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name),
  messages: () => (messages.last['tools'] as { name: string }[]).map(({ name }) => name),
  generate: () =>
    (generate.last['tools'] as { functionDeclarations: { name: string }[] }[]).flatMap((tool) =>
      tool.functionDeclarations.map(({ name }) => name),
    ),
};
const script = {
  chat: (call: Parameters<typeof chatCall>[0]) => chat.answer(chatCall(call)),
  messages: (call: Parameters<typeof messagesCall>[0]) => messages.answer(messagesCall(call)),
  generate: (call: Parameters<typeof generateCall>[0]) => generate.answer(generateCall(call)),
};
const names = ['chat', 'messages', 'generate'] as const;

describe('tools of the responses format on other formats', () => {
  for (const name of names) {
    test(`namespaces, tools that items bring and custom tools are functions: ${name}`, async () => {
      script[name]({ id: 'call_1', name: 'mcp__notes__echo', args: '{"q":"x"}' });
      const body = {
        model: `${name}/m`,
        tools: [namespace],
        input: [{ type: 'additional_tools', role: 'developer', tools: [patch] }, user],
      };
      const { reply, losses } = await ask('/v1/responses', body);
      expect(declared[name]()).toEqual(['mcp__notes__echo', 'apply_patch']);
      expect(JSON.stringify(generate.bodies.concat(chat.bodies, messages.bodies))).toContain('start: /.+/');
      expect(losses).not.toContain('tool');
      expect(reply['output']).toMatchObject([
        { type: 'function_call', call_id: 'call_1', name: 'echo', namespace: 'mcp__notes', arguments: '{"q":"x"}' },
      ]);
    });

    test(`a custom tool is called with its text, and the result goes back: ${name}`, async () => {
      const input = '*** Begin Patch\n+"é"\n*** End Patch';
      script[name]({ id: 'call_1', name: 'apply_patch', args: JSON.stringify({ input }) });
      const first = await client().responses.create({ model: `${name}/m`, tools: [patch], input: [user] });
      expect(first.output).toMatchObject([{ type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input }]);
      const [call] = first.output;
      if (call?.type !== 'custom_tool_call') throw new Error('no call');
      const again = [user, call, { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done.' } as const];
      await client().responses.create({ model: `${name}/m`, tools: [patch], input: again });
      const seen = JSON.stringify({ chat, messages, generate }[name].last);
      expect(seen).toContain('Done.');
      expect(seen).toContain('Begin Patch');
    });

    test(`a choice of a custom tool and of a tool in a namespace reaches ${name}`, async () => {
      script[name]({ id: 'call_1', name: 'apply_patch', args: '{"input":"x"}' });
      for (const [tool_choice, chosen] of [
        [{ type: 'custom', name: 'apply_patch' }, 'apply_patch'],
        [{ type: 'function', name: 'echo', namespace: 'mcp__notes' }, 'mcp__notes__echo'],
      ] as const) {
        await ask('/v1/responses', { model: `${name}/m`, tools: [namespace, patch], tool_choice, input: [user] });
        const { last } = { chat, messages, generate }[name];
        expect(JSON.stringify(last['tool_choice'] ?? last['toolConfig'])).toContain(chosen);
      }
    });
  }

  test('a streamed call of a custom tool has the events of a custom call', async () => {
    const input = 'line "1"\nline 2 é';
    const args = JSON.stringify({ input });
    chat.answer(chatCallStream({ id: 'call_1', name: 'apply_patch', args }, 3));
    const stream = await client().responses.create({ model: 'chat/m', tools: [patch], input: [user], stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    const deltas = events.filter((event) => event.type === 'response.custom_tool_call_input.delta');
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.map(({ delta }) => delta).join('')).toBe(input);
    const done = events.find((event) => event.type === 'response.custom_tool_call_input.done');
    expect(done?.input).toBe(input);
    const item = events.find((event) => event.type === 'response.output_item.done')?.item;
    expect(item).toMatchObject({ type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [item] } });
  });

  test('a streamed call in a namespace names it', async () => {
    chat.answer(chatCallStream({ id: 'call_1', name: 'mcp__notes__echo', args: '{"q":"x"}' }, 4));
    const stream = await client().responses.create({
      model: 'chat/m',
      tools: [namespace],
      input: [user],
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    for (const type of ['response.output_item.added', 'response.output_item.done'] as const) {
      const found = events.find((event) => event.type === type);
      expect(found).toMatchObject({ item: { type: 'function_call', name: 'echo', namespace: 'mcp__notes' } });
    }
  });

  test('earlier calls in a namespace are sent under the declared name', async () => {
    messages.answer(messagesText('Done.'));
    const call = {
      type: 'function_call',
      call_id: 'c1',
      name: 'echo',
      namespace: 'mcp__notes',
      arguments: '{"q":"x"}',
    };
    const output = { type: 'function_call_output', call_id: 'c1', output: 'x' };
    const { losses } = await ask('/v1/responses', {
      model: 'messages/m',
      tools: [namespace],
      input: [user, call, output],
    });
    expect(JSON.stringify(messages.last['messages'])).toContain('"name":"mcp__notes__echo"');
    expect(losses).not.toContain('namespace');
  });

  test('the client’s own tool search is a function, and the tools it found can be called', async () => {
    const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: schema };
    chat.answer(chatCallStream({ id: 'call_s', name: 'tool_search', args: '{"q":"notes"}' }, 4));
    const stream = await fetch(`${weir.base}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat/m', tools: [search], input: [user], stream: true }),
    });
    const done = /event: response.output_item.done\ndata: (.*)\n/.exec(await stream.text());
    const { item } = JSON.parse(done?.[1] ?? '{}') as { item: Tree };
    expect(item).toMatchObject({
      type: 'tool_search_call',
      call_id: 'call_s',
      execution: 'client',
      arguments: { q: 'notes' },
    });
    const found = {
      type: 'tool_search_output',
      call_id: 'call_s',
      execution: 'client',
      status: 'completed',
      tools: [namespace],
    };
    chat.answer(chatCall({ id: 'call_1', name: 'mcp__notes__echo', args: '{"q":"x"}' }));
    const { reply, losses } = await ask('/v1/responses', {
      model: 'chat/m',
      tools: [search],
      input: [user, item, found],
    });
    expect(declared.chat()).toEqual(['tool_search', 'mcp__notes__echo']);
    expect(JSON.stringify(chat.last['messages'])).toContain('can be called now: mcp__notes__echo');
    expect(reply['output']).toMatchObject([{ type: 'function_call', name: 'echo', namespace: 'mcp__notes' }]);
    expect(losses).not.toContain('tool');
  });

  test('a long name keeps its end, which differs between tools', async () => {
    const long = { ...namespace, name: `mcp__${'n'.repeat(70)}`, tools: [echo, { ...echo, name: 'other' }] };
    messages.answer(messagesText('Done.'));
    await ask('/v1/responses', { model: 'messages/m', tools: [long], input: [user] });
    const sentNames = declared.messages();
    expect(sentNames.map((name) => name.split('__').at(-1))).toEqual(['echo', 'other']);
    expect(Math.max(...sentNames.map((name) => name.length))).toBeLessThanOrEqual(64);
  });
});

describe('custom tools of the chat format', () => {
  test('are functions elsewhere, and calls of them are custom calls again', async () => {
    messages.answer(messagesCall({ id: 'toolu_1', name: 'apply_patch', args: '{"input":"a patch"}' }));
    const tools = [
      {
        type: 'custom',
        custom: {
          name: 'apply_patch',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: /.+/' } },
        },
      },
    ] as const;
    const question = { role: 'user', content: 'Go.' } as const;
    const first = await client().chat.completions.create({
      model: 'messages/m',
      messages: [question],
      tools: [...tools],
    });
    const message = first.choices[0]?.message;
    expect(message?.tool_calls).toEqual([
      { id: 'toolu_1', type: 'custom', custom: { name: 'apply_patch', input: 'a patch' } },
    ]);
    if (message === undefined) throw new Error('no message');
    const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'Done.' } as const;
    messages.answer(messagesText('Good.'));
    await client().chat.completions.create({
      model: 'messages/m',
      messages: [question, message, result],
      tools: [...tools],
    });
    expect(JSON.stringify(messages.last['messages'])).toContain('"input":{"input":"a patch"}');
  });
});

describe('results of tools', () => {
  const imageSource = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
  const result = (id: string, content: unknown, more: object = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...more,
  });
  const request = (results: readonly object[]) => ({
    model: 'chat/m',
    max_tokens: 100,
    tools: [{ name: 'shot', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [call('t1', 'shot'), call('t2', 'shot')] },
      { role: 'user', content: results },
    ],
  });

  test('hold images, which follow in a user turn if a result can only be text', async () => {
    chat.answer(chatText('Seen.'));
    const { losses } = await ask(
      '/v1/messages',
      request([
        result('t1', [{ type: 'image', source: imageSource }]),
        result('t2', [
          { type: 'text', text: 'fine' },
          { type: 'image', source: imageSource },
        ]),
      ]),
    );
    const turns = chat.last['messages'] as { role: string; content: unknown; tool_call_id?: string }[];
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(turns[2]?.content).toContain('next message');
    expect(turns[3]).toMatchObject({ tool_call_id: 't2' });
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    expect(turns[4]?.content).toMatchObject([
      { type: 'text', text: expect.stringContaining('t1') },
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: expect.stringContaining('t2') },
      { type: 'image_url', image_url: { url } },
    ]);
    expect(losses).not.toContain('image');
  });

  test('hold images only for models of the content-generation format that accept them there', async () => {
    generate.answer(generateCall({ id: 'c9', name: 'shot', args: '{}' }));
    const shown = [{ type: 'image', source: imageSource }];
    for (const [model, inResult] of [
      ['gemini-2.5-flash', false],
      ['gemini-3.1-pro', true],
    ] as const) {
      const body = { ...request([result('t1', shown), result('t2', 'x')]), model: `generate/${model}` };
      const { losses } = await ask('/v1/messages', body);
      const contents = generate.last['contents'] as {
        parts: { functionResponse?: { parts?: unknown }; inlineData?: unknown }[];
      }[];
      const parts = contents.flatMap((content) => content.parts);
      expect(parts.some((part) => part.functionResponse?.parts !== undefined)).toBe(inResult);
      expect(parts.some((part) => part.inlineData !== undefined)).toBe(!inResult);
      expect(losses).not.toContain('image');
    }
  });

  test('hold no images for a model without vision: the model gets a note and the caller a loss', async () => {
    chat.answer(chatText('Seen.'));
    const body = request([result('t1', [{ type: 'image', source: imageSource }]), result('t2', 'x')]);
    const { status, losses } = await ask('/v1/messages', { ...body, model: 'chat/deepseek-chat' });
    expect([status, JSON.stringify(chat.last).includes('image_url')]).toEqual([200, false]);
    expect(JSON.stringify(chat.last['messages'])).toContain('cannot take in');
    expect(losses).toContain('tool-result-image');
  });

  test('describe a failure in text if the format has no field for it', async () => {
    chat.answer(chatText('Seen.'));
    const { losses } = await ask(
      '/v1/messages',
      request([result('t1', 'no such file', { is_error: true }), result('t2', 'Error: denied', { is_error: true })]),
    );
    const turns = chat.last['messages'] as { content: unknown }[];
    expect(turns[2]?.content).toBe('Error: no such file');
    expect(turns[3]?.content).toBe('Error: denied');
    expect(losses).not.toContain('error');
  });

  for (const name of ['chat', 'generate'] as const) {
    test(`name the tools that a search found: ${name}`, async () => {
      script[name]({ id: 'c9', name: 'shot', args: '{}' });
      const found = [
        { type: 'tool_reference', tool_name: 'mcp__notes__echo' },
        { type: 'tool_reference', tool_name: 'mcp__notes__list' },
      ];
      const body = { ...request([result('t1', found), result('t2', 'x')]), model: `${name}/m` };
      const deferred = { name: 'mcp__notes__echo', input_schema: schema, defer_loading: true };
      const { losses } = await ask('/v1/messages', { ...body, tools: [...body.tools, deferred] });
      const seen = JSON.stringify({ chat, generate }[name].last);
      expect(seen).toContain('The tool `mcp__notes__echo` was found');
      expect(seen).toContain('mcp__notes__list');
      expect(declared[name]()).toContain('mcp__notes__echo');
      expect(losses).not.toMatch(/tool_reference|defer/);
    });
  }
});
