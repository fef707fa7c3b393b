/** How long one request holds the event loop for all others: the main thread's processor time between a victim's request and its answer. */

import { afterAll, beforeAll, test } from 'bun:test';
import { join } from 'node:path';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { formats } from '../../src/formats/all.ts';
import { bodyRows } from '../growth/bodies.ts';
import { conversationRows } from '../growth/conversations.ts';
import { schemaRows } from '../growth/schemas.ts';
import { originOf } from '../growth/stages.ts';
import { post } from '../harness/chat.ts';
import { formOf } from '../harness/operation-calls.ts';
import { createToken, type MadeToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge } from './figures.ts';
import { type FromVictim, mainThreadMs, type Served, type ToVictim, victimModel } from './victim.ts';

const holdMsMax = 50;
const generatedCount = 200;
const timeoutMs = 900_000;

let weir: RunningWeir;
let provider: ReturnType<typeof startProvider>;
let victim: Victim;
let poor: MadeToken;
let rich: MadeToken;

beforeAll(async () => {
  provider = startProvider();
  victim = await startVictim();
  const at = (kind: string, models: string[], version = '/v1') => ({
    kind,
    base_url: `http://127.0.0.1:${provider.port}${version}`,
    key: 'sk-any',
    models,
  });
  weir = await startWeir({
    unchecked: 'the provider says one word to everything',
    yaml: {
      providers: {
        chat: at('openai-chat', ['gpt-4.1', 'transcripts']),
        msg: at('anthropic-messages', ['claude-sonnet-4-5']),
        calm: { ...at('openai-chat', [victimModel]), base_url: `http://127.0.0.1:${victim.port}/v1` },
        gen: at('gemini-generate', ['gemini-2.5-pro'], '/v1beta'),
      },
      prices: {
        'gpt-*': { input: 1, output: 1 },
        'claude-*': { input: 1, output: 1 },
        'gemini-*': { input: 1, output: 1, context_tokens: 1_000_000 },
        transcripts: { minute: 1 },
      },
    },
  });
  poor = await createToken(weir, '--budget-usd', '0.000001', '--budget-period', 'total');
  rich = await createToken(weir);
});
afterAll(async () => {
  await weir.remove();
  await provider.stop(true);
  victim.stop();
});

const chatReply = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [said()], usage: spent() };
const replies: readonly (readonly [path: RegExp, reply: object])[] = [
  [/generateContent/, { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] }],
  [
    /messages/,
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
  [/transcriptions/, { text: 'ok' }],
];

function said() {
  return { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok', refusal: null } };
}

function spent() {
  return { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
}

function startProvider() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.arrayBuffer();
      return Response.json(replies.find(([path]) => path.test(request.url))?.[1] ?? chatReply);
    },
  });
}

interface Victim {
  readonly port: number;
  /** Resolves when its first request was answered, with a function that ends its asking. */
  ask(): Promise<() => Promise<Served>>;
  stop(): void;
}

async function startVictim(): Promise<Victim> {
  let received: (message: FromVictim) => void = () => undefined;
  const next = (): Promise<FromVictim> => new Promise((resolve) => (received = resolve));
  const first = next();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'victim.ts')], {
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message: FromVictim) => received(message),
  });
  const send = (message: ToVictim): void => child.send(message);
  return {
    port: ((await first) as { readonly port: number }).port,
    async ask() {
      const begun = next();
      send({ base: weir.base, token: rich.token, pid: weir.pid });
      await begun;
      return () => {
        const served = next() as Promise<Served>;
        send('stop');
        return served;
      };
    },
    stop: () => child.kill(),
  };
}

interface Hold {
  readonly worstMs: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly status: string;
}

/** One victim asks again and again while the attack runs. */
async function holdOf(attack: () => Promise<string>): Promise<Hold> {
  const stopAsking = await victim.ask();
  const before = mainThreadMs(weir.pid);
  const status = await attack();
  const cpuMs = mainThreadMs(weir.pid) - before;
  const { holdsMs, waitsMs } = await stopAsking();
  const sorted = waitsMs.toSorted((one, other) => one - other);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { worstMs: Math.max(...holdsMs), p99Ms, cpuMs, status };
}

const many = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, at) => make(at));

const sent = (token: () => MadeToken, model: string, body: object) => async (): Promise<string> => {
  const reply = await post(token(), JSON.stringify({ ...body, model }));
  await reply.arrayBuffer();
  return String(reply.status);
};

function doubling(): object {
  const next = (index: number) => ({ $ref: `#/$defs/d${index + 1}` });
  const entries = many(20, (at) => [`d${at}`, { type: 'object', properties: { a: next(at), b: next(at) } }]);
  return { $ref: '#/$defs/d0', $defs: Object.fromEntries(entries) };
}

const ask = [{ role: 'user', content: 'hi' }];
const toolsOf = (count: number) =>
  many(count, (at) => ({ type: 'function', function: { name: `t${at}`, parameters: doubling() } }));
const upload = (head: string, unit: readonly number[]) => async (): Promise<string> => {
  const bytes = Buffer.alloc(15_500_000, Buffer.from(unit));
  bytes.write(head, 0, 'latin1');
  const body = formOf({ model: 'transcripts', file: new Blob([bytes], { type: 'audio/mp4' }) });
  const headers = { authorization: `Bearer ${rich.token}` };
  const reply = await fetch(`${weir.base}/audio/transcriptions`, { method: 'POST', body, headers });
  await reply.arrayBuffer();
  return String(reply.status);
};
const pointers = { anyOf: many(30_000, (at) => ({ $ref: `#/${'a'.repeat(500)}/${at}` })) };
const argumentsOf = (text: string) => [
  ...ask,
  { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }] },
  { role: 'tool', tool_call_id: 'c', content: 'ok' },
];
const lists = (count: number, value: string) => `{"a":[${many(count, () => value).join(',')}]}`;
const longLists = {
  type: 'object',
  required: many(2_000, (at) => `p${at}`),
  properties: Object.fromEntries(
    many(2_000, (at) => [`p${at}`, { type: 'array', minItems: 1_000, items: { type: 'string', minLength: 1_000 } }]),
  ),
};
const shaped = (schema: object) => ({
  messages: ask,
  response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
});

async function crowd(): Promise<string> {
  const body = { messages: [{ role: 'user', content: 'x y '.repeat(32_000) }] };
  const statuses = await Promise.all(many(200, () => sent(() => rich, 'gemini-2.5-pro', body)()));
  return [...new Set(statuses)].join(' ');
}

function throughSocket(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = new WebSocket(`${weir.base.replace('http', 'ws')}/responses`, {
    headers: { authorization: `Bearer ${rich.token}` },
  } as never);
  socket.onopen = () =>
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-4.1', input: 'x'.repeat(20_000_000) }));
  socket.onmessage = () => {
    socket.close();
    resolve('answered');
  };
  socket.onclose = () => resolve('closed');
  return promise;
}

const forms: readonly (readonly [name: string, attack: () => Promise<string>])[] = [
  [
    '50 tools with doubling references, no budget',
    sent(() => poor, 'gemini-2.5-pro', { messages: ask, tools: toolsOf(50) }),
  ],
  ['150 of them', sent(() => poor, 'gemini-2.5-pro', { messages: ask, tools: toolsOf(150) })],
  ['1,062 of them', sent(() => poor, 'gemini-2.5-pro', { messages: ask, tools: toolsOf(1_062) })],
  ['60 of them within the budget', sent(() => rich, 'gemini-2.5-pro', { messages: ask, tools: toolsOf(60) })],
  ['30,000 long pointers', sent(() => rich, 'gemini-2.5-pro', shaped(pointers))],
  [
    '15.5 MB of movie boxes',
    upload('\0\0\0\x10ftypisom\0\0\0\0', [0, 0, 0, 16, 0x66, 0x72, 0x65, 0x65, ...many(8, () => 0)]),
  ],
  ['15.5 MB of FLAC heads', upload('fLaC', [0xff, 0xf8, 0x19, 0, 0, 0, 0, 0])],
  ['15.5 MB of FLAC marks', upload('fLaC', [0xff])],
  ['the sandbox fills long lists', sent(() => rich, 'sandbox-chat', shaped(longLists))],
  [
    'the sandbox fills a combination of itself',
    sent(() => rich, 'sandbox-chat', shaped({ allOf: [{ $ref: '#' }, { $ref: '#' }] })),
  ],
  ['49,000 messages as messages', sent(() => rich, 'claude-sonnet-4-5', { messages: many(49_000, () => ask[0]) })],
  ['49,000 messages as contents', sent(() => rich, 'gemini-2.5-pro', { messages: many(49_000, () => ask[0]) })],
  [
    '20 MB of arguments, one text',
    sent(() => rich, 'claude-sonnet-4-5', { messages: argumentsOf(`{"a":"${'x'.repeat(20_000_000)}"}`) }),
  ],
  ['15 MB of arguments, numbers', sent(() => rich, 'gemini-2.5-pro', { messages: argumentsOf(lists(7_000_000, '1')) })],
  [
    '15 MB of arguments, spelled numbers',
    sent(() => rich, 'gemini-2.5-pro', { messages: argumentsOf(lists(3_700_000, '1e1')) }),
  ],
  ['20 MB over a WebSocket', throughSocket],
  ['200 bodies of 127 KB at once', crowd],
];

test(
  'the forms that are known',
  async () => {
    // Compiled by then, as in a gateway that serves.
    await holdOf(() => Bun.sleep(1_000).then(() => 'nothing'));
    const quiet = await holdOf(() => Bun.sleep(500).then(() => 'nothing'));
    console.log(`nothing: worst ${quiet.worstMs.toFixed(1)} ms, victim's p99 ${quiet.p99Ms.toFixed(1)} ms`);
    const worst = new Map<string, number>();
    for (const [name, attack] of forms) {
      const hold = await holdOf(attack);
      console.log(
        `${name} (${hold.status}): held ${hold.worstMs.toFixed(1)} ms of ${hold.cpuMs.toFixed(0)} ms, victim's p99 ${hold.p99Ms.toFixed(1)} ms`,
      );
      worst.set(name, hold.worstMs);
    }
    for (const [name, ms] of worst) judge(name, ms, holdMsMax, 'ms');
  },
  timeoutMs,
);

function generated(): { readonly name: string; readonly body: object }[] {
  const { codec } = formats['openai-chat'];
  const target = { origin: originOf('openai-chat'), profile: {}, quirks: {}, outputTokensMax: 1_000 };
  const written = (request: unknown): object => codec.writeRequest(request as TextRequest, target).value;
  const rows = [
    ...[...schemaRows()]
      .filter(({ name }) => name.includes('many tools'))
      .map((row) => ({ row, count: 300, write: written })),
    ...[...conversationRows()].map((row) => ({ row, count: 3_000, write: written })),
    ...[...bodyRows()]
      .filter(({ name }) => name.startsWith('openai-chat'))
      .map((row) => ({ row, count: 3_000, write: (body: unknown) => body as object })),
  ];
  return rows
    .slice(0, generatedCount)
    .map(({ row, count, write }) => ({ name: row.name, body: write(row.inputOf(count)) }));
}

test(
  'generated ones',
  async () => {
    const holds: { readonly name: string; readonly hold: Hold }[] = [];
    for (const [index, { name, body }] of generated().entries()) {
      const model = index % 2 === 0 ? 'gemini-2.5-pro' : 'claude-sonnet-4-5';
      holds.push({ name: `${name} as ${model}`, hold: await holdOf(sent(() => rich, model, body)) });
    }
    holds.sort((one, other) => other.hold.worstMs - one.hold.worstMs);
    for (const { name, hold } of holds.slice(0, 10))
      console.log(
        `${name} (${hold.status}): held ${hold.worstMs.toFixed(1)} ms, victim's p99 ${hold.p99Ms.toFixed(1)} ms`,
      );
    judge(`the worst of ${holds.length} generated requests`, holds[0]?.hold.worstMs ?? 0, holdMsMax, 'ms');
    const p99s = holds.map(({ hold }) => hold.p99Ms).sort((one, other) => one - other);
    console.log(
      `victim's p99 in the median ${p99s[p99s.length >> 1]?.toFixed(1)} ms, worst ${p99s.at(-1)?.toFixed(1)} ms`,
    );
  },
  timeoutMs,
);
