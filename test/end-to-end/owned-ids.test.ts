/** Ids that providers created, against a real process: only the token that got them can use them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ReferenceProvider, startReferenceProvider } from '../harness/reference-provider.ts';
import { SocketClient, type SocketEvent } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** Several processes start at once. */
setDefaultTimeout(300_000);

type Json = Record<string, unknown>;

let provider: ReferenceProvider;
/** Two people hold tokens, so that ids from elsewhere are refused. */
let shared: RunningWeir;
/** The operator allows ids from elsewhere. */
let open: RunningWeir;
/** One token. */
let single: RunningWeir;
/** The other token of each. */
const others = new Map<RunningWeir, string>();

beforeAll(async () => {
  provider = startReferenceProvider();
  const base = `${provider.origin}/v1`;
  const providers = {
    keeper: { kind: 'openai', base_url: base, key: 'sk-one', models: ['gpt-kept'] },
    claude: { kind: 'anthropic', base_url: base, key: 'sk-two', models: ['claude-kept'] },
    google: { kind: 'gemini', base_url: `${provider.origin}/v1beta`, key: 'sk-three', models: ['gemini-kept'] },
  };
  const allowed = { ids: { unknown: 'allow' }, egress: { mcp_hosts: ['*.example.com', 'connector_gmail'] } };
  [shared, open, single] = await Promise.all([
    startWeir({ yaml: { providers }, holders: 'two' }),
    startWeir({ yaml: { providers, ...allowed } }),
    startWeir({ yaml: { providers }, holders: 'one' }),
  ]);
  await Promise.all([shared, open].map(async (weir) => others.set(weir, (await createToken(weir)).token)));
});
afterAll(async () => {
  provider.release();
  await Promise.all([shared, open, single].map((weir) => weir.remove()));
  provider.stop();
});

const other = (weir: RunningWeir): string => others.get(weir) ?? '';

function post(
  weir: RunningWeir,
  path: string,
  body: Json,
  token = weir.token,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(weir.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

const respond = (weir: RunningWeir, fields: Json, token = weir.token): Promise<Response> =>
  post(weir, '/v1/responses', { model: 'gpt-kept', input: 'hello', ...fields }, token);

/** Status and code, and whether the provider received it. */
async function outcome(asking: () => Promise<Response>): Promise<string> {
  const before = provider.bodies.length;
  const reply = await asking();
  const { error } = (await reply.json()) as { error?: { code?: unknown; type?: string; status?: string } };
  const sent = provider.bodies.length > before ? ', sent' : '';
  return `${reply.status}${reply.ok ? '' : ` ${error?.code ?? error?.type}`}${sent}`;
}

/** The id of a stream that its client closed after the first event. */
async function abandoned(weir: RunningWeir): Promise<string> {
  const leaving = new AbortController();
  const body = { model: 'gpt-kept', input: 'hold', stream: true };
  const reply = await post(weir, '/v1/responses', body, weir.token, leaving.signal);
  const reader = reply.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  leaving.abort();
  return /"id":"(resp_\w+)"/.exec(first)?.[1] ?? '';
}

describe('replies that a request continues from', () => {
  const refused = '400 response_not_stored';
  const continueFrom = (weir: RunningWeir, id: string, token = weir.token) =>
    outcome(() => respond(weir, { previous_response_id: id }, token));

  test('a stream that was closed after its first event belongs to its token alone', async () => {
    for (const weir of [shared, open]) {
      const id = await abandoned(weir);
      expect(id).toStartWith('resp_made');
      expect(await continueFrom(weir, id, other(weir))).toBe(refused);
      expect(await continueFrom(weir, id)).toBe('200, sent');
    }
  });

  test('a reply with store: false does too', async () => {
    for (const weir of [shared, open]) {
      const { id } = (await (await respond(weir, { store: false })).json()) as { id: string };
      expect(await continueFrom(weir, id, other(weir))).toBe(refused);
      expect(await continueFrom(weir, id)).toBe('200, sent');
    }
  });

  test('a deleted one belongs to no token, and another token gets the same error as for an unknown id', async () => {
    for (const weir of [shared, open]) {
      const { id } = (await (await respond(weir, {})).json()) as { id: string };
      const headers = { authorization: `Bearer ${weir.token}` };
      expect((await fetch(`${weir.base}/responses/${id}`, { method: 'DELETE', headers })).status).toBe(200);
      expect(await continueFrom(weir, id)).toBe(refused);
      const errorFor = async (name: string) => {
        const reply = await respond(weir, { previous_response_id: name }, other(weir));
        return [reply.status, (await reply.text()).replaceAll(name, 'ID').replaceAll(/req_[\w-]+/g, 'REQUEST')];
      };
      if (weir === shared) expect(await errorFor(id)).toEqual(await errorFor('resp_never'));
    }
  });

  test('one from elsewhere passes if the operator allows it, or one person holds all tokens', async () => {
    expect(await continueFrom(shared, 'resp_elsewhere')).toBe(refused);
    expect(await continueFrom(open, 'resp_elsewhere')).toBe('200, sent');
    expect(await continueFrom(single, 'resp_elsewhere')).toBe('200, sent');
  });

  test('owners survive a restart', async () => {
    const id = await abandoned(open);
    await open.stop();
    await open.restart();
    expect(await continueFrom(open, id, other(open))).toBe(refused);
    expect(await continueFrom(open, id)).toBe('200, sent');
  });
});

/** Every field that holds an id, with the param of its refusal. */
const naming: readonly (readonly [path: string, param: string, body: Json])[] = [
  ['/v1/responses', 'conversation', { conversation: 'conv_x' }],
  ['/v1/responses', 'conversation', { conversation: { id: 'conv_x' } }],
  ['/v1/responses', 'prompt', { prompt: { id: 'pmpt_x' } }],
  ['/v1/responses', 'input[0]', { input: [{ type: 'item_reference', id: 'msg_x' }] }],
  ['/v1/responses', 'input[0]', { input: [{ type: 'reasoning', id: 'rs_x', summary: [] }] }],
  ['/v1/responses', 'input[0]', { input: [{ type: 'image_generation_call', id: 'ig_x' }] }],
  [
    '/v1/responses',
    'input[0].content[0].file_id',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-x' }] }] },
  ],
  [
    '/v1/responses',
    'prompt.variables.doc.file_id',
    { prompt: { variables: { doc: { type: 'input_file', file_id: 'file-x' } } } },
  ],
  ['/v1/responses', 'tools[0].vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] }],
  ['/v1/responses', 'tools[0].container', { tools: [{ type: 'code_interpreter', container: 'cntr_x' }] }],
  [
    '/v1/responses',
    'tools[0].container.file_ids',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-x'] } }] },
  ],
  [
    '/v1/chat/completions',
    'messages[0].content[0].file.file_id',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-x' } }] }] },
  ],
  [
    '/v1/chat/completions',
    'messages[0].audio',
    {
      messages: [
        { role: 'assistant', audio: { id: 'audio_x' } },
        { role: 'user', content: 'continue' },
      ],
    },
  ],
  [
    '/v1/messages',
    'messages[0].content[0].source.file_id',
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_x' } }] }] },
  ],
  [
    '/v1/messages',
    'messages[0].content[0].file_id',
    { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_x' }] }] },
  ],
  ['/v1/messages', 'container', { container: 'container_x' }],
  ['/v1/messages', 'container', { container: { id: 'container_x' } }],
  ['/v1beta/models/gemini-kept:generateContent', 'cachedContent', { cachedContent: 'cachedContents/x' }],
  ['/v1beta/models/gemini-kept:generateContent', 'cached_content', { cached_content: 'cachedContents/x' }],
  [
    '/v1beta/models/gemini-kept:generateContent',
    'contents[0].parts[0].fileData.fileUri',
    {
      contents: [
        {
          parts: [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } }, { text: 'a' }],
        },
      ],
    },
  ],
];

function bodyOf(path: string, fields: Json): Json {
  if (path.includes('gemini')) return { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], ...fields };
  if (path === '/v1/responses') return { model: 'gpt-kept', input: 'hello', ...fields };
  const messages = [{ role: 'user', content: 'hello' }];
  return path === '/v1/messages'
    ? { model: 'claude-kept', max_tokens: 16, messages, ...fields }
    : { model: 'gpt-kept', messages, ...fields };
}

describe('ids in a request', () => {
  test('ids from elsewhere are refused in every field if several people hold tokens, and pass if they are allowed', async () => {
    for (const [path, param, fields] of naming) {
      const before = provider.bodies.length;
      const refusal = await post(shared, path, bodyOf(path, fields));
      const text = await refusal.text();
      expect([path, param, refusal.status, provider.bodies.length - before]).toEqual([path, param, 404, 0]);
      expect(text).toContain('ids.unknown');
      if (!path.includes('gemini') && path !== '/v1/messages') expect(JSON.parse(text).error.param).toBe(param);
      for (const weir of [open, single]) {
        expect(await outcome(() => post(weir, path, bodyOf(path, fields)))).toBe('200, sent');
      }
    }
  });

  test('fields of the application are not ids', async () => {
    const schema = { type: 'object', properties: { file_id: { type: 'string', const: 'file-x' } } };
    const bodies: [string, Json][] = [
      ['/v1/responses', { metadata: { file_id: 'mine' } }],
      ['/v1/responses', { tools: [{ type: 'function', name: 'f', parameters: schema }] }],
      [
        '/v1/messages',
        {
          tools: [{ name: 'f', input_schema: schema }],
          messages: [
            { role: 'user', content: 'go' },
            { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'mine' } }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
          ],
        },
      ],
      [
        '/v1beta/models/gemini-kept:generateContent',
        {
          contents: [
            { role: 'user', parts: [{ fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } }, { text: 'a' }] },
            { role: 'model', parts: [{ functionCall: { name: 'f', args: { cachedContent: 'mine' } } }] },
            { role: 'user', parts: [{ functionResponse: { name: 'f', response: { fileUri: 'files/mine' } } }] },
          ],
        },
      ],
    ];
    for (const [path, fields] of bodies) {
      expect(await outcome(() => post(shared, path, bodyOf(path, fields)))).toBe('200, sent');
    }
  });

  test('ids of a reply belong to its token, whole and streamed', async () => {
    for (const weir of [shared, open]) {
      const made = (await (await respond(weir, {})).json()) as { id: string };
      const number = made.id.replace('resp_made', '');
      const uses: Json[] = [
        { tools: [{ type: 'code_interpreter', container: `cntr_made${number}` }] },
        { input: [{ type: 'item_reference', id: `msg_made${number}` }] },
        { input: [{ role: 'user', content: [{ type: 'input_file', file_id: `cfile_made${number}` }] }] },
      ];
      for (const fields of uses) {
        expect(await outcome(() => respond(weir, fields))).toBe('200, sent');
        expect(await outcome(() => respond(weir, fields, other(weir)))).toBe('404 reference_not_found');
      }
      for (const stream of [false, true]) {
        const text = await (await post(weir, '/v1/messages', bodyOf('/v1/messages', { stream }))).text();
        const container = /container_made\d+/.exec(text)?.[0] ?? '';
        const file = /file_made\d+/.exec(text)?.[0] ?? '';
        const content = [{ type: 'container_upload', file_id: file }];
        const use = bodyOf('/v1/messages', { container, messages: [{ role: 'user', content }] });
        expect(await outcome(() => post(weir, '/v1/messages', use))).toBe('200, sent');
        expect(await outcome(() => post(weir, '/v1/messages', use, other(weir)))).toStartWith('404 ');
      }
      const spoken = await (await post(weir, '/v1/chat/completions', bodyOf('/v1/chat/completions', {}))).text();
      const audio = { id: /audio_made\d+/.exec(spoken)?.[0] };
      const turns = [
        { role: 'assistant', audio },
        { role: 'user', content: 'continue' },
      ];
      const continueFrom = bodyOf('/v1/chat/completions', { messages: turns });
      expect(await outcome(() => post(weir, '/v1/chat/completions', continueFrom))).toBe('200, sent');
      const theirs = await outcome(() => post(weir, '/v1/chat/completions', continueFrom, other(weir)));
      expect(theirs).toBe('404 reference_not_found');
    }
  });

  test('an id from elsewhere in a request does not become its token’s', async () => {
    const fields = { tools: [{ type: 'code_interpreter', container: 'cntr_made1000001' }] };
    expect(await outcome(() => respond(open, fields))).toBe('200, sent');
    expect(await outcome(() => respond(open, fields, other(open)))).toBe('200, sent');
  });

  test('images and videos may not be made from files of others', async () => {
    const image = { model: 'sandbox-image', prompt: 'x', image: { file_id: 'file-x' } };
    const video = { model: 'sandbox-video', prompt: 'x', input_reference: { file_id: 'file-x' } };
    expect(await outcome(() => post(shared, '/v1/images/generations', image))).toBe('404 reference_not_found');
    // Videos accept no file ids at all.
    expect(await outcome(() => post(shared, '/v1/videos', video))).toBe('400 field_invalid');
  });

  test('counting tokens has the same limits on ids as a request', async () => {
    const file = { type: 'document', source: { type: 'file', file_id: 'file_x' } };
    const body = { model: 'claude-kept', messages: [{ role: 'user', content: [file] }] };
    expect(await outcome(() => post(shared, '/v1/messages/count_tokens', body))).toStartWith('404 ');
    expect(await outcome(() => post(open, '/v1/messages/count_tokens', body))).toBe('200, sent');
    const previous = { model: 'gpt-kept', input: 'x', previous_response_id: 'resp_elsewhere' };
    expect(await outcome(() => post(shared, '/v1/responses/input_tokens', previous))).toBe('400 response_not_stored');
  });
});

describe('servers that a provider is to call', () => {
  const tool = (fields: Json): Json => ({ tools: [{ type: 'mcp', server_label: 'x', ...fields }] });
  const claude = (url: string): Json => bodyOf('/v1/messages', { mcp_servers: [{ type: 'url', url, name: 'x' }] });
  const ask = (weir: RunningWeir, fields: Json) => outcome(() => respond(weir, tool(fields)));

  test('need the operator’s permission', async () => {
    const refused = '403 egress_not_allowed';
    expect(await ask(shared, { server_url: 'https://mcp.example.com/sse' })).toBe(refused);
    expect(await ask(shared, { connector_id: 'connector_gmail' })).toBe(refused);
    expect(await outcome(() => post(shared, '/v1/messages', claude('https://mcp.example.com')))).toStartWith('403 ');
    expect(await ask(open, { server_url: 'https://MCP.example.com/sse' })).toBe('200, sent');
    expect(await ask(open, { connector_id: 'connector_gmail' })).toBe('200, sent');
    expect(await outcome(() => post(open, '/v1/messages', claude('https://mcp.example.com')))).toBe('200, sent');
    expect(await ask(open, { server_url: 'https://mcp.example.com.evil.test/sse' })).toBe(refused);
    expect(await ask(open, { server_url: 'https://mcp.example.com@evil.test/' })).toBe(refused);
    expect(await ask(open, { connector_id: 'connector_dropbox' })).toBe(refused);
    expect(await ask(single, { server_url: 'https://anything.test/' })).toBe('200, sent');
  });

  test('live conversations have the same limits', async () => {
    const socket = new SocketClient(`${shared.base}/realtime?model=sandbox-realtime`, { token: shared.token });
    const nextOf = async (type: string): Promise<SocketEvent> => {
      for (;;) {
        const event = await socket.next();
        if (event['type'] === type) return event;
      }
    };
    await nextOf('session.created');
    const tools = [{ type: 'mcp', server_label: 'x', server_url: 'https://mcp.example.com' }];
    for (const [session, code] of [
      [{ tools }, 'egress_not_allowed'],
      [{ prompt: { id: 'pmpt_x' } }, 'reference_not_found'],
    ] as const) {
      await socket.send({ type: 'session.update', session });
      expect((await nextOf('error'))['error']).toMatchObject({ code });
      expect(await outcome(() => post(shared, '/v1/realtime/client_secrets', { session }))).toEndWith(code);
    }
    await socket.send({ type: 'session.update', session: { type: 'realtime', instructions: 'be brief' } });
    await nextOf('session.updated');
    socket.close();
  });

  test('a second person’s token changes what is allowed without a restart', async () => {
    const fields = { conversation: 'conv_elsewhere' };
    expect(await outcome(() => respond(single, fields))).toBe('200, sent');
    await createToken(single);
    await until(async () => (await outcome(() => respond(single, fields))) === '404 reference_not_found');
  });
});
