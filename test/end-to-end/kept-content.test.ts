/** What only one format has is kept in other formats as text or in another place; a question of which nothing is left is not sent. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { takingProvider } from '../harness/taking-provider.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const provider = takingProvider();
const formats = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
type Name = (typeof formats)[number];

let weir: RunningWeir;
beforeAll(async () => {
  const place = { base_url: provider.base, key: 'sk-upstream' };
  const each = formats.map((kind) => [kind, { kind, ...place, models: [`${kind}-model`] }] as const);
  weir = await startWeir({
    yaml: {
      // Ids of the history below are made up.
      ids: { unknown: 'allow' },
      providers: Object.fromEntries(each),
      models: {
        either: {
          targets: [
            { provider: 'anthropic-messages', model: 'anthropic-messages-model', tier: 1 },
            { provider: 'gemini-generate', model: 'gemini-generate-model', tier: 2 },
          ],
        },
      },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await provider.stop();
});

const paths: Readonly<Record<Name, (model: string) => string>> = {
  'openai-chat': () => '/v1/chat/completions',
  'openai-responses': () => '/v1/responses',
  'anthropic-messages': () => '/v1/messages',
  'gemini-generate': (model) => `/v1beta/models/${model}:generateContent`,
};

/** One format insists on a limit. */
const limited: Readonly<Record<Name, object>> = {
  'openai-chat': { max_tokens: 100 },
  'openai-responses': { max_output_tokens: 100 },
  'anthropic-messages': { max_tokens: 100 },
  'gemini-generate': { generationConfig: { maxOutputTokens: 100 } },
};

async function send(client: Name, model: string, body: object, headers: Record<string, string> = {}) {
  const before = provider.take();
  const reply = await fetch(weir.url + paths[client](model), {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...limited[client], ...(client !== 'gemini-generate' && { model }), ...body }),
  });
  const said = await reply.text();
  return {
    status: reply.status,
    losses: reply.headers.get('x-weir-losses') ?? '',
    sent: provider.take() === before ? 'nothing' : JSON.stringify(provider.take()),
    said,
  };
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (words: string) => ({ type: 'text', text: words });
const searchResult = {
  type: 'search_result',
  title: 'Manual',
  source: 'https://x.example/a',
  content: [text('RAGTEXT')],
};
const contentDocument = { type: 'document', title: 'Notes', source: { type: 'content', content: [text('DOCTEXT')] } };
const call = { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} };
const find = { name: 'find', input_schema: { type: 'object' } };

/** A request of one format, and what every other format must get of it. */
const kept: readonly { name: string; client: Name; body: object; sent: readonly string[]; to?: readonly Name[] }[] = [
  {
    name: 'search results of the user',
    client: 'anthropic-messages',
    body: { messages: [{ role: 'user', content: [searchResult] }] },
    sent: ['RAGTEXT', 'Manual', 'https://x.example/a'],
  },
  {
    name: 'search results of a tool',
    client: 'anthropic-messages',
    body: {
      tools: [find],
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [searchResult] }] },
      ],
    },
    sent: ['RAGTEXT', 'Manual'],
  },
  {
    name: 'a document made of blocks',
    client: 'anthropic-messages',
    body: { messages: [{ role: 'user', content: [contentDocument, text('q')] }] },
    sent: ['DOCTEXT', 'Notes'],
  },
  {
    name: 'an MCP call and its result',
    client: 'anthropic-messages',
    body: {
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'mcp_tool_use', id: 'm1', name: 'lookup', server_name: 'docs', input: { q: 'ASKED' } },
            { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: [text('FOUND')] },
            text('So.'),
          ],
        },
        { role: 'user', content: 'q2' },
      ],
    },
    sent: ['ASKED', 'FOUND', 'lookup'],
  },
  {
    name: 'code that the provider ran',
    client: 'anthropic-messages',
    body: {
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's1', name: 'code_execution', input: { code: 'print(6)' } },
            {
              type: 'code_execution_tool_result',
              tool_use_id: 's1',
              content: { type: 'code_execution_result', stdout: 'SIX', stderr: '', return_code: 0, content: [] },
            },
          ],
        },
        { role: 'user', content: 'q2' },
      ],
    },
    sent: ['print(6)', 'SIX'],
  },
  {
    name: 'items of tools that the provider ran',
    client: 'openai-responses',
    body: {
      input: [
        { role: 'user', content: 'q' },
        {
          type: 'mcp_call',
          id: 'mcp_1',
          server_label: 'docs',
          name: 'lookup',
          arguments: '{"q":"ASKED"}',
          output: 'FOUND',
        },
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          container_id: 'c',
          status: 'completed',
          code: 'print(6)',
          outputs: [{ type: 'logs', logs: 'SIX' }],
        },
        { role: 'user', content: 'q2' },
      ],
    },
    sent: ['ASKED', 'FOUND', 'print(6)', 'SIX'],
  },
  {
    name: 'an image that the model made, of Gemini',
    client: 'gemini-generate',
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'draw' }] },
        { role: 'model', parts: [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: png } }] },
        { role: 'user', parts: [{ text: 'make it red' }] },
      ],
    },
    sent: [png, 'make it red'],
  },
  {
    name: 'an image that the model made, of responses',
    client: 'openai-responses',
    body: {
      input: [
        { role: 'user', content: 'draw' },
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png },
        { role: 'user', content: 'make it red' },
      ],
    },
    sent: [png, 'make it red'],
  },
  {
    name: 'code that Gemini ran',
    client: 'gemini-generate',
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'q' }] },
        {
          role: 'model',
          parts: [
            { executableCode: { language: 'PYTHON', code: 'print(6)' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'SIX' } },
          ],
        },
        { role: 'user', parts: [{ text: 'q2' }] },
      ],
    },
    sent: ['print(6)', 'SIX'],
  },
  {
    name: 'a search of the web that is declared as a tool',
    client: 'openai-chat',
    body: { messages: [{ role: 'user', content: 'q' }], tools: [{ type: 'web_search' }] },
    sent: ['earch'],
    to: ['openai-responses', 'anthropic-messages', 'gemini-generate'],
  },
];

describe('kept, with no loss named and in strict mode', () => {
  for (const { name, client, body, sent, to } of kept) {
    for (const format of to ?? formats.filter((other) => other !== client)) {
      test(`${name}: ${client} to ${format}`, async () => {
        const result = await send(client, `${format}-model`, body, { 'x-weir-strict': 'true' });
        expect([result.status, result.losses, result.said.slice(0, 300)]).toEqual([200, '', expect.any(String)]);
        for (const words of sent) expect(result.sent).toContain(words);
      });
    }
  }
});

const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const video = { fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } };

describe('a question of which nothing would be left', () => {
  const lost: readonly (readonly [Name, Name, object])[] = [
    ['openai-chat', 'anthropic-messages', { messages: [{ role: 'user', content: [audio] }] }],
    ['gemini-generate', 'openai-chat', { contents: [{ role: 'user', parts: [video] }] }],
    [
      'openai-chat',
      'anthropic-messages',
      {
        messages: [
          { role: 'system', content: 'Listen.' },
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'ok' },
          { role: 'user', content: [text(' '), audio] },
        ],
      },
    ],
  ];
  for (const [client, format, body] of lost) {
    test(`${client} to ${format} is refused and not sent`, async () => {
      const { status, sent, said } = await send(client, `${format}-model`, body);
      expect([status, sent]).toEqual([400, 'nothing']);
      expect(said).toContain('Nothing of the question would reach the provider');
    });
  }

  test('goes to the next target that takes it', async () => {
    const { status, sent } = await send('openai-chat', 'either', { messages: [{ role: 'user', content: [audio] }] });
    expect(status).toBe(200);
    expect(sent).toContain('UklGRg==');
  });

  test('is none in an earlier turn: a note takes its place, and the loss is named', async () => {
    const messages = [
      { role: 'user', content: [audio] },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'And now?' },
    ];
    const { status, sent, losses } = await send('openai-chat', 'anthropic-messages-model', { messages });
    expect([status, losses]).toEqual([200, 'messages[0]-audio']);
    expect(sent).toContain('which cannot be shown here');
  });
});

describe('a choice of a tool that the target does not get', () => {
  const bash = { type: 'bash_20250124', name: 'bash' };
  const messages = [{ role: 'user', content: 'ls' }];
  for (const format of ['openai-chat', 'openai-responses', 'gemini-generate'] as const) {
    for (const tools of [[bash], [bash, find]]) {
      test(`is left to the model at ${format} with ${tools.length - 1} others`, async () => {
        const body = { messages, tools, tool_choice: { type: 'tool', name: 'bash' } };
        const { status, sent, losses } = await send('anthropic-messages', `${format}-model`, body);
        expect(status).toBe(200);
        expect(losses).toContain('tool_choice');
        expect(sent).not.toContain('bash');
        expect(sent).not.toMatch(/tool_choice|functionCallingConfig/);
      });
    }
  }
});
