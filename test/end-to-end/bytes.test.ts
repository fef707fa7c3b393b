/** Weir does not change what it does not have to change: bytes are compared, not values. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { bodyTextOf, headerOf } from '../fake-upstream/invoice.ts';
import type { Script } from '../fake-upstream/script.ts';
import { post, scripted } from '../harness/chat.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    unchecked: 'the provider sends fields of its own, which have to pass byte by byte',
    yaml: {
      providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
      models: {
        fast: { targets: [{ provider: 'up', model: 'gpt-4.1' }] },
        'very-long-alias/with-"quotes"': { targets: [{ provider: 'up', model: 'gpt-4.1' }] },
      },
    },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

/** Sends the text exactly and returns what the provider received. */
async function relayed(body: string, headers: Record<string, string> = {}): Promise<string> {
  await upstream.reset();
  const reply = await post(weir, body, { headers });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
  const entries = await upstream.invoice();
  expect(entries.length).toBe(1);
  return entries[0] === undefined ? '' : bodyTextOf(entries[0]);
}

/** Bodies that any parse-and-print would change; `MODEL` is a placeholder for the model's JSON string. */
const oddBodies: readonly [string, string][] = [
  ['plain', '{"model":MODEL,"messages":[{"role":"user","content":"hi"}]}'],
  ['spacing', ' {\t"model" :  MODEL ,\r\n "messages":[ {"role" : "user","content":"hi"} ]\n}\n '],
  ['model last', '{"messages":[{"content":"hi","role":"user"}],"zeta":1,"alpha":2,"model":MODEL}'],
  ['escapes', '{"model":MODEL,"messages":[{"role":"user","content":"\\u0068\\u00e9\\ud83d\\ude00 \\/ é 😀 \\u2028"}]}'],
  [
    'nested keys of the same name',
    '{"metadata":{"model":"inner","messages":[],"stream":true,"n":99},"model":MODEL,"messages":[{"role":"user","content":"\\"model\\":\\"x\\"","model":"deep"}]}',
  ],
  [
    'numbers',
    '{"model":MODEL,"big":12345678901234567890123,"small":1e-400,"exact":1.10,"negative":-0,"huge":1E+400,"messages":[{"role":"user","content":"hi"}]}',
  ],
  [
    'unknown fields',
    '{"model":MODEL,"x_beta":{"deep":[null,true,{"a":[]}]},"messages":[{"role":"user","content":"hi","cache_control":{"type":"ephemeral"}}]}',
  ],
  ['lone surrogate', '{"model":MODEL,"messages":[{"role":"user","content":"\\ud800"}]}'],
  ['empty strings', '{"model":MODEL,"":"","messages":[{"role":"user","content":""}],"user":""}'],
];

describe.each(oddBodies)('%s', (_, template) => {
  test('a body whose model needs no other name arrives as it was sent', async () => {
    const body = template.replace('MODEL', '"gpt-4.1"');
    expect(await relayed(body)).toBe(body);
  });

  test.each(['fast', 'up/gpt-4.1', 'very-long-alias/with-"quotes"'])('only the name %p is replaced', async (name) => {
    const body = template.replace('MODEL', JSON.stringify(name));
    expect(await relayed(body)).toBe(template.replace('MODEL', '"gpt-4.1"'));
  });
});

test('names written with escapes are read', async () => {
  const messages = '"messages":[{"role":"user","content":"hi"}]';
  for (const body of [`{"model":"\\u0066ast",${messages}}`, `{"\\u006dodel":"fast",${messages}}`])
    expect(JSON.parse(await relayed(body))).toEqual({ ...JSON.parse(body), model: 'gpt-4.1' });
});

test('a body sent in chunks arrives whole', async () => {
  const body = `{"model":"gpt-4.1","messages":[{"role":"user","content":"${'é'.repeat(40_000)}"}]}`;
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream({
    start(controller) {
      for (let start = 0; start < bytes.length; start += 999) controller.enqueue(bytes.slice(start, start + 999));
      controller.close();
    },
  });
  const reply = await post(weir, body, { body: stream });
  expect(reply.status).toBe(200);
  const [entry] = await upstream.invoice();
  expect(entry && bodyTextOf(entry)).toBe(body);
});

test("the provider sees its own key and none of the caller's credentials or private headers", async () => {
  const headers = { cookie: 'session=secret', 'x-forwarded-for': '203.0.113.9', 'x-custom': 'kept-out' };
  await relayed('{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}]}', headers);
  const [entry] = await upstream.invoice();
  if (entry === undefined) throw new Error('no request arrived');
  expect(headerOf(entry, 'authorization')).toBe('Bearer sk-upstream');
  expect(headerOf(entry, 'content-type')).toStartWith('application/json');
  const head = JSON.stringify(entry.headers);
  for (const secret of [weir.token, 'session=secret', '203.0.113.9', 'kept-out']) expect(head).not.toContain(secret);
});

test.each([
  'text/html; charset=json',
  'text/html',
  'application/json; charset=utf-8',
])('a whole reply that the provider calls %p is JSON to the client', async (contentType) => {
  const message = { role: 'assistant', content: '<script>alert(1)</script>', refusal: null };
  const body = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  });
  const reply = await post(weir, scripted({ body, contentType, status: 200 }));
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await reply.text()).toBe(body);
});

const streamed = (options: string) =>
  `{"model":"gpt-4.1", "messages":[{"role":"user","content":"hi"}],"stream":true${options}}`;

test('a stream that asks for usage itself is not touched', async () => {
  for (const options of [
    ',"stream_options":{"include_usage":true}',
    ' , "stream_options" : {"include_usage" : true, "x":1 }',
  ]) {
    const body = streamed(options);
    expect(await relayed(body)).toBe(body);
  }
});

test.each([
  '',
  ',"stream_options":null',
  ',"stream_options":{}',
  ', "stream_options" : {"include_usage":false,"x":1}',
])('a stream with %p gains include_usage and not another byte changes', async (options) => {
  const body = streamed(`${options} , "big":12345678901234567890, "exact" : 1.10`);
  const seen = await relayed(body);
  const { stream_options: sent } = JSON.parse(body) as { stream_options?: object | null };
  expect((JSON.parse(seen) as { stream_options: object }).stream_options).toEqual({ ...sent, include_usage: true });
  const without = (text: string) => text.replace(/,\s*"stream_options"\s*:\s*(\{[^}]*\}|null)/, '');
  expect(without(seen)).toBe(without(body));
});

const pieces = (...texts: string[]) => texts.map((text) => Buffer.from(text).toString('base64'));

/** A stream that no two JSON printers would print alike. */
const oddStream = [
  'data: {"id":"x", "object":"chat.completion.chunk","created":1,"model":"other-name-v2","choices":[{"index":0,"delta":{"role":"assistant","content":""}}], "x_unknown":1.50}\n\n',
  'data:{"choices":[{"delta":{"content":"h\\u00e9 é 😀"},"index":0}],"id":"x","created":1,"object":"chat.completion.chunk","model":"m"}\n\n',
  'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning":"~"},"finish_reason":null}],"usage":null}\n\n',
  'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
];
const usageEvent =
  'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n\n';
const done = 'data: [DONE]\n\n';

/** As seen by a client that did not ask for usage. */
const unasked = (text: string): string => text.replace(',"usage":null', '');

async function received(script: Script, body: string): Promise<Response> {
  await upstream.queue([script]);
  return post(weir, body);
}

/** The same bytes cut at every kind of place: between events, inside a line, inside a code point. */
const cuttings: readonly [string, (text: string) => string[]][] = [
  ['whole', (text) => [Buffer.from(text).toString('base64')]],
  ['by event', (text) => pieces(...text.split(/(?<=\n\n)/))],
  [
    '7 bytes',
    (text) =>
      (
        Buffer.from(text)
          .toString('latin1')
          .match(/[\s\S]{1,7}/g) ?? []
      ).map((piece) => Buffer.from(piece, 'latin1').toString('base64')),
  ],
];

describe.each(cuttings)('a stream cut %s', (_, cut) => {
  test.each([false, true])('comes back untouched when usage was requested (gzip: %p)', async (gzip) => {
    const text = [...oddStream, usageEvent, done].join('');
    const reply = await received(
      { piecesBase64: cut(text), gzip },
      streamed(',"stream_options":{"include_usage":true}'),
    );
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reply.headers.get('content-encoding')).toBeNull();
    expect(await reply.text()).toBe(text);
  });

  test.each([
    false,
    true,
  ])('loses only usage when it was not: its chunk, and the null before it (gzip: %p)', async (gzip) => {
    const text = [...oddStream, usageEvent, done].join('');
    const reply = await received({ piecesBase64: cut(text), gzip }, streamed(''));
    expect(await reply.text()).toBe(unasked([...oddStream, done].join('')));
  });

  test('keeps usage that is in a chunk with choices', async () => {
    const last =
      oddStream[3]?.replace('}]}', '}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}') ?? '';
    const text = [...oddStream.slice(0, 3), last, done].join('');
    const reply = await received({ piecesBase64: cut(text) }, streamed(''));
    expect(await reply.text()).toBe(unasked(text));
  });
});

test('a stream keeps its event order and text with CRLF line ends', async () => {
  const text = [...oddStream, done].join('').replaceAll('\n', '\r\n');
  const reply = await received({ piecesBase64: pieces(text) }, streamed(',"stream_options":{"include_usage":true}'));
  expect((await reply.text()).replaceAll('\r\n', '\n')).toBe([...oddStream, done].join(''));
});

test.each([
  { gzip: false, whole: true },
  { gzip: true, whole: true },
  { gzip: false, whole: false },
  { gzip: true, whole: false },
])('a whole reply comes back byte for byte: %p', async (variant) => {
  const text =
    ' {"id" : "chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4.1-2025-04-14","x":12345678901234567890, "choices":[{"index":0,"message":{"role":"assistant","content":"h\\u00e9 é 😀"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n';
  const script = {
    piecesBase64: pieces(text.slice(0, 30), text.slice(30)),
    contentType: 'application/json',
    ...variant,
  };
  const reply = await received(script, '{"model":"fast","messages":[{"role":"user","content":"hi"}]}');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-encoding')).toBeNull();
  expect(await reply.text()).toBe(text);
});
