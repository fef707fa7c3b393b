/**
 * Every id that a reply brings comes back in the second turn, where two people hold tokens: every kind of reply × the formats of
 * client and provider × whole and streamed × providers with ids and without. An id that no provider made has Weir's mark, and
 * none of them is a reference to anything.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, tool } from 'ai';
import { isOwnId } from '../../src/conversation/references/own-ids.ts';
import type { TextReply } from '../../src/conversation/text-reply.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { replyItems } from '../contract/formats/surviving-replies.ts';
import { type AnsweringProvider, givenMark, startAnsweringProvider } from '../harness/answering-provider.ts';
import { type Caller, callers } from '../harness/callers.ts';
import { eventsIn, replyOf } from '../harness/streamed-replies.ts';
import { createToken } from '../harness/token.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(120_000);

type Json = Record<string, unknown>;

const providerFormats: readonly FormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'cohere-chat',
];
/** A prompt has no turns. */
const clients = callers.filter(({ format }) => format !== 'openai-completions');
const tools = [{ name: 'level', description: 'Water.', parameters: { type: 'object', properties: {} } }];

let provider: AnsweringProvider;
let weir: RunningWeir;
let other: string;

beforeAll(async () => {
  provider = startAnsweringProvider();
  const baseOf = (format: FormatName): string =>
    format === 'gemini-generate'
      ? `${provider.origin}/v1beta`
      : `${provider.origin}/${format === 'cohere-chat' ? 'v2' : 'v1'}`;
  const entries = providerFormats.map((kind) => [kind, { kind, base_url: baseOf(kind), key: 'k', models: ['m'] }]);
  weir = await startWeir({
    holders: 'two',
    unchecked: 'some replies hold what strict clients refuse',
    yaml: { providers: Object.fromEntries(entries), prices: { '*': { input: 1, output: 1 } } },
  });
  other = (await createToken(weir)).token;
});
afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
});

async function ask(caller: Caller, turns: readonly unknown[], model: string, stream: boolean, token = weir.token) {
  const options = { model, stream, tools, ...(caller.format === 'openai-responses' && { fields: { store: false } }) };
  const version = caller.format === 'gemini-generate' ? '/v1beta' : '/v1';
  const answer = await fetch(weir.url + version + caller.path(options), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(caller.body(turns, options)),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Every value of a field that holds an id, in any event or in the whole reply. */
function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const isId = typeof each === 'string' && /^(id|.*_id|responseId)$/.test(name) && each !== '';
    return isId ? [each] : name === 'input' || name === 'args' ? [] : idsIn(each);
  });
}

/** Those that neither the provider made, with or without the prefix of another format, nor Weir. */
const strangers = (ids: readonly string[], known: string): string[] =>
  [...new Set(ids)].filter(
    (id) => !isOwnId(id) && !id.includes(givenMark) && !known.includes(id.replace(/^(?:[a-z]+[_-])+/, '')),
  );

/** One reply for each kind of content: what else differs makes no ids. */
const kinds = [
  ...new Map(
    replyItems.map((item) => {
      const [, make] = item;
      const { candidates } = typeof make === 'function' ? make('openai-chat') : make;
      const parts = candidates.flatMap(({ parts }) => parts);
      const shape = parts.map((part) => [part.type, 'seal' in part, 'media' in part && part.media, Object.keys(part)]);
      return [JSON.stringify(shape), item] as const;
    }),
  ).values(),
];

/** What is wrong with one kind of reply. */
async function faultOf(caller: Caller, format: FormatName, reply: TextReply, stream: boolean, ids: boolean) {
  provider.answer(reply, ids);
  const first = await ask(caller, ['Go.'], `${format}/m`, stream);
  // A reply that cannot be read is judged elsewhere.
  if (first.status !== 200) return undefined;
  const events = stream ? eventsIn(first.text) : [JSON.parse(first.text) as Json];
  if (
    events.some(({ error, type }) =>
      error !== undefined && error !== null ? true : type === 'error' || type === 'response.failed',
    )
  )
    return undefined;
  const strange = strangers(idsIn(events), JSON.stringify(reply));
  if (strange.length > 0) return `ids without a mark: ${strange.join(', ')}`;
  const whole = stream ? replyOf(caller.format, events) : (events[0] ?? {});
  const results = caller.answer?.(whole, 'x') ?? [];
  const isAnswered = results.length > 0 && !/"(content|parts)":\[\]/.test(JSON.stringify(results[0]));
  const turns = ['Go.', ...caller.echo(whole), ...(isAnswered ? results : ['And?'])];
  const second = await ask(caller, turns, `${format}/m`, stream);
  return second.status === 200 ? undefined : `second turn: ${second.status} ${second.text.slice(0, 300)}`;
}

for (const caller of clients) {
  describe(`a client of ${caller.format}`, () => {
    test.each(providerFormats.map((format) => [format]))('on a provider of %s', async (format) => {
      const faults: string[] = [];
      for (const [name, make] of kinds) {
        const reply = typeof make === 'function' ? make(format) : make;
        for (const stream of [false, true]) {
          // Between equal formats a reply without ids stays one.
          for (const ids of format === caller.format ? [true] : [true, false]) {
            const fault = await faultOf(caller, format, reply, stream, ids);
            if (fault !== undefined)
              faults.push(`${name}${stream ? ', streamed' : ''}${ids ? '' : ', no ids'}: ${fault}`);
          }
        }
      }
      expect(faults).toEqual([]);
    });
  });
}

const chatCaller = callers.find(({ format }) => format === 'openai-chat');
const responsesCaller = callers.find(({ format }) => format === 'openai-responses');
const thinking: TextReply = {
  id: 'r1',
  model: 'm',
  createdAtMs: 1,
  candidates: [
    {
      parts: [
        { type: 'thinking', text: 'I look.' },
        { type: 'text', text: 'Water.' },
      ],
      finish: { reason: 'stop' },
    },
  ],
  usage: { input: { total: 1 }, output: { total: 1 } },
};

describe('ids of before they had a mark', () => {
  const id = `rs_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`;
  const item = { type: 'reasoning', id, summary: [{ type: 'summary_text', text: 'I look.' }] };
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Water.' }] };

  test.each([
    ['gemini-generate'],
    ['openai-chat'],
    ['anthropic-messages'],
    ['openai-responses'],
  ])('come back on %s', async (format) => {
    if (responsesCaller === undefined) throw new Error('there is no such client');
    provider.answer(thinking, true);
    const { status, text } = await ask(responsesCaller, ['Go.', item, said, 'And?'], `${format}/m`, false);
    expect([status, text]).toEqual([200, expect.any(String)]);
    // A server that looks ids up does not get one that it never made.
    expect(JSON.stringify(provider.bodies.at(-1))).not.toContain(id);
  });

  test('an item of that shape without words is a reference', async () => {
    if (responsesCaller === undefined) throw new Error('there is no such client');
    const turns = ['Go.', { type: 'reasoning', id, summary: [] }, said, 'And?'];
    expect((await ask(responsesCaller, turns, 'openai-responses/m', false)).status).toBe(404);
  });
});

describe('items that Weir wrote', () => {
  const post = async (body: Json, token = weir.token) => {
    const answer = await fetch(`${weir.base}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const asking = { model: 'gemini-generate/m', input: [{ role: 'user', content: 'Go.' }] };

  test.each([
    [false],
    [true],
  ])('are named by their ids in the next turn, by the token that got them (streamed: %p)', async (stream) => {
    provider.answer(thinking, true);
    const { text } = await post({ ...asking, stream });
    const reply = stream ? replyOf('openai-responses', eventsIn(text)) : (JSON.parse(text) as Json);
    const named = (reply['output'] as Json[]).map(({ id }) => ({ type: 'item_reference', id }));
    expect(named).toHaveLength(2);
    const input = [...asking.input, ...named, { role: 'user', content: 'And?' }];
    for (const model of ['gemini-generate/m', 'openai-chat/m', 'openai-responses/m']) {
      expect([model, (await post({ model, input })).status]).toEqual([model, 200]);
      expect(JSON.stringify(provider.bodies.at(-1))).toContain('Water.');
      expect(JSON.stringify(provider.bodies.at(-1))).not.toContain('item_reference');
    }
    const refused = await post({ ...asking, input }, other);
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('Send the whole item instead.')]);
  });

  test('are put in once: an id that is repeated makes no larger request', async () => {
    provider.answer(thinking, true);
    const { output } = JSON.parse((await post(asking)).text) as { output: Json[] };
    const named = { type: 'item_reference', id: output[1]?.['id'] };
    expect((await post({ ...asking, input: [...asking.input, named] })).status).toBe(200);
    expect((await post({ ...asking, input: [...asking.input, named, named] })).status).toBe(404);
  });

  test('are not kept where the client says so', async () => {
    provider.answer(thinking, true);
    const { output } = JSON.parse((await post({ ...asking, store: false })).text) as { output: Json[] };
    const input = [...asking.input, { type: 'item_reference', id: output[0]?.['id'] }];
    expect((await post({ ...asking, input })).status).toBe(404);
  });

  test('continue conversations of the AI SDK, which names them by default', async () => {
    const openai = createOpenAI({ apiKey: weir.token, baseURL: weir.base });
    const look = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'x' });
    const parts: TextReply['candidates'][number]['parts'] = [
      { type: 'thinking', text: 'I look.' },
      { type: 'tool-call', id: 'call_1', name: 'look', arguments: '{}' },
    ];
    const calling = { ...thinking, candidates: [{ parts, finish: { reason: 'tool-calls' } }] } as const;
    for (const format of providerFormats) {
      provider.answer(calling, true);
      const model = openai(`${format}/m`);
      const first = await generateText({ model, prompt: 'Go.', tools: { look } });
      const messages = [{ role: 'user' as const, content: 'Go.' }, ...first.response.messages];
      provider.answer(thinking, true);
      const second = await generateText({ model, messages, tools: { look } });
      expect([format, second.text]).toEqual([format, 'Water.']);
      const third = [...messages, ...second.response.messages, { role: 'user' as const, content: 'And?' }];
      expect((await generateText({ model, messages: third, tools: { look } })).text).toBe('Water.');
      if (format !== 'openai-responses') expect(JSON.stringify(provider.bodies.at(-1))).toContain('Water.');
    }
  });
});

test('a recording is kept by no id, which the refusal says to every token', async () => {
  if (chatCaller === undefined) throw new Error('there is no such client');
  for (const token of [weir.token, other]) {
    const spoken = { role: 'assistant', audio: { id: 'audio_weir_1' } };
    const { status, text } = await ask(chatCaller, ['Go.', spoken, 'And?'], 'gemini-generate/m', false, token);
    expect([status, text]).toEqual([404, expect.stringContaining('its transcript')]);
  }
});

test('what a provider wrote belongs to the token that got it', async () => {
  if (responsesCaller === undefined) throw new Error('there is no such client');
  for (const stream of [false, true]) {
    provider.answer(thinking, true);
    const first = await ask(responsesCaller, ['Go.'], 'openai-responses/m', stream);
    const id = idsIn(stream ? eventsIn(first.text) : JSON.parse(first.text)).find((one) => one.startsWith('rs_'));
    const turns = ['Go.', { type: 'item_reference', id }, 'And?'];
    expect((await ask(responsesCaller, turns, 'openai-responses/m', stream)).status).toBe(200);
    expect((await ask(responsesCaller, turns, 'openai-responses/m', stream, other)).status).toBe(404);
  }
});

test('a reasoning item that says nothing is left out and named', async () => {
  const empty = { type: 'reasoning', summary: [{ type: 'summary_text', text: '' }] };
  provider.answer(thinking, true);
  for (const format of providerFormats) {
    const answer = await fetch(`${weir.base}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `${format}/m`, store: false, input: [{ role: 'user', content: 'Go.' }, empty] }),
    });
    const losses = answer.headers.get('x-weir-losses')?.split(', ');
    expect([format, answer.status, losses?.[0]]).toEqual([format, 200, 'input[1]-reasoning']);
    expect(JSON.stringify(provider.bodies.at(-1))).not.toContain('summary');
  }
});
