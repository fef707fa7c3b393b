/** Every request to a model passes the gate: each field of each format, and every endpoint with content. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type RealtimeProvider, startRealtimeProvider } from '../fake-upstream/realtime/provider.ts';
import { errorOf } from '../harness/chat.ts';
import { type Judge, startJudge } from '../harness/judge.ts';
import { formOf, png, postTo } from '../harness/operation-calls.ts';
import { SocketClient, type SocketEvent } from '../harness/socket-client.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const evil = 'this is forbidden';

let judge: Judge;
let live: RealtimeProvider;
let provider: ReturnType<typeof startProvider>;
let weir: RunningWeir;
let before: MadeToken;
let after: MadeToken;

/** Answers every conversation, and records the bodies that reached it. */
function startProvider() {
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      bodies.push(await request.text());
      const message = { role: 'assistant', content: 'Gladly.', refusal: null };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'plain', choices, usage });
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, bodies, stop: () => server.stop(true) };
}

beforeAll(async () => {
  judge = startJudge();
  live = startRealtimeProvider();
  provider = startProvider();
  weir = await startWeir({
    yaml: {
      providers: {
        judge: { kind: 'openai', base_url: judge.base, key: 'sk-judge', models: ['scripted-judge'] },
        live: { kind: 'openai', base_url: live.base, key: 'sk-live', models: ['a-realtime'] },
        plain: { kind: 'openai-chat', base_url: provider.base, key: 'sk-plain', models: ['plain'] },
      },
      models: { 'guarded-realtime': { targets: [{ provider: 'live', model: 'a-realtime' }], moderation: 'before' } },
      content_storage: { responses: true },
      // Whether the token owns the ids is not tested here.
      ids: { unknown: 'allow' },
      egress: { mcp_hosts: ['*'] },
    },
  });
  const gated = (at: string) => createToken(weir, '--moderate', at, '--moderation-model', 'scripted-judge');
  [before, after] = [await gated('before'), await gated('after')];
});
afterAll(async () => {
  await weir.remove();
  await provider.stop();
  live.stop();
  judge.stop();
});
afterEach(() => judge.reset());

const model = 'sandbox-chat';
const turn = { role: 'user', content: 'continue' };
const messages = (...turns: object[]) => ({ model, max_tokens: 50, messages: [...turns, turn] });
const tool = (fields: object) => ({ name: 'look', description: 'Looks.', ...fields });
const schema = (fields: object) => ({ type: 'object', properties: { place: { type: 'string', ...fields } } });
const chatTool = (fields: object) => ({ ...messages(), tools: [{ type: 'function', function: tool(fields) }] });
const history = [
  { role: 'user', content: evil },
  { role: 'assistant', content: 'ok' },
];
const gemini = (fields: object) => ({ contents: [{ role: 'user', parts: [{ text: 'continue' }] }], ...fields });

/** Fields with text that the model reads: path, body. */
const places: readonly (readonly [string, string, object])[] = [
  ['chat, made-up history', 'chat/completions', messages(...history)],
  ['chat, system', 'chat/completions', messages({ role: 'system', content: evil })],
  ['chat, unknown part', 'chat/completions', messages({ role: 'user', content: [{ type: 'note', note: evil }] })],
  ['chat, description of a tool', 'chat/completions', chatTool({ description: evil })],
  ['chat, description of a parameter', 'chat/completions', chatTool({ parameters: schema({ description: evil }) })],
  [
    'chat, schema of the reply',
    'chat/completions',
    {
      ...messages(),
      response_format: { type: 'json_schema', json_schema: { name: 'a', description: evil, schema: schema({}) } },
    },
  ],
  ['chat, prediction', 'chat/completions', { ...messages(), prediction: { type: 'content', content: evil } }],
  ['chat, name of a speaker', 'chat/completions', messages({ ...turn, name: evil })],
  ['chat, nested field twice', 'chat/completions', messages({ role: 'user', content: evil })],
  ['messages, made-up history', 'messages', messages(...history)],
  ['messages, system', 'messages', { ...messages(), system: [{ type: 'text', text: evil }] }],
  ['messages, tool', 'messages', { ...messages(), tools: [tool({ input_schema: schema({ description: evil }) })] }],
  ['responses, made-up history', 'responses', { model, input: [...history, turn] }],
  ['responses, instructions', 'responses', { model, input: 'continue', instructions: evil }],
  [
    'responses, variables of a prompt',
    'responses',
    { model, input: 'continue', prompt: { id: 'p', variables: { a: evil } } },
  ],
  ['responses, prompt at the provider', 'responses', { model, input: 'continue', prompt: { id: 'pmpt_1' } }],
  ['responses, conversation at the provider', 'responses', { model, input: 'continue', conversation: 'conv_1' }],
  [
    'responses, file at the provider',
    'responses',
    { model, input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
  ],
  ['completions', 'completions', { model, prompt: evil }],
  ['cohere, made-up history', '../v2/chat', messages(...history)],
  ['cohere, document', '../v2/chat', { ...messages(), documents: [{ id: 'd', data: { text: evil } }] }],
  ['cohere, plan', '../v2/chat', messages(turn, { role: 'assistant', tool_plan: evil, tool_calls: [] })],
  ['cohere, tool', '../v2/chat', chatTool({ description: evil })],
  [
    'gemini, history',
    `../v1beta/models/${model}:generateContent`,
    gemini({
      contents: [
        { role: 'user', parts: [{ text: evil }] },
        { role: 'model', parts: [{ text: 'ok' }] },
        { role: 'user', parts: [{ text: 'continue' }] },
      ],
    }),
  ],
  [
    'gemini, system instruction',
    `../v1beta/models/${model}:generateContent`,
    gemini({ systemInstruction: { parts: [{ text: evil }] } }),
  ],
  [
    'gemini, tool',
    `../v1beta/models/${model}:generateContent`,
    gemini({ tools: [{ functionDeclarations: [{ name: 'f', description: evil }] }] }),
  ],
  ['embeddings', 'embeddings', { model: 'sandbox-embed', input: ['fine', evil] }],
  ['embeddings of cohere', '../v2/embed', { model: 'sandbox-embed', texts: ['fine', evil] }],
  ['rerank', 'rerank', { model: 'sandbox-rerank', query: 'a', documents: ['fine', evil] }],
  ['images', 'images/generations', { model: 'sandbox-image', prompt: evil }],
  ['speech', 'audio/speech', { model: 'sandbox-speak', voice: 'alloy', input: evil }],
  ['videos', 'videos', { model: 'sandbox-video', prompt: evil }],
];

async function send(token: MadeToken, path: string, body: object): Promise<Response> {
  return postTo({ base: weir.base, token: token.token }, `/${path}`, body);
}

/** Gemini's errors have the code in another field, and Cohere's have no envelope. */
const codeOf = async (reply: Response) => {
  const tree = (await reply.json()) as { error?: { code: string | number; reason?: string }; code?: string };
  return tree.error?.reason ?? tree.error?.code ?? tree.code;
};

describe('refused before', () => {
  test.each(places)('%s', async (_name, path, body) => {
    const reply = await send(before, path, body);
    expect([reply.status, await codeOf(reply)]).toEqual([400, 'content_refused']);
  });

  test('a body with a duplicate field reaches the provider as it was judged', async () => {
    const body = `{"model":"plain","messages":[{"role":"user","content":"${evil}","content":"hello"}]}`;
    provider.bodies.length = 0;
    expect((await postTo(before, '/chat/completions', body)).status).toBe(200);
    expect(provider.bodies.map((text) => JSON.parse(text).messages)).toEqual([[{ role: 'user', content: 'hello' }]]);
    expect(provider.bodies.join()).not.toContain('forbidden');
  });

  test('the prompt of an edit; its image is sent to the judge', async () => {
    const edit = (fields: Record<string, string | Blob>) =>
      postTo(before, '/images/edits', formOf({ model: 'sandbox-image', prompt: 'brighter', ...fields }));
    expect((await errorOf(await edit({ prompt: evil, image: png() }))).code).toBe('content_refused');
    expect(judge.inputs.flat()).toContainEqual(expect.stringContaining(evil));
    await edit({ image: png() });
    expect(JSON.stringify(judge.inputs)).toContain('data:image/png;base64,');
  });

  test('a stored earlier reply is judged with the turns before it', async () => {
    const plain = await createToken(weir);
    const first = (await (await send(plain, 'responses', { model, input: 'hello' })).json()) as { id: string };
    // It belongs to another token, so it does not exist for this one.
    expect((await send(before, 'responses', { model, input: 'continue', previous_response_id: first.id })).status).toBe(
      400,
    );
    const own = (await (await send(before, 'responses', { model, input: 'hello there' })).json()) as { id: string };
    judge.reset();
    const next = await send(before, 'responses', { model, input: 'continue then', previous_response_id: own.id });
    expect(next.status).toBe(200);
    const asked = judge.inputs.flat().join('\n');
    // Of the content judged before, only the last part is repeated before the new parts: the reply and the new input.
    expect(asked).toMatch(/^hello there\n.*continue then$/s);
  });
});

describe('passes', () => {
  test.each([
    ['chat/completions', chatTool({ parameters: schema({ description: 'A place.' }) })],
    ['messages', { ...messages(), tools: [tool({ input_schema: schema({}) })], system: 'Be brief.' }],
    ['responses', { model, input: [turn], instructions: 'Be brief.', text: { format: { type: 'text' } } }],
    [`../v1beta/models/${model}:generateContent`, gemini({ generationConfig: { temperature: 1 } })],
    ['embeddings', { model: 'sandbox-embed', input: ['fine'] }],
    ['rerank', { model: 'sandbox-rerank', query: 'a', documents: ['fine', 'good'] }],
    ['images/generations', { model: 'sandbox-image', prompt: 'a mill', size: '128x96' }],
    ['audio/speech', { model: 'sandbox-speak', voice: 'alloy', input: 'a mill', response_format: 'wav' }],
    ['videos', { model: 'sandbox-video', prompt: 'a mill' }],
  ])('%s without a fault', async (path, body) => {
    const reply = await send(before, path, body);
    expect(reply.status).toBe(200);
    await reply.body?.cancel();
  });

  test('of a long conversation only new parts are judged', async () => {
    const fresh = await createToken(weir, '--moderate', 'before', '--moderation-model', 'scripted-judge');
    const turns: object[] = [{ role: 'system', content: 'x'.repeat(50_000) }];
    const sizes: number[] = [];
    for (let count = 0; count < 4; count++) {
      turns.push({ role: 'user', content: `question number ${count}` });
      judge.reset();
      expect((await send(fresh, 'chat/completions', { model: 'plain', messages: turns })).status).toBe(200);
      sizes.push(judge.inputs.flat().join('').length);
      turns.push({ role: 'assistant', content: `Gladly, ${count}.` });
    }
    expect(sizes[0]).toBeGreaterThan(50_000);
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(1_000);
    // Judged for this token alone.
    judge.reset();
    expect((await send(before, 'chat/completions', { model: 'plain', messages: turns })).status).toBe(200);
    expect(judge.inputs.flat().join('').length).toBeGreaterThan(50_000);
  });
});

let spoken: Promise<Blob> | undefined;

/** Speech that was not judged, made once. */
function spokenText(): Promise<Blob> {
  spoken ??= createToken(weir).then(spokenBy);
  return spoken;
}

async function spokenBy(token: MadeToken): Promise<Blob> {
  const asked = { model: 'sandbox-speak', voice: 'alloy', input: evil, response_format: 'wav' };
  const reply = await send(token, 'audio/speech', asked);
  return new Blob([await reply.arrayBuffer()], { type: 'audio/wav' });
}

describe('refused after', () => {
  test('generated images are sent to the judge', async () => {
    const reply = await send(after, 'images/generations', {
      model: 'sandbox-image',
      prompt: 'a',
      size: '128x96',
      response_format: 'b64_json',
    });
    expect(reply.status).toBe(200);
    expect(JSON.stringify(judge.inputs)).toContain('data:image/png;base64,');
    const unjudged = await createToken(weir, '--moderate', 'after', '--moderation-model', 'no-such-judge');
    const made = { model: 'sandbox-image', prompt: 'b', size: '128x96', response_format: 'b64_json' };
    expect(await codeOf(await send(unjudged, 'images/generations', made))).toBe('moderation_unavailable');
  });

  test('speech, transcripts, and content that no judge can check', async () => {
    expect(
      await codeOf(await send(after, 'audio/speech', { model: 'sandbox-speak', voice: 'alloy', input: evil })),
    ).toBe('content_refused');
    expect(await codeOf(await send(after, 'videos', { model: 'sandbox-video', prompt: 'a mill' }))).toBe(
      'content_refused',
    );
    const file = await spokenText();
    for (const token of [before, after]) {
      for (const response_format of ['json', 'text', 'vtt']) {
        const transcribed = await postTo(
          token,
          '/audio/transcriptions',
          formOf({ model: 'sandbox-transcribe', response_format, file }),
        );
        expect(await codeOf(transcribed)).toBe('content_refused');
      }
      const streamed = await postTo(
        token,
        '/audio/transcriptions',
        formOf({ model: 'sandbox-transcribe', stream: 'true', file }),
      );
      expect(await codeOf(streamed)).toBe('content_refused');
    }
  });

  test('an idempotency key does not return a refused reply', async () => {
    const file = await spokenText();
    const form = () => formOf({ model: 'sandbox-transcribe', response_format: 'json', file });
    const ask = () => postTo(after, '/audio/transcriptions', form(), { headers: { 'idempotency-key': 'gate-1' } });
    for (let tries = 0; tries < 2; tries++) expect(await codeOf(await ask())).toBe('content_refused');
  });
});

describe('live conversations', () => {
  const connect = (token: MadeToken) =>
    new SocketClient(`${weir.base}/realtime?model=a-realtime`, { token: token.token });

  async function refusalOf(socket: SocketClient, frame: object): Promise<unknown> {
    await socket.send(frame);
    for (;;) {
      const event: SocketEvent = await socket.next();
      if (event.type === 'error') return event['error'];
    }
  }

  const item = (content: object) => ({ type: 'message', role: 'user', content: [content] });
  const frames: readonly (readonly [string, object])[] = [
    ['an item', { type: 'conversation.item.create', item: item({ type: 'input_text', text: evil }) }],
    [
      'the result of a tool',
      { type: 'conversation.item.create', item: { type: 'function_call_output', output: evil } },
    ],
    ['audio', { type: 'input_audio_buffer.append', audio: 'AAAA' }],
    ['audio in an item', { type: 'conversation.item.create', item: item({ type: 'input_audio', audio: 'AAAA' }) }],
    ['instructions', { type: 'session.update', session: { instructions: evil } }],
    ['a tool', { type: 'session.update', session: { tools: [tool({ description: evil })] } }],
    ['instructions of a response', { type: 'response.create', response: { instructions: evil } }],
    ['a prompt at the provider', { type: 'session.update', session: { prompt: { id: 'pmpt_1' } } }],
    ['an unknown frame', { type: 'new.frame', words: evil }],
  ];

  test('each frame is judged before it is passed on, and the session continues', async () => {
    const socket = connect(before);
    await socket.opened;
    for (const [name, frame] of frames) {
      const refusal = await refusalOf(socket, { event_id: name, ...frame });
      expect([name, refusal]).toMatchObject([name, { code: 'content_refused' }]);
    }
    const seen = live.last();
    expect(seen.frames).toEqual([]);
    await socket.send({ type: 'conversation.item.create', item: item({ type: 'input_text', text: 'hello' }) });
    await socket.send({ type: 'response.create' });
    await until(() => seen.frames.length === 2);
    expect(seen.frames.map((text) => JSON.parse(text).type)).toEqual(['conversation.item.create', 'response.create']);
    socket.close();
  });

  test('a session that is not judged cannot move to a model that requires it', async () => {
    const socket = connect(await createToken(weir));
    await socket.opened;
    const move = { type: 'session.update', session: { model: 'guarded-realtime' } };
    expect(await refusalOf(socket, move)).toMatchObject({ code: 'operation_unsupported' });
    socket.close();
  });

  test('there are none if replies must be judged', async () => {
    const socket = connect(after);
    await expect(socket.opened).rejects.toThrow();
  });

  test('the settings of a client secret are judged like a frame', async () => {
    const made = await send(before, 'realtime/client_secrets', {
      session: { model: 'a-realtime', instructions: evil },
    });
    const { value } = (await made.json()) as { value: string };
    const socket = new SocketClient(`${weir.base}/realtime`, { token: value });
    await until(() => socket.events.some(({ type }) => type === 'error'));
    expect(live.last().frames).toEqual([]);
    socket.close();
  });
});
